/**
 * Compares rebuilds of all read models with a reference of one transaction per row. Also compares rebuilds with and
 * without events of other applications in the log.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { startEventStoreProcess } from '@rdm/embedded/event-store/spawn';
import { startPostgres } from '@rdm/embedded/postgres/postgres';
import {
  connectEventStore,
  createLog,
  createPool,
  type EventStore,
  type LoggedEvent,
  migrate,
  type Pool,
} from '@rdm/platform';
import { createProjector, type Projector, projections } from '@rdm/projector';
import { loggedHistory } from '../stories/projector/generated-history.ts';
import { type BenchResult, type Compared, compare, describeMachine, type Load, toMarkdown } from './measure.ts';

export interface ReplayBenchOptions {
  readonly rounds?: number;
  /** The approximate number of events. */
  readonly events?: number;
}

/** The required ratio of events per second to rows per second of the reference. */
const LIMIT = 8;
const REFERENCE_ROWS = 2_000;
const APPENDS_IN_FLIGHT = 64;
const BATCH = 100;
/** The share of the events that the measurement with events of other applications uses. */
const SHARED_PART = 0.4;
const FOREIGN_PER_EVENT = 9;
const FOREIGN_DATA = { text: 'x'.repeat(200) };
/** The required ratio for the shared log: a rebuild may take at most 1.2 times as long. */
const SHARED_LIMIT = 1 / 1.2;

