/** Removes the bytes of deleted rows from the files of PostgreSQL, and empties the log files of the product. */
import { readdir, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pool } from '@rdm/platform';

const INSUFFICIENT_PRIVILEGE = '42501';

const isDenied = (error: unknown): boolean => (error as { code?: string }).code === INSUFFICIENT_PRIVILEGE;

/**
 * Rewrites the tables and the statistics, and ends the current segment of the write-ahead log. Returns the places where
 * deleted bytes may remain, as sentences for the operator.
 */
export async function cleanPostgres(pool: Pool, tables: readonly string[]): Promise<string[]> {
  const leftovers: string[] = [];
  /** Runs a statement, or reports the leftover if the database user lacks the right. */
  const attempt = async (statement: string, leftover: string) => {
    try {
      await pool.query(statement);
    } catch (error) {
      if (!isDenied(error)) throw error;
      leftovers.push(leftover);
    }
  };
  for (const table of tables) await pool.query(`VACUUM (FULL, ANALYZE) ${table}`);
  // The right is checked first, because VACUUM without the right only warns.
  const { rows } = await pool.query<{ mayVacuum: boolean }>(
    `SELECT CASE WHEN current_setting('server_version_num')::integer >= 170000
            THEN pg_has_role('pg_maintain', 'USAGE') ELSE r.rolsuper END AS "mayVacuum"
       FROM pg_roles r WHERE r.rolname = current_user`,
  );
  if (rows[0]?.mayVacuum) await pool.query('VACUUM FULL pg_statistic');
  else leftovers.push('PostgreSQL: statistics of columns. Run VACUUM FULL pg_statistic as a superuser.');
  await attempt(
    'SELECT pg_switch_wal()',
    'PostgreSQL: the write-ahead log. Run SELECT pg_switch_wal() and CHECKPOINT.',
  );
  // PostgreSQL removes a segment at the second checkpoint after the end of the segment.
  for (let time = 0; time < 2; time += 1) {
    await attempt('CHECKPOINT', 'PostgreSQL: the write-ahead log. Run CHECKPOINT twice as a superuser.');
  }
  const walSettings = await pool.query<{ recycle: string; archive: string }>(
    `SELECT current_setting('wal_recycle') AS recycle, current_setting('archive_mode') AS archive`,
  );
  if (walSettings.rows[0]?.recycle !== 'off') {
    leftovers.push('PostgreSQL: recycled segments of the write-ahead log. Set wal_recycle to off.');
  }
  if (walSettings.rows[0]?.archive !== 'off') leftovers.push('PostgreSQL: archived segments of the write-ahead log.');
  return [...new Set(leftovers)];
}

/**
 * Empties the log files in the data folder, including rotated files. Without a data folder, returns a sentence for the
 * operator about the log files to delete.
 */
export async function emptyLogFiles(dataDir: string | undefined): Promise<string[]> {
  if (dataDir === undefined) return ['The log files of the services: delete them on their machines.'];
  const folder = join(dataDir, 'logs');
  for (const name of await namesIn(folder)) {
    const path = join(folder, name);
    if ((await stat(path)).isFile()) await truncate(path, 0);
  }
  return [];
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Returns the size of the database in bytes. */
export async function databaseBytes(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ bytes: number }>('SELECT pg_database_size(current_database()) AS bytes');
  return rows[0]?.bytes ?? 0;
}
