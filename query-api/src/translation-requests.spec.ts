/** Requests for known values, counted over a real PostgreSQL that is there, or away for a while. */
import { createLog, type Queryable } from '@rdm/platform';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type SpecDatabase, startDatabase } from './fixtures/database.ts';
import { openTranslationRequests } from './translation-requests.ts';

const HOUR_MS = 3_600_000;
const LONG = 'x'.repeat(4_000);
let database: SpecDatabase;
let at = 0;

beforeAll(async () => {
  database = await startDatabase();
}, 120_000);
afterAll(() => database?.stop());
beforeEach(() => database.pool.query('TRUNCATE telemetry.translation_requests'));

const open = (db: Queryable = database.pool) =>
  openTranslationRequests({ db, log: createLog('spec', 'silent'), everyMs: HOUR_MS, now: () => at });
const counted = async () =>
  (
    await database.pool.query(
      `SELECT crosswalk_id, source_value, requests, extract(epoch FROM first_requested_at)::int AS first,
              extract(epoch FROM last_requested_at)::int AS last
         FROM telemetry.translation_requests ORDER BY crosswalk_id, source_value`,
    )
  ).rows;

describe('requests for translations', () => {
  it('are added up per crosswalk and value, with when they were first and last made', async () => {
    const requests = open();
    at = 10_000;
    requests.count(1, ['DE', 'DE', 'FR']);
    requests.count(2, ['DE']);
    await requests.flush();
    at = 20_000;
    requests.count(1, ['DE']);
    await requests.flush();
    expect(await counted()).toEqual([
      { crosswalk_id: 1, source_value: 'DE', requests: 3, first: 10, last: 20 },
      { crosswalk_id: 1, source_value: 'FR', requests: 1, first: 10, last: 10 },
      { crosswalk_id: 2, source_value: 'DE', requests: 1, first: 10, last: 10 },
    ]);
  });
  it('are counted of the longest values, too', async () => {
    const requests = open();
    requests.count(1, [LONG, LONG]);
    await requests.flush();
    expect(await counted()).toMatchObject([{ source_value: LONG, requests: 2 }]);
  });
  it('are kept while they cannot be written down', async () => {
    let away = true;
    const query = ((...asked: Parameters<Queryable['query']>) =>
      away ? Promise.reject(new Error('away')) : database.pool.query(...asked)) as Queryable['query'];
    const requests = open({ query });
    requests.count(1, ['DE']);
    await requests.flush();
    requests.count(1, ['DE']);
    expect(await counted()).toEqual([]);
    away = false;
    await requests.flush();
    expect(await counted()).toMatchObject([{ source_value: 'DE', requests: 2 }]);
  });
});
