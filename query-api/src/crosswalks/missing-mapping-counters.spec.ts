/** Tests how missing values are sent to command-api. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLog } from '@rdm/platform';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  callsFor,
  type MissingMappingCounters,
  type MissingValue,
  openMissingMappingCounters,
} from './missing-mapping-counters.ts';

const SECRET = 's'.repeat(32);
const HOUR_MS = 3_600_000;
const missingValue = (value: string, userId = 1): MissingValue => ({ crosswalkId: 3, userId, value, context: 'UI' });

let server: Server;
let status = 200;
let received: { secret: unknown; body: { values: string[] } }[] = [];
let url: string;
let counters: MissingMappingCounters;
const open = (...commandApiUrls: string[]) =>
  openMissingMappingCounters({
    commandApiUrls,
    serviceSecret: SECRET,
    log: createLog('spec', 'silent'),
    everyMs: HOUR_MS,
  });

beforeEach(async () => {
  received = [];
  status = 200;
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += String(chunk);
    });
    request.on('end', () => {
      received.push({ secret: request.headers['x-service-secret'], body: JSON.parse(text) });
      response.writeHead(status).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  counters = open(url);
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

describe('missing values', () => {
  it('are sent in one call per user, with repetitions', async () => {
    counters.count([missingValue('UK'), missingValue('XX')]);
    counters.count([missingValue('UK')]);
    counters.count([missingValue('UK', 2)]);
    await counters.flush();
    expect(received).toEqual([
      { secret: SECRET, body: { crosswalkId: 3, userId: 1, context: 'UI', values: ['UK', 'XX', 'UK'] } },
      { secret: SECRET, body: { crosswalkId: 3, userId: 2, context: 'UI', values: ['UK'] } },
    ]);
  });
  it('are sent in separate calls for each API key and context', () => {
    const keyed = { ...missingValue('UK'), apiKeyId: 7, context: 'invoicing' };
    expect(
      callsFor([keyed, missingValue('UK'), { ...keyed, context: 'returns' }, keyed]).map(({ body }) => body),
    ).toEqual([
      { crosswalkId: 3, userId: 1, apiKeyId: 7, context: 'invoicing', values: ['UK', 'UK'] },
      { crosswalkId: 3, userId: 1, context: 'UI', values: ['UK'] },
      { crosswalkId: 3, userId: 1, apiKeyId: 7, context: 'returns', values: ['UK'] },
    ]);
  });
  it('are sent only once', async () => {
    counters.count([missingValue('UK')]);
    await counters.flush();
    await counters.flush();
    expect(received).toHaveLength(1);
  });
  it('are kept while command-api is unavailable, and sent afterwards', async () => {
    status = 503;
    counters.count([missingValue('UK')]);
    await counters.flush();
    status = 200;
    counters.count([missingValue('XX')]);
    await counters.flush();
    expect(received.map(({ body }) => body.values)).toEqual([['UK'], ['UK', 'XX']]);
  });
  it('are sent to the next instance of command-api after a failure', async () => {
    counters = open('http://127.0.0.1:1', url);
    counters.count([missingValue('UK')]);
    await counters.flush();
    await counters.flush();
    expect(received.map(({ body }) => body.values)).toEqual([['UK']]);
  });
  it('are dropped after a refusal', async () => {
    status = 404;
    counters.count([missingValue('UK')]);
    await counters.flush();
    await counters.flush();
    expect(received).toHaveLength(1);
  });
  it('are sent in calls of at most ten thousand values', () => {
    const many = Array.from({ length: 10_001 }, (_, index) => missingValue(`V${index}`));
    expect(callsFor(many).map(({ body }) => body.values.length)).toEqual([10_000, 1]);
  });
});
