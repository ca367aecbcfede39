/**
 * Verifies a backup by a restore while the product runs (docs/decisions/0092): fills new stores, builds the read models
 * with a separate projector, and compares these read models as of the cut with the served read models.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createPool, type Pool, type Queryable, transaction } from '@rdm/platform';
import { startPostgres } from '../postgres/postgres.ts';
import { damaged, MaintenanceError } from './errors.ts';
import { type EntrySummary, tableOfEntry } from './format/entries.ts';
import { type FreeSpace, freeSpaceOf, outOfSpace } from './free-space.ts';
import { buildReadModels } from './restore/build-read-models.ts';
import { scratchFolder } from './restore/complete.ts';
import { fillStores } from './restore/fill-stores.ts';
import { openNewLog } from './restore/new-log.ts';
import { type VerifiedBackup, type VerifyOptions, verifyFile } from './verify-file.ts';

export interface VerifyByRestoreOptions extends VerifyOptions {
  dataDir: string;
  /** The database of the running product. */
  live: Pool;
  /** Replaced by tests. */
  freeSpace?: FreeSpace;
}

export interface RestoredCopy {
  /** The number of tables in the backup. Each table is compared by its number of rows. */
  tables: number;
  /** The number of tables of read models that can be read as of the cut, including tables that were not compared. */
  readModels: number;
}

/**
 * Verifies a backup in new stores, and deletes the stores afterwards. Rejects with a `MaintenanceError` if the file is
 * damaged or cannot be used, if a restored read model differs from the served one, if the projector ends early, or if
 * the disk has too little space. Rejects with the reason of `signal` if it is aborted.
 */
