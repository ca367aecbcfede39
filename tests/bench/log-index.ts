/**
 * Compares a large log with a small one: start and memory of the event store, reads of random streams, and appends.
 * `--events` and `--streams` set the size of the large log. `--directory` is a folder that stores the large log for
 * later runs of the same size. `--against=<event-store.main.js>` also measures another build on this log.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { EventStoreDBClient, jsonEvent, NO_STREAM } from '@eventstore/db-client';
import { type EventStoreProcess, startEventStoreProcess } from '@rdm/embedded/event-store/spawn';
import { CommitGroup } from '@rdm/embedded/event-store/storage/commit-group';
import { type Disk, realDisk } from '@rdm/embedded/event-store/storage/disk';
import { openStore } from '@rdm/embedded/event-store/store';
import { compare, describeMachine, type Load, load, median, toMarkdown } from './measure.ts';

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '1000000' },
    streams: { type: 'string', default: '100000' },
    directory: { type: 'string' },
    against: { type: 'string' },
  },
});
const EVENTS = Number(values.events);
const STREAMS = Number(values.streams);
const ROUNDS = Number(process.env['ROUNDS'] ?? 3);
const SECONDS = 4;
/** The small log has 1/100 of the events and streams. */
const SMALL_DIVISOR = 100;
const MIB = 1024 * 1024;
/**
 * `read`, `append` and `create` are minimum rates as shares of the rates of the small log. Reads of the large log are
 * slower, because the events of a stream are in different segments.
 */
const LIMITS = { startSeconds: 3, residentMib: 300, read: 0.2, append: 0.5, create: 0.5 };

const DATA = Buffer.from(JSON.stringify({ text: 'x'.repeat(180) }));
const METADATA = Buffer.from(JSON.stringify({ $correlationId: randomUUID(), requestId: randomUUID() }));
const nameOf = (stream: number) => `referenceType-${stream}`;

interface Log {
  readonly directory: string;
  /** The last revision of each stream. */
  readonly heads: Int32Array;
}

/** Opens the log of an earlier run, or writes it. */
async function openLargeLog(directory: string): Promise<Log> {
  if (!existsSync(join(directory, 'checkpoint'))) return writeLog(directory, EVENTS, STREAMS);
  const store = await openStore({ directory, onFailure: () => process.exit(1) });
  const heads = Int32Array.from({ length: STREAMS }, (_, stream) => store.index.head(nameOf(stream)));
  await store.close();
  return { directory, heads };
}

/** Writes events to random streams with the code of the store, in large groups and without syncs. */
async function writeLog(directory: string, events: number, streams: number): Promise<Log> {
  const disk: Disk = { ...realDisk, sync: async () => undefined };
  const store = await openStore({ directory, disk, onFailure: () => process.exit(1) });
  const heads = new Int32Array(streams).fill(-1);
  const group = new CommitGroup(store.index);
  const commit = async () => {
    if (!(await store.log.append(group.bytes))) throw new Error(`the disk of ${directory} is full`);
    store.index.publish();
    await store.log.rollOver();
    group.reset(store.log.tail);
  };
  group.reset(store.log.tail);
  let id = 0;
  for (let written = 0; written < events; written += 1) {
    const stream = Math.floor(Math.random() * streams);
    const event = {
      id: `00000000-0000-4000-8000-${(id++).toString(16).padStart(12, '0')}`,
      ...{ type: `Happened${stream % 50}`, isJson: true, data: DATA, metadata: METADATA },
    };
    const name = nameOf(stream);
    if (!group.fits(name, [event])) await commit();
    heads[stream] = (heads[stream] ?? -1) + 1;
    group.add([{ stream: name, revision: heads[stream] ?? 0, event }], Date.now());
  }
  await commit();
  await store.close();
  return { directory, heads };
}

interface Start {
  readonly seconds: number;
  readonly residentMib: number;
}

const residentMib = (pid: number | undefined) =>
  Math.round(Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024);

async function start({ directory }: Log, main?: string): Promise<{ store: EventStoreProcess; figures: Start }> {
  const since = performance.now();
  const store = await startEventStoreProcess({ dir: directory, output: 'ignore', ...(main && { main }) });
  const seconds = (performance.now() - since) / 1_000;
  return { store, figures: { seconds, residentMib: residentMib(store.child.pid) } };
}

/** Requests to a running store on a log. */
function requests(client: EventStoreDBClient, { heads }: Log) {
  const randomStream = () => {
    for (;;) {
      const stream = Math.floor(Math.random() * heads.length);
      if ((heads[stream] ?? -1) >= 0) return stream;
    }
  };
  const busy = new Set<number>();
  const useIdleStream = async (use: (stream: number) => Promise<unknown>) => {
    let stream = randomStream();
    while (busy.has(stream)) stream = randomStream();
    busy.add(stream);
    await use(stream);
    busy.delete(stream);
  };
  return {
    read: () =>
      useIdleStream(async (stream) => {
        let count = 0;
        for await (const _ of client.readStream(nameOf(stream))) count += 1;
        if (count !== (heads[stream] ?? -1) + 1) throw new Error(`${nameOf(stream)} has ${count} events`);
      }),
    append: () =>
      useIdleStream(async (stream) => {
        const event = jsonEvent({ type: 'Happened', data: { text: 'x' } });
        const expectedRevision = BigInt(heads[stream] ?? 0);
        await client.appendToStream(nameOf(stream), event, { expectedRevision });
        heads[stream] = (heads[stream] ?? 0) + 1;
      }),
    create: () =>
      client.appendToStream(`new-${randomUUID()}`, jsonEvent({ type: 'Happened', data: { text: 'x' } }), {
        expectedRevision: NO_STREAM,
      }),
  };
}

