/** Pools and transactions of PostgreSQL, and migrations of the tables that belong to no projection. */
import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import { setLeaderPriority } from '../service/priority.ts';
import { migrationNames, migrations, onlyMigrations } from './migrations/index.ts';

export { migrationNames };

export type Pool = pg.Pool;
export type Client = pg.PoolClient;
/** The connection of a query: the pool, or a client within a transaction. */
export type Queryable = Pick<pg.Pool, 'query'>;

// Ids, counts and seqs are bigint columns whose values are safe integers: read them as numbers.
function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error(`${text} is beyond the safe integers: cast it to text in SQL`);
  return value;
}
pg.types.setTypeParser(pg.types.builtins.INT8, safeInteger);
// The driver has a parser for arrays of bigint, but its types only list the parsers of single values.
const INT8_ARRAY = 1016 as typeof pg.types.builtins.INT8;
const parseTexts = pg.types.getTypeParser(INT8_ARRAY) as unknown as (text: string) => string[];
pg.types.setTypeParser(INT8_ARRAY, (text) => parseTexts(text).map(safeInteger));
pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number);
// Dates stay texts, because a JavaScript Date would move them to another day in some time zones.
pg.types.setTypeParser(pg.types.builtins.DATE, (text) => text);

/** All numbers of advisory locks, so that each number is used once. Locks per user or job hash a text instead. */
export const ADVISORY_LOCKS = {
  migrations: 7_234_001,
  projectorLeadership: 7_234_002,
  outboxRelay: 7_234_003,
  /** Held by a backup, restore, purge or scavenge, because only one of them may run at a time. */
  maintenance: 7_234_004,
} as const;

/**
 * A restore with another session secret stores this in place of all body hashes, because the session secret is the key
 * of the hashes. A request with the idempotency key and the name of such a command counts as a repetition.
 */
export const UNKNOWN_BODY_HASH = '';

export interface PoolOptions {
  /** The maximum number of connections; 10 by default. */
  max?: number;
  statementTimeoutMs?: number;
  /** The time after which an idle connection is closed; ten seconds by default. */
  idleTimeoutMs?: number;
  /** The application name that PostgreSQL shows. */
  name?: string;
  /** Settings for the sessions of the pool, in the form of server command-line options. */
  settings?: string;
  /** Whether other pools have priority over this pool; only for a PostgreSQL on this machine. */
  isLowPriority?: boolean;
}

/** The niceness of a low-priority pool's server processes. A higher value could make a simple search time out. */
const LOW_PRIORITY = 10;

/** Creates a pool that replaces lost idle connections. */
export function createPool(url: string, options: PoolOptions = {}): Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.max ?? 10,
    application_name: options.name ?? 'reference-data',
    ...(options.idleTimeoutMs === undefined ? {} : { idleTimeoutMillis: options.idleTimeoutMs }),
    ...(options.statementTimeoutMs === undefined ? {} : { statement_timeout: options.statementTimeoutMs }),
    ...(options.settings === undefined ? {} : { options: options.settings }),
  });
  // An error event without a listener would end the process. The pool replaces the broken connection.
  const ignoreError = () => undefined;
  pool.on('error', ignoreError);
  pool.on('connect', (client) => {
    client.on('error', ignoreError);
    if (options.isLowPriority) lowerServerPriority(client);
  });
  return pool;
}

/** Each server process of PostgreSQL leads a session. */
function lowerServerPriority(client: pg.ClientBase): void {
  const { processID } = client as pg.ClientBase & { processID: number };
  setLeaderPriority(processID, LOW_PRIORITY);
}

/** Runs work in one transaction. An error rolls the transaction back. */
export async function transaction<T>(pool: Pool, work: (client: Client) => Promise<T>, begin = 'BEGIN'): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query(begin);
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch((failed: Error) => {
      broken = failed;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

/** Migrates the vault and the infrastructure tables. Each service calls this at its start, one service at a time. */
export async function migrate(url: string): Promise<void> {
  const lock = new pg.Client({ connectionString: url });
  await lock.connect();
  try {
    await lock.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCKS.migrations]);
    if (!(await isMigrated(lock))) await runMigrations(url);
  } finally {
    await lock.end();
  }
}

async function isMigrated(db: pg.Client): Promise<boolean> {
  const { rows: tables } = await db.query(
    `SELECT FROM pg_tables WHERE schemaname = 'platform' AND tablename = 'migrations'`,
  );
  if (tables.length === 0) return false;
  const { rows } = await db.query<{ name: string }>('SELECT name FROM platform.migrations ORDER BY id');
  return isDeepStrictEqual(
    rows.map(({ name }) => name),
    migrationNames,
  );
}

/** Creates the tables of a backup in an empty database: runs the migrations with these names. */
export async function migrateTo(url: string, names: readonly string[]): Promise<void> {
  await runMigrations(url, onlyMigrations(names));
}

/** Runs the migrations. Throws if a newer version of the product has migrated the database. */
async function runMigrations(url: string, source = migrations): Promise<void> {
  // Loading knex takes a fifth of a service's start (330 files), and most starts migrate nothing.
  const { default: knex } = await import('knex');
  const db = knex({ client: 'pg', connection: url, pool: { min: 0, max: 1 } });
  try {
    await db.raw('CREATE SCHEMA IF NOT EXISTS platform');
    await db.migrate.latest({
      migrationSource: source,
      schemaName: 'platform',
      tableName: 'migrations',
      disableMigrationsListValidation: false,
    });
  } finally {
    await db.destroy();
  }
}