export async function verifyByRestore(file: string, options: VerifyByRestoreOptions): Promise<RestoredCopy> {
  const { dataDir, freeSpace = freeSpaceOf, signal, onProgress } = options;
  // The progress has three thirds: reading the file, filling the stores, projecting.
  const inThirds = (third: number) => (progress: { done: number; total: number }) =>
    onProgress?.({ done: third * progress.total + progress.done, total: 3 * progress.total });
  const verified = await verifyFile(file, { ...options, onProgress: inThirds(0) });
  const needed = 2 * verified.trailer.entries.reduce((sum, { bytes }) => sum + bytes, 0);
  const { free } = await freeSpace(dataDir);
  if (free < needed) throw outOfSpace(dataDir, `${free} bytes are free and ${needed} are needed`);
  const folder = scratchFolder(dataDir, randomBytes(4).toString('hex'));
  mkdirSync(folder, { mode: 0o700 });
  try {
    const { url, stop } = await startPostgres({ dir: join(folder, 'postgres'), log: () => {} });
    const pool = createPool(url, { max: 2, name: 'verify', statementTimeoutMs: 0 });
    const directory = join(folder, 'event-store');
    try {
      const log = await openNewLog(directory);
      try {
        const fill = { file, signal, passphrase: options.passphrase, onProgress: inThirds(1) };
        await fillStores(fill, { url, pool, log, onKey: () => {} }, verified);
      } finally {
        await log.close();
      }
      await compareRows(pool, verified);
      const { seq } = verified.trailer.cut;
      await buildReadModels({ directory, url, pool, seq, signal, onProgress: inThirds(2) });
      const tables = verified.header.tables.length;
      return { tables, readModels: await compareReadModels(pool, options.live, verified) };
    } finally {
      await pool.end();
      await stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function compareRows(copy: Pool, { header, trailer }: VerifiedBackup): Promise<void> {
  const rowsOf = rowsByTable(trailer.entries);
  for (const { name } of header.tables) {
    const { rows } = await copy.query<{ count: number }>(`SELECT count(*) AS count FROM ${name}`);
    const [restored, backedUp] = [rows[0]?.count ?? 0, rowsOf.get(name) ?? 0];
    if (restored !== backedUp)
      throw damaged(`tables/${name}`, `${backedUp} rows were backed up, and ${restored} are restored`);
  }
}

function rowsByTable(entries: readonly EntrySummary[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { name, rows } of entries) {
    const table = tableOfEntry(name);
    if (table !== undefined) counts.set(table, (counts.get(table) ?? 0) + rows);
  }
  return counts;
}

interface ReadModelTable {
  /** The name of the table, with the name and the version of its projection. */
  name: string;
  /** The SQL for the rows as of the cut. */
  rows: string;
}

/**
 * Compares the tables that can be read as of an earlier seq: versioned tables, and the audit log. Other tables are
 * not compared: the same code builds them from the same events. Returns the number of comparable tables in the copy,
 * including tables that were not compared.
 */
async function compareReadModels(copy: Pool, live: Pool, { trailer }: VerifiedBackup): Promise<number> {
  const { seq, chainHash } = trailer.cut;
  const tables = await comparableTables(copy, seq);
  const detached = await detachedProjections(copy);
  const detachedLive = await detachedProjections(live);
  const failed = detached.find((name) => !detachedLive.includes(name));
  if (failed !== undefined) throw damaged('log', `the read model ${failed} could not be built from it`);
  // The chain differs if another installation made the backup, or if a restore has replaced the live log.
  if (!(await hasChain(live, seq, chainHash))) return tables.size;
  // After a later purge, the file still contains events that the live log no longer has.
  if (await isPurgedSince(live, seq)) return tables.size;
  const served = await comparableTables(live, seq);
  for (const [name, rows] of tables) {
    const servedRows = served.get(name);
    if (servedRows === undefined) continue; // the live build has another version or is detached
    const [restored, expected] = [await contentOf(copy, rows), await contentOf(live, servedRows)];
    if (restored !== expected) throw differs(name, seq);
  }
  return tables.size;
}

function differs(name: string, seq: number): MaintenanceError {
  const message = `The read model ${name} of the restored copy differs from the served read model, as of event ${seq}. Rebuild the read models on the Monitor and verify again: if the read model still differs, the file is damaged.`;
  return new MaintenanceError('BACKUP_DAMAGED', message);
}

async function detachedProjections(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `SELECT name FROM platform.builds WHERE serving AND state = 'DETACHED'`,
  );
  return rows.map(({ name }) => name);
}

/** Returns the SQL for the rows of comparable tables, by projection, version and table. */
async function comparableTables(db: Queryable, seq: number): Promise<Map<string, string>> {
  const { rows } = await db.query<ReadModelTable>(
    `SELECT format('%s (%s %s)', t.tablename, b.name, b.version) AS name,
            CASE WHEN f.oid IS NOT NULL THEN format('%I.%I(${seq})', t.schemaname, f.proname)
                 ELSE format('(SELECT * FROM %I.%I WHERE seq <= ${seq})', t.schemaname, t.tablename) END AS rows
       FROM platform.builds b
       JOIN pg_tables t ON t.schemaname = b.schema_name
       LEFT JOIN pg_proc f ON f.pronamespace = b.schema_name::regnamespace AND f.proname = t.tablename || '_as_of'
      WHERE b.serving AND b.state = 'SERVING' AND (f.oid IS NOT NULL OR (b.name, t.tablename) = ('audit_log', 'audit_logs'))
      ORDER BY 1`,
  );
  return new Map(rows.map(({ name, rows: source }) => [name, source]));
}

async function auditSchema(live: Queryable): Promise<string | undefined> {
  const { rows } = await live.query<{ schema: string }>(
    `SELECT schema_name AS schema FROM platform.builds WHERE serving AND name = 'audit_log'`,
  );
  return rows[0]?.schema;
}

async function isPurgedSince(live: Queryable, seq: number): Promise<boolean> {
  const { rowCount } = await live.query(
    `SELECT FROM ${await auditSchema(live)}.audit_logs WHERE seq > $1 AND type = 'PurgeRegistered' LIMIT 1`,
    [seq],
  );
  return rowCount !== 0;
}

async function hasChain(live: Queryable, seq: number, chainHash: string): Promise<boolean> {
  const schema = await auditSchema(live);
  if (schema === undefined) return false;
  const { rows } = await live.query<{ hash: string }>(
    `SELECT chain_hash AS hash FROM ${schema}.audit_logs WHERE seq = $1`,
    [seq],
  );
  return rows[0]?.hash === chainHash;
}

/** Returns the number of rows and the sum of their hashes, which does not depend on the order of the rows. */
const contentOf = (pool: Pool, source: string): Promise<string> =>
  transaction(pool, async (client) => {
    await client.query(`SET LOCAL statement_timeout = 0; SET LOCAL timezone = 'UTC'; SET LOCAL extra_float_digits = 1`);
    const { rows } = await client.query<{ content: string }>(
      `SELECT count(*) || ' ' || coalesce(sum(hashtextextended(t::text, 0)::numeric), 0) AS content FROM ${source} t`,
    );
    return rows[0]?.content ?? '';
  });