const sizeOf = (directory: string, ending: string) =>
  readdirSync(directory)
    .filter((name) => name.endsWith(ending))
    .reduce((sum, name) => sum + statSync(join(directory, name)).size, 0);

const root = mkdtempSync(join(tmpdir(), 'rdm-bench-log-index-'));
try {
  const startedAt = performance.now();
  const large = await openLargeLog(values.directory ?? join(root, 'large'));
  const openSeconds = (performance.now() - startedAt) / 1_000;
  const small = await writeLog(
    join(root, 'small'),
    Math.ceil(EVENTS / SMALL_DIVISOR),
    Math.ceil(STREAMS / SMALL_DIVISOR),
  );
  const starts: Record<'large' | 'small' | 'against', Start[]> = { large: [], small: [], against: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const name of ['large', 'small'] as const) {
      const { store, figures } = await start(name === 'large' ? large : small);
      starts[name].push(figures);
      await store.stop();
    }
  }
  const running = { large: await start(large), small: await start(small) };
  const clients = {
    large: EventStoreDBClient.connectionString(running.large.store.url),
    small: EventStoreDBClient.connectionString(running.small.store.url),
  };
  const requestsTo = { large: requests(clients.large, large), small: requests(clients.small, small) };
  const rows = [];
  for (const request of ['read', 'append', 'create'] as const) {
    for (const inFlight of [1, 64]) {
      const run = (name: 'large' | 'small') => () =>
        load({ inFlight, seconds: SECONDS, request: requestsTo[name][request] });
      rows.push(
        await compare(`${request}, ${inFlight} in flight`, ROUNDS, run('large'), run('small'), LIMITS[request]),
      );
    }
  }
  const afterwards = residentMib(running.large.store.child.pid);
  for (const name of ['large', 'small'] as const) {
    await clients[name].dispose();
    await running[name].store.stop();
  }
  const against: Record<string, Load> = {};
  if (values.against) {
    // The other build starts on the same files. A build without index files ignores the index files.
    const { store, figures } = await start(large, values.against);
    starts.against.push(figures);
    const client = EventStoreDBClient.connectionString(store.url);
    const otherRequests = requests(client, large);
    for (const request of ['read', 'append', 'create'] as const) {
      for (const inFlight of [1, 64]) {
        against[`${request}, ${inFlight} in flight`] = await load({
          inFlight,
          seconds: SECONDS,
          request: otherRequests[request],
        });
      }
    }
    await client.dispose();
    await store.stop();
  }
  for (const name of readdirSync(large.directory).filter((each) => each.endsWith('.index'))) {
    rmSync(join(large.directory, name));
  }
  const rebuilt = await start(large);
  await rebuilt.store.stop();
  const medianOf = (name: 'large' | 'small' | 'against', figure: keyof Start) =>
    median(starts[name].map((each) => each[figure]));
  const describe = ({ seconds, resident }: { seconds: number; resident: number }) =>
    `${seconds.toFixed(2)} s, ${resident} MiB`;
  const formatFigures = (name: 'large' | 'small' | 'against') =>
    describe({ seconds: medianOf(name, 'seconds'), resident: medianOf(name, 'residentMib') });
  const other = Object.entries(against).map(
    ([name, { perSecond, p50, p99 }]) =>
      `- ${name}: ${Math.round(perSecond)}/s, p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`,
  );
  console.log(`${toMarkdown({ bench: 'log-index', reference: `a log with 1/${SMALL_DIVISOR} of the events and streams`, machine: describeMachine(), rows })}

${EVENTS} events in ${STREAMS} streams: ${(sizeOf(large.directory, '.log') / MIB).toFixed(0)} MiB in ${readdirSync(large.directory).filter((name) => name.endsWith('.log')).length} segments, index files ${(sizeOf(large.directory, '.index') / MIB).toFixed(0)} MiB, written or read in ${openSeconds.toFixed(0)} s.

Start: ${formatFigures('large')} (limits ${LIMITS.startSeconds} s, ${LIMITS.residentMib} MiB); the small log ${formatFigures('small')}; without index files ${describe({ seconds: rebuilt.figures.seconds, resident: rebuilt.figures.residentMib })}. Memory after all requests: ${afterwards} MiB.${values.against ? `\n\nThe other build on the large log: ${formatFigures('against')}\n${other.join('\n')}` : ''}`);
  console.log(JSON.stringify({ bench: 'log-index', starts, rebuilt: rebuilt.figures, afterwards, rows, against }));
  const isOver =
    medianOf('large', 'seconds') > LIMITS.startSeconds ||
    medianOf('large', 'residentMib') > LIMITS.residentMib ||
    rows.some(({ ratios, limit = 0 }) => median(ratios) < limit);
  if (isOver) process.exitCode = 1;
} finally {
  rmSync(root, { recursive: true, force: true });
}
