/** Tests that a slow search without an index is limited to the first rows, with a lower bound as total. */
import { createLog, createPool } from '@rdm/platform';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SpecDatabase, startDatabase } from '../../fixtures/database.ts';
import { openBuilds } from '../../read-models/builds.ts';
import { openPostgresNotifications } from '../../read-models/postgres-notifications.ts';
import { openReadModels, type ReadModels } from '../../read-models/read-models.ts';
import { SearchCancelled } from '../../read-models/regex-turns.ts';
import { markRegex, sql } from '../../read-models/sql.ts';
import { listJson } from '../list.ts';
import type { ListDefinition } from '../list-definition.ts';

let database: SpecDatabase;
let readModels: ReadModels;
const ends: (() => Promise<void>)[] = [];

beforeAll(async () => {
  database = await startDatabase();
  await database.pool.query(`
    CREATE TABLE many AS SELECT n AS id, 'row ' || n AS label FROM generate_series(1, 200010) n;
    ALTER TABLE many ADD PRIMARY KEY (id); ANALYZE many`);
  const log = createLog('spec', 'silent');
  const notifications = await openPostgresNotifications(database.url, log);
  const builds = await openBuilds(database.pool, notifications, log);
  const pool = createPool(database.url, { max: 1, statementTimeoutMs: 4_000 });
  readModels = openReadModels({ pool, regexPool: pool, searchPool: pool, downloadPool: pool, builds });
  ends.push(
    async () => builds.close(),
    notifications.close,
    () => pool.end(),
  );
}, 60_000);
afterAll(async () => {
  for (const end of ends) await end();
  await database.stop();
});

/** An expression that sleeps for rows after the first 200,000. */
const slow = sql`(CASE WHEN t.id > 200000 THEN pg_sleep(600)::text ELSE t.label END)`;
const definition: ListDefinition = {
  from: sql`many t`,
  where: sql`true`,
  columns: { id: sql`t.id` },
  alwaysSelected: ['id'],
  fields: new Map([
    ['slow', { sql: slow, dataType: 'string' as const }],
    ['regex', { sql: markRegex(slow), dataType: 'string' as const }],
  ]),
  search: [slow],
  id: sql`t.id`,
  isFetchedById: true,
  defaultSort: { sql: sql`t.id`, order: 'ASC' },
};
const requestOf = (narrow: { q?: string; filter?: string }) => ({
  query: { page: 1, pageSize: 2, order: 'ASC' as const, ...narrow },
});
const list = async (narrow: { q?: string; filter?: string }) =>
  JSON.parse((await listJson(readModels, requestOf(narrow), () => definition)).json ?? '');

describe('a search that takes too long', () => {
  it('finds the matches in the first 200,000 rows, and returns a lower bound as total', async () => {
    expect(await list({ q: '99999' })).toMatchObject({
      items: [{ id: 99_999 }, { id: 199_999 }],
      total: { atLeast: 2 },
    });
  });

  it('is cancelled if it has a regular expression', async () => {
    const filter = JSON.stringify({ conditions: [{ field: 'regex', operator: 'regex', value: 'z' }] });
    await expect(list({ filter })).rejects.toBeInstanceOf(SearchCancelled);
  });
});