export async function measureReplay(options: ReplayBenchOptions = {}): Promise<BenchResult> {
  const { rounds = 5, events: eventCount = 50_000 } = options;
  const directory = mkdtempSync(join(tmpdir(), 'rdm-bench-replay-'));
  const postgres = await startPostgres({ dir: join(directory, 'postgres'), log: () => undefined });
  const sources: ReplaySource[] = [];
  const open = async (name: string, events: readonly LoggedEvent[], foreignPerEvent = 0) => {
    const source = await openSource(join(directory, name), databaseOf(postgres.url, name), events, foreignPerEvent);
    sources.push(source);
    return source;
  };
  try {
    for (const name of ['own', 'alone', 'shared']) {
      const pool = createPool(postgres.url);
      await pool.query(`CREATE DATABASE ${name}`);
      await pool.end();
    }
    // A step generates about 2.2 events on average; imports are small, so that an event contains about one row.
    const events = loggedHistory(1, Math.round(eventCount / 2.2), 6);
    const own = await open('own', events);
    const { pool } = own;
    await pool.query('CREATE TABLE bench_rows (id bigint PRIMARY KEY, data json, position text)');
    await pool.query('CREATE TABLE bench_checkpoint (seq bigint); INSERT INTO bench_checkpoint VALUES (0)');
    const projectRowByRow = () => rowByRow(pool, events);
    const name = `${events.length} events, ${projections.length} projections`;
    const inEvents = await compare(name, rounds, () => rebuildAll(own), projectRowByRow, LIMIT);
    const subset = events.slice(0, Math.round(events.length * SHARED_PART));
    const [alone, shared] = [await open('alone', subset), await open('shared', subset, FOREIGN_PER_EVENT)];
    const foreignCount = subset.length * FOREIGN_PER_EVENT;
    const inShared = await compare(
      `${subset.length} events among ${foreignCount} of others, compared with the same events alone`,
      rounds,
      () => rebuildAll(shared),
      () => rebuildAll(alone),
      SHARED_LIMIT,
    );
    const rows = [inEvents, convertToRows(inEvents, (await countRows(pool)) / events.length), inShared];
    return { bench: 'replay', reference: 'one row and one transaction per event', machine: describeMachine(), rows };
  } finally {
    for (const source of sources) await source.close();
    await postgres.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** A log in its own event store, with a projector that has projected all events. */
interface ReplaySource {
  projector: Projector;
  pool: Pool;
  count: number;
  close(): Promise<void>;
}

function databaseOf(url: string, name: string): string {
  const database = new URL(url);
  database.pathname = `/${name}`;
  return database.href;
}

async function openSource(
  dir: string,
  databaseUrl: string,
  events: readonly LoggedEvent[],
  foreignPerEvent: number,
): Promise<ReplaySource> {
  const storeProcess = await startEventStoreProcess({ dir, output: 'ignore' });
  await migrate(databaseUrl);
  const pool = createPool(databaseUrl);
  const store = connectEventStore(storeProcess.url);
  const stopping = new AbortController();
  const otherClient = EventStoreDBClient.connectionString(storeProcess.url);
  await appendAll(store, events, async (count) => {
    const batch = Array.from({ length: count * foreignPerEvent }, () =>
      jsonEvent({ type: 'Happened', data: FOREIGN_DATA }),
    );
    if (batch.length > 0) await otherClient.appendToStream(`others-${randomUUID()}`, batch);
  });
  await otherClient.dispose();
  const projector = createProjector({
    databaseUrl,
    store,
    log: createLog('bench', 'silent'),
    projections,
    graceMs: 0,
    progress: { onBatch: () => undefined, onCaughtUp: () => undefined },
  });
  const running = projector.run(stopping.signal);
  await waitUntil(pool, 'SELECT seq >= $1 AS yes FROM platform.reader', events.length);
  return {
    projector,
    pool,
    count: events.length,
    async close() {
      stopping.abort();
      await running;
      await pool.end();
      await store.close();
      await storeProcess.stop();
    },
  };
}

/** Appends streams concurrently, and the events of each stream in order. Calls `appended` after each batch. */
async function appendAll(
  store: EventStore,
  events: readonly LoggedEvent[],
  appended: (count: number) => Promise<void>,
): Promise<void> {
  const byStream = new Map<string, LoggedEvent[]>();
  for (const event of events) {
    const streamEvents = byStream.get(event.stream);
    if (streamEvents) streamEvents.push(event);
    else byStream.set(event.stream, [event]);
  }
  const remainingStreams = [...byStream].values();
  const appendStreams = async () => {
    for (const [stream, streamEvents] of remainingStreams) {
      for (let start = 0; start < streamEvents.length; start += BATCH) {
        const batch = streamEvents.slice(start, start + BATCH);
        await store.append(stream, batch, start === 0 ? 'NO_STREAM' : start - 1);
        await appended(batch.length);
      }
    }
  };
  await Promise.all(Array.from({ length: APPENDS_IN_FLIGHT }, appendStreams));
}

async function waitUntil(pool: Pool, query: string, ...values: unknown[]): Promise<void> {
  while (!(await pool.query(query, values)).rows[0]?.yes) await pause(10);
}

/** Measures the time from the request to rebuild all read models until the last build serves. */
async function rebuildAll({ projector, pool, count }: ReplaySource): Promise<Load> {
  const begin = performance.now();
  const builds = (await projector.rebuilder?.rebuild(...projections)) ?? [];
  const schemas = builds.map(({ schema }) => schema);
  await waitUntil(
    pool,
    'SELECT count(*) = $2 AS yes FROM platform.builds WHERE serving AND schema_name = ANY($1)',
    schemas,
    projections.length,
  );
  return loadOf(count, performance.now() - begin);
}

/** Returns the number of rows in all tables of the serving builds. */
async function countRows(pool: Pool): Promise<number> {
  const { rows } = await pool.query(
    `SELECT sum((xpath('/row/n/text()', query_to_xml(format('SELECT count(*) AS n FROM %s', c.oid::regclass),
                                                      false, true, '')))[1]::text::bigint)::int AS rows
       FROM pg_class c JOIN platform.builds ON schema_name = relnamespace::regnamespace::text AND serving
      WHERE relkind = 'r'`,
  );
  return rows[0].rows;
}

/** Converts events per second to rows per second, because the reference counts rows. */
function convertToRows(inEvents: Compared, rowsPerEvent: number): Compared {
  return {
    name: `the same, in rows (${rowsPerEvent.toFixed(1)} an event)`,
    product: inEvents.product.map((run) => ({ ...run, perSecond: run.perSecond * rowsPerEvent })),
    reference: inEvents.reference,
    ratios: inEvents.ratios.map((ratio) => ratio * rowsPerEvent),
  };
}

/** Runs the reference: applies events like a projector without batches (begin, upsert, checkpoint, commit). */
async function rowByRow(pool: Pool, events: readonly LoggedEvent[]): Promise<Load> {
  const client = await pool.connect();
  try {
    const begin = performance.now();
    for (let index = 0; index < REFERENCE_ROWS; index += 1) {
      const event = events[index % events.length];
      await client.query('BEGIN');
      await client.query({
        name: 'bench upsert',
        text: `INSERT INTO bench_rows VALUES ($1, $2, $3)
               ON CONFLICT (id) DO UPDATE SET data = excluded.data, position = excluded.position`,
        values: [index, JSON.stringify(event?.data), String(event?.position)],
      });
      await client.query({ name: 'bench checkpoint', text: 'UPDATE bench_checkpoint SET seq = $1', values: [index] });
      await client.query('COMMIT');
    }
    return loadOf(REFERENCE_ROWS, performance.now() - begin);
  } finally {
    client.release();
  }
}

const loadOf = (count: number, elapsed: number): Load => ({
  perSecond: count / (elapsed / 1000),
  p50: elapsed,
  p99: elapsed,
});

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const result = await measureReplay();
  console.log(`${toMarkdown(result)}\n\n${JSON.stringify(result)}`);
  process.exit(0);
}
