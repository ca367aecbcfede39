/** Tests downloads whose clients do not read the response: their limits, and requests of other clients meanwhile. */

import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { DOWNLOAD_CHECK } from '@rdm/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { tableOf } from '../fixtures/database.ts';
import { ADMIN, collection, registered, type SpecService, startService } from '../fixtures/service.ts';

const READERS = [11, 12, 13, 14, 15];
/** So many rows that the response does not fit the buffers of a connection. */
const ROWS = 26_000;
const FIELD = { fieldId: 1, name: 'code', dataType: 'string', isPrimaryKey: true, retired: false, referencedBy: [] };
const RANDOM_TEXT = Array.from({ length: 9 }, (_, number) => `md5((n * 9 + ${number})::text)`).join(' || ');

let service: SpecService;
let requests: ClientRequest[] = [];

beforeAll(async () => {
  service = await startService();
  const grants = Object.fromEntries(READERS.map((reader) => [reader, 'READ' as const]));
  service.grant(...READERS.map((reader) => registered(reader, 4)), ...collection(1, [1], grants));
  const { pool } = service.database;
  await pool.query(
    `INSERT INTO ${tableOf('reference_data_types')} (id, name, fields, valid_from) VALUES (1, 'Code', $1, 2)`,
    [JSON.stringify([FIELD])],
  );
  await pool.query(`
    INSERT INTO ${tableOf('reference_data_sets')} (id, name, type_id, key_field_ids, created_by, valid_from)
      VALUES (1, 'Codes', 1, '{1}', 1, 2);
    INSERT INTO ${tableOf('instances')} (data_set_id, id, key, data)
      SELECT 1, n, '["' || n || '"]', jsonb_build_object('1', ${RANDOM_TEXT}) FROM generate_series(1, ${ROWS}) n;
    ANALYZE ${tableOf('instances')}`);
}, 60_000);
afterEach(async () => {
  for (const request of requests) request.destroy();
  requests = [];
  // A download without a client ends with its next batch.
  await vi.waitFor(async () => {
    const { rowCount } = await service.database.pool.query(
      `SELECT FROM pg_stat_activity WHERE application_name = 'query-api-downloads' AND state <> 'idle'`,
    );
    expect(rowCount).toBe(0);
  }, 20_000);
});
afterAll(() => service.stop());

const DATA_SET = '/api/reference-data/1';

/** Starts a download and reads only the head of the response. */
async function stall(as: number, query = ''): Promise<IncomingMessage> {
  const headers = { Cookie: await service.signIn(as) };
  return new Promise((resolve, reject) => {
    const request = get(`${service.url}${DATA_SET}/export${query}`, { headers, agent: false }, resolve);
    request.on('error', reject);
    requests.push(request);
  });
}

describe('downloads that are not read', () => {
  it('do not block other reads, and are limited to two per user', async () => {
    const [reader = 0, other = 0] = READERS;
    const stalled = await Promise.all([stall(reader), stall(reader)]);
    expect(stalled.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
    const refused = await service.get(`${DATA_SET}/export`, reader);
    expect([refused.status, refused.body.error, refused.headers.get('Retry-After')]).toEqual([
      429,
      'You have 2 downloads under way. Wait until one of them is done and try again.',
      '5',
    ]);
    const check = { [DOWNLOAD_CHECK]: 'true' };
    expect(await service.get(`${DATA_SET}/export`, reader, check)).toMatchObject({
      status: 429,
      body: { error: refused.body.error },
    });
    expect((await service.get(`${DATA_SET}/export`, other)).status).toBe(200);
    // A check takes no slot, and returns no file.
    const checks = await Promise.all([1, 2, 3].map(() => service.get(`${DATA_SET}/export`, other, check)));
    expect(checks.map(({ status, body }) => [status, body])).toEqual(Array(3).fill([204, checks[0]?.body]));
    expect((await service.get('/api/reference-data/999/export', other, check)).status).toBe(404);
  });

  it('leave all lists readable when they take all slots, and the next download is refused', async () => {
    await Promise.all(READERS.slice(1).flatMap((reader) => [stall(reader), stall(reader)]));
    const reads = await Promise.all(
      Array.from({ length: 40 }, () => service.get(`${DATA_SET}/instances?pageSize=10`, ADMIN)),
    );
    expect(new Set(reads.map(({ status }) => status))).toEqual(new Set([200]));
    const refused = await service.get(`${DATA_SET}/export`, ADMIN);
    expect([refused.status, refused.body.error]).toEqual([
      429,
      '8 downloads of others are under way. Try again in a moment.',
    ]);
  });

  it('with a regular expression do not delay searches with regular expressions', async () => {
    const [reader = 0, other = 0] = READERS;
    const filter = (value: string) =>
      encodeURIComponent(JSON.stringify({ logic: 'AND', conditions: [{ field: 'code', operator: 'regex', value }] }));
    expect((await stall(reader, `?filter=${filter('^[0-9a-f]')}`)).statusCode).toBe(200);
    const searched = await service.get(`${DATA_SET}/instances?filter=${filter('^ab')}`, other);
    expect(searched.status).toBe(200);
  });
});
