/** How fast all read models are built anew from the event store, against a projector with one row and one transaction per event. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { startEventStoreProcess } from '@rdm/embedded/event-store/spawn';
import { startPostgres } from '@rdm/embedded/postgres';
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
import { lifeOf } from '../stories/projector/life.ts';
import { type BenchResult, type Compared, compare, type Load, machine, markdown } from './measure.ts';

export interface ReplayBenchOptions {
  readonly rounds?: number;
  /** About so many events. */
  readonly events?: number;
}

/** The ratio asked for: eight times the reference's rows, in events. */
const BAR = 8;
const REFERENCE_ROWS = 2_000;
const APPENDS_IN_FLIGHT = 64;
const BATCH = 100;

export async function replay(options: ReplayBenchOptions = {}): Promise<BenchResult> {
  const { rounds = 5, events: wanted = 50_000 } = options;
  const directory = mkdtempSync(join(tmpdir(), 'rdm-bench-replay-'));
  const storeProcess = await startEventStoreProcess({ dir: join(directory, 'events'), output: 'ignore' });
  const postgres = await startPostgres({ dir: join(directory, 'postgres'), log: () => undefined });
  const pool = createPool(postgres.url);
  const store = connectEventStore(storeProcess.url);
  const stopping = new AbortController();
  try {
    await migrate(postgres.url);
    await pool.query('CREATE TABLE bench_rows (id bigint PRIMARY KEY, data json, position text)');
    await pool.query('CREATE TABLE bench_checkpoint (seq bigint); INSERT INTO bench_checkpoint VALUES (0)');
    // Steps tell two events and more on average; imports of few rows, so that an event is about a row.
    const events = lifeOf(1, Math.round(wanted / 2.2), 6);
    await appendAll(store, events);
    const projector = createProjector({
      databaseUrl: postgres.url,
      store,
      log: createLog('bench', 'silent'),
      projections,
      graceMs: 0,
      progress: { batch: () => undefined, caughtUp: () => undefined },
    });
    const running = projector.run(stopping.signal);
    await until(pool, 'SELECT seq >= $1 AS yes FROM platform.reader', events.length);
    const product = () => rebuildAll(projector, pool, events.length);
    const reference = () => rowByRow(pool, events);
    const name = `${events.length} events, ${projections.length} projections`;
    const inEvents = await compare(name, rounds, product, reference, BAR);
    const rows = [inEvents, inRows(inEvents, (await rowsWritten(pool)) / events.length)];
    stopping.abort();
    await running;
    return { bench: 'replay', reference: 'one row and one transaction per event', machine: machine(), rows };
  } finally {
    stopping.abort();
    await pool.end();
    await postgres.stop();
    await storeProcess.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Writes the log: streams side by side, each in its order. */
async function appendAll(store: EventStore, events: readonly LoggedEvent[]): Promise<void> {
  const byStream = new Map<string, LoggedEvent[]>();
  for (const event of events) {
    const own = byStream.get(event.stream);
    if (own) own.push(event);
    else byStream.set(event.stream, [event]);
  }
  const waiting = [...byStream].values();
  const lane = async () => {
    for (const [stream, own] of waiting) {
      for (let at = 0; at < own.length; at += BATCH) {
        await store.append(stream, own.slice(at, at + BATCH), at === 0 ? 'NO_STREAM' : at - 1);
      }
    }
  };
  await Promise.all(Array.from({ length: APPENDS_IN_FLIGHT }, lane));
}

async function until(pool: Pool, question: string, ...values: unknown[]): Promise<void> {
  while (!(await pool.query(question, values)).rows[0]?.yes) await pause(10);
}

/** From asking for new builds of everything until the last of them serves. */
async function rebuildAll(projector: Projector, pool: Pool, events: number): Promise<Load> {
  const begin = performance.now();
  const builds = (await projector.rebuilding?.rebuild(...projections)) ?? [];
  const schemas = builds.map(({ schema }) => schema);
  await until(
    pool,
    'SELECT count(*) = $2 AS yes FROM platform.builds WHERE serving AND schema_name = ANY($1)',
    schemas,
    projections.length,
  );
  return loadOf(events, performance.now() - begin);
}

/** Rows in all tables of the builds that serve: what the events came to. */
async function rowsWritten(pool: Pool): Promise<number> {
  const { rows } = await pool.query(
    `SELECT sum((xpath('/row/n/text()', query_to_xml(format('SELECT count(*) AS n FROM %s', c.oid::regclass),
                                                      false, true, '')))[1]::text::bigint)::int AS rows
       FROM pg_class c JOIN platform.builds ON schema_name = relnamespace::regnamespace::text AND serving
      WHERE relkind = 'r'`,
  );
  return rows[0].rows;
}

/** The same runs counted in rows, as the reference is: an event comes to several, in several read models. */
function inRows(inEvents: Compared, rowsPerEvent: number): Compared {
  return {
    name: `the same, in rows (${rowsPerEvent.toFixed(1)} an event)`,
    product: inEvents.product.map((run) => ({ ...run, perSecond: run.perSecond * rowsPerEvent })),
    reference: inEvents.reference,
    ratios: inEvents.ratios.map((ratio) => ratio * rowsPerEvent),
  };
}

/** What a projector without batches does: begin, upsert, checkpoint, commit. */
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
  const result = await replay();
  console.log(`${markdown(result)}\n\n${JSON.stringify(result)}`);
  process.exit(0);
}
