/** Tests the counters of translation requests on a real PostgreSQL, including while it is unavailable. */
import { createLog, migrate, type Queryable } from '@rdm/platform';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type SpecDatabase, startDatabase } from '../fixtures/database.ts';
import { openTranslationRequestCounters } from './translation-request-counters.ts';

const HOUR_MS = 3_600_000;
const LONG = 'x'.repeat(4_000);
let database: SpecDatabase;
let nowMs = 0;

beforeAll(async () => {
  database = await startDatabase();
}, 120_000);
afterAll(() => database?.stop());
beforeEach(() => database.pool.query('TRUNCATE telemetry.translation_requests, telemetry.missing_mappings'));

const open = (db: Queryable = database.pool) =>
  openTranslationRequestCounters({ db, log: createLog('spec', 'silent'), everyMs: HOUR_MS, now: () => nowMs });
const counted = async () =>
  (
    await database.pool.query(
      `SELECT crosswalk_id, source_value, requests, extract(epoch FROM first_requested_at)::int AS first,
              extract(epoch FROM last_requested_at)::int AS last
         FROM telemetry.translation_requests ORDER BY crosswalk_id, source_value`,
    )
  ).rows;

describe('requests for translations', () => {
  it('are added up per crosswalk and value, with first and last time', async () => {
    const requests = open();
    nowMs = 10_000;
    requests.count(1, ['DE', 'DE', 'FR']);
    requests.count(2, ['DE']);
    await requests.flush();
    nowMs = 20_000;
    requests.count(1, ['DE']);
    await requests.flush();
    expect(await counted()).toEqual([
      { crosswalk_id: 1, source_value: 'DE', requests: 3, first: 10, last: 20 },
      { crosswalk_id: 1, source_value: 'FR', requests: 1, first: 10, last: 10 },
      { crosswalk_id: 2, source_value: 'DE', requests: 1, first: 10, last: 10 },
    ]);
  });
  it('are counted for values of the maximum length', async () => {
    const requests = open();
    requests.count(1, [LONG, LONG]);
    await requests.flush();
    expect(await counted()).toMatchObject([{ source_value: LONG, requests: 2 }]);
  });
  it('are added up per normalised value by a migration', async () => {
    const { pool } = database;
    const [composed, decomposed, angstrom] = ['caf\u00e9', 'cafe\u0301', '\u212b'];
    await pool.query(
      `INSERT INTO telemetry.translation_requests (crosswalk_id, source_value, requests, first_requested_at, last_requested_at)
       SELECT 1, value, 2, to_timestamp(seconds), to_timestamp(seconds + 5)
         FROM unnest($1::text[], '{20,10,30}'::int[]) AS counted (value, seconds)`,
      [[composed, decomposed, angstrom]],
    );
    await pool.query(
      `INSERT INTO telemetry.missing_mappings (crosswalk_id, source_value, request_count, request_user_id)
       SELECT 1, value, 3, 7 FROM unnest($1::text[]) value`,
      [[composed, decomposed, angstrom]],
    );
    await pool.query(`DELETE FROM platform.migrations WHERE name = '0015-requests-spelled-alike'`);
    await migrate(database.url);
    expect(await counted()).toEqual([
      { crosswalk_id: 1, source_value: composed, requests: 4, first: 10, last: 25 },
      { crosswalk_id: 1, source_value: '\u00c5', requests: 2, first: 30, last: 35 },
    ]);
    const missing = await pool.query(
      'SELECT source_value, request_count FROM telemetry.missing_mappings ORDER BY 2 DESC',
    );
    expect(missing.rows).toEqual([
      { source_value: composed, request_count: 6 },
      { source_value: '\u00c5', request_count: 3 },
    ]);
  });
  it('are written later if PostgreSQL is unavailable', async () => {
    let isUnavailable = true;
    const query = ((...statement: Parameters<Queryable['query']>) =>
      isUnavailable ? Promise.reject(new Error('away')) : database.pool.query(...statement)) as Queryable['query'];
    const requests = open({ query });
    requests.count(1, ['DE']);
    await requests.flush();
    requests.count(1, ['DE']);
    expect(await counted()).toEqual([]);
    isUnavailable = false;
    await requests.flush();
    expect(await counted()).toMatchObject([{ source_value: 'DE', requests: 2 }]);
  });
});
