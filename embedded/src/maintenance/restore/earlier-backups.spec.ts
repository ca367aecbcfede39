/** Tests that backups of each earlier version of the database can be restored into the present version. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPool, generateSigningKey, migrateTo, migrationNames, type Pool } from '@rdm/platform';
import { PurgedEvents } from '@rdm/platform/event-store/purged-events';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RunningPostgres, startPostgres } from '../../postgres/postgres.ts';
import { createBackup } from '../backup.ts';
import { readBackup } from '../format/reader.ts';
import type { LogSource } from '../log-source.ts';
import { tablesToCopy } from '../tables.ts';
import { fillDatabase } from './new-database.ts';

/** The index of the last migration of the first version that could make backups. */
const FIRST = migrationNames.indexOf('0037-backups');
const SCHEMAS = ['platform', 'identity', 'command', 'jobs', 'telemetry', 'cache'];

async function* noEvents() {}

const emptyLog: LogSource = {
  head: async () => null,
  purged: async () => new PurgedEvents({ read: noEvents }),
  bytesUpTo: () => 0,
  events: () => [],
};

let root: string;
let servers: RunningPostgres[];
let earlier: Pool;
let present: Pool;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'rdm-earlier-'));
  chmodSync(root, 0o700);
  writeFileSync(join(root, 'signing-key.pem'), generateSigningKey());
  servers = [];
  for (const name of ['earlier', 'present'])
    servers.push(await startPostgres({ dir: join(root, name), log: () => {} }));
  [earlier, present] = servers.map(({ url }) => createPool(url, { max: 2 })) as [Pool, Pool];
});
afterAll(async () => {
  for (const pool of [earlier, present]) await pool?.end();
  for (const server of servers) await server.stop();
  rmSync(root, { recursive: true, force: true });
});
beforeEach(async () => {
  for (const pool of [earlier, present]) {
    await pool.query(`DROP SCHEMA IF EXISTS ${SCHEMAS.join(', ')} CASCADE`);
  }
});

async function addRows(pool: Pool): Promise<void> {
  await pool.query(`INSERT INTO identity.users (id, username, email, auth_provider, password_hash)
    VALUES (7, 'noor', 'noor@example.com', 'local', 'a hash')`);
  await pool.query(`INSERT INTO identity.password_history (user_id, password_hash) VALUES (7, 'an earlier hash')`);
  await pool.query(`INSERT INTO jobs.logs (job_id, level, message) VALUES (3, 'INFO', 'a line\twith a tab')`);
  await pool.query(`SELECT setval('command.instance_ids', 41)`);
}

/** The cells of 1,001 staged rows, which need two events. */
const STAGED_CELLS = Array.from({ length: 1_001 }, (_, index) => JSON.stringify([`Ä "${index}"`, index, null, true]));

/** Adds a piece of an unfinished import in the form before the migration of staged rows. */
async function addStagedRows(pool: Pool): Promise<void> {
  const sequences = STAGED_CELLS.map((_, index) => 5 + 2 * index);
  await pool.query(
    `INSERT INTO command.staged_rows (job_id, attempt, bucket, number, lines, keys, cells, sequences)
     VALUES (3, 1, 7, 0, '[]', '[]', $1, $2)`,
    [`[${STAGED_CELLS.join(',\n')}]`, sequences],
  );
}

/** The columns of staged rows that migrations have removed. */
const REMOVED = ['cells', 'sequences', 'keys'];

/** Returns the rows of all copied tables, without the columns that later migrations add or remove. */
async function contentOf(
  pool: Pool,
  tables: { name: string; columns: string[] }[],
): Promise<Record<string, unknown[]>> {
  const content: Record<string, unknown[]> = {};
  for (const { name, columns } of tables) {
    const { rows } = await pool.query(
      `SELECT ${columns
        .filter((column) => name !== 'command.staged_rows' || !REMOVED.includes(column))
        .map((column) => `"${column}"`)
        .join(', ')} FROM ${name} t ORDER BY t::text`,
    );
    content[name] = rows;
  }
  return content;
}

describe('a backup of the database as it was after migration', () => {
  it.each(migrationNames.slice(FIRST))('%s is restored and migrated', async (name) => {
    const [from, into] = servers as [RunningPostgres, RunningPostgres];
    const applied = migrationNames.slice(0, migrationNames.indexOf(name) + 1);
    await migrateTo(from.url, applied);
    await addRows(earlier);
    const hasEarlierStagedRows = !applied.includes('0041-staged-rows-with-ids');
    if (hasEarlierStagedRows) await addStagedRows(earlier);
    const { fileName } = await createBackup({
      ...{ folder: join(root, 'backups'), pool: earlier, source: emptyLog },
      ...{ signingKeyFile: join(root, 'signing-key.pem'), productVersion: '0.1.0', sessionSecret: 's'.repeat(32) },
      pauseFactor: 0,
    });
    const parts = readBackup(join(root, 'backups', fileName), {})[Symbol.asyncIterator]();
    await fillDatabase(into.url, present, parts, () => {});

    const tables = await tablesToCopy(earlier);
    const before = await contentOf(earlier, tables);
    expect(before['identity.users']).toHaveLength(1);
    expect(before['jobs.logs']).toHaveLength(1);
    expect(await contentOf(present, tables)).toEqual(before);
    const staged = await present.query<{ rows: Buffer }>('SELECT rows FROM command.staged_rows');
    expect(staged.rows.map(({ rows }) => rows.toString())).toEqual(
      hasEarlierStagedRows
        ? [
            STAGED_CELLS.map((cells, index) => {
              const separator = index === 0 ? '' : index === 1_000 ? ',\n\n' : ',\n';
              return `${separator}[${(5 + 2 * index) * 64 + 7},${cells.slice(1)}`;
            }).join(''),
          ]
        : [],
    );
    const { rows } = await present.query('SELECT name FROM platform.migrations ORDER BY id');
    expect(rows.map((each: { name: string }) => each.name)).toEqual(migrationNames);
    expect((await present.query(`SELECT nextval('command.instance_ids')::int AS next`)).rows).toEqual([{ next: 42 }]);
  });
});
