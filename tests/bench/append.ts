/**
 * Measures appends per second through the official client, compared with INSERTs into PostgreSQL. Both embedded servers
 * sync every commit.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EventStoreDBClient, jsonEvent, NO_STREAM } from '@eventstore/db-client';
import { startEventStoreProcess } from '@rdm/embedded/event-store/spawn';
import { startPostgres } from '@rdm/embedded/postgres/postgres';
import pg from 'pg';
import { type BenchResult, type Compared, compare, describeMachine, load, toMarkdown } from './measure.ts';

export interface AppendBenchOptions {
  /** Default: an embedded event store. */
  readonly eventStoreUrl?: string;
  /** Default: an embedded PostgreSQL. */
  readonly databaseUrl?: string;
  readonly rounds?: number;
  /** Duration of each run. */
  readonly seconds?: number;
}

const IN_FLIGHT = [1, 16, 64, 256];
/** The required ratios by requests in flight: as fast as INSERT at 64, twice as fast at 256. */
const LIMITS: Readonly<Record<number, number>> = { 64: 1, 256: 2 };
/** Connections of the pool, fewer than the 100 that PostgreSQL accepts. Further requests wait for a connection. */
const MAX_CONNECTIONS = 64;
/** The data of an event: 500 bytes as JSON. */
const DATA = { text: 'x'.repeat(489) };

export async function measureAppends(options: AppendBenchOptions = {}): Promise<BenchResult> {
  const { rounds = 5, seconds = 1.5 } = options;
  const directory = mkdtempSync(join(tmpdir(), 'rdm-bench-append-'));
  const store = options.eventStoreUrl
    ? undefined
    : await startEventStoreProcess({ dir: join(directory, 'events'), output: 'ignore' });
  const postgres = options.databaseUrl
    ? undefined
    : await startPostgres({ dir: join(directory, 'postgres'), log: () => undefined });
  const client = EventStoreDBClient.connectionString(options.eventStoreUrl ?? store?.url ?? '');
  const pool = new pg.Pool({ connectionString: options.databaseUrl ?? postgres?.url, max: MAX_CONNECTIONS });
  // Ignore errors of idle connections, which a server closes when it stops. A failed query rejects its own promise.
  pool.on('error', () => undefined);
  try {
    await pool.query('CREATE TABLE bench_append (number bigserial PRIMARY KEY, stream text, type text, data text)');
    const rows: Compared[] = [];
    for (const inFlight of IN_FLIGHT) {
      const product = () => load({ inFlight, seconds, request: appender(client) });
      const reference = () => load({ inFlight, seconds, request: inserter(pool) });
      rows.push(await compare(`${inFlight} in flight`, rounds, product, reference, LIMITS[inFlight]));
    }
    const { rows: settings } = await pool.query('SHOW fsync');
    return {
      bench: 'append',
      reference: `INSERT through pg, fsync ${settings[0].fsync}`,
      machine: describeMachine(),
      rows,
    };
  } finally {
    await pool.query('DROP TABLE IF EXISTS bench_append');
    await pool.end();
    await client.dispose();
    await postgres?.stop();
    await store?.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Returns a function that appends to the stream of a lane (`LoadOptions`), at the expected revision, as commands do. */
function appender(client: EventStoreDBClient): (lane: number) => Promise<unknown> {
  const run = randomUUID();
  const revisions: bigint[] = [];
  return async (lane) => {
    const revision = revisions[lane];
    const event = jsonEvent({ type: 'Appended', data: DATA });
    const { nextExpectedRevision } = await client.appendToStream(`bench-${run}.${lane}`, event, {
      expectedRevision: revision ?? NO_STREAM,
    });
    revisions[lane] = nextExpectedRevision;
  };
}

function inserter(pool: pg.Pool): (lane: number) => Promise<unknown> {
  const text = JSON.stringify(DATA);
  const statement = 'INSERT INTO bench_append (stream, type, data) VALUES ($1, $2, $3)';
  return (lane) => pool.query({ name: 'append', text: statement, values: [`bench.${lane}`, 'Appended', text] });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { EVENTSTORE_URL: eventStoreUrl, DATABASE_URL: databaseUrl } = process.env;
  const result = await measureAppends({ ...(eventStoreUrl && { eventStoreUrl }), ...(databaseUrl && { databaseUrl }) });
  console.log(`${toMarkdown(result)}\n\n${JSON.stringify(result)}`);
}
