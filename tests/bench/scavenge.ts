/** Measures appends with and without a scavenge, and the size of the log before and after a scavenge. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EventStoreDBClient, jsonEvent, NO_STREAM } from '@eventstore/db-client';
import { startEventStoreProcess } from '@rdm/embedded/event-store/spawn';
import { followScavenge, type StartedScavenge, startScavenge, stopScavenge } from '@rdm/platform/event-store/scavenge';
import { describeMachine, type Load, load, median } from './measure.ts';

const IN_FLIGHT = [1, 64];
/** The maximum factor by which the p99 of appends may rise during a scavenge. */
const LIMIT = 2;
const MIB = 1024 * 1024;
/** The data of an event: 500 bytes as JSON. */
const DATA = { text: 'x'.repeat(489) };
/** The approximate size of such an event in the log. */
const STORED_BYTES = 700;
const EVENTS_PER_APPEND = 500;
const neverAborted = new AbortController().signal;

export async function measureScavenges({ rounds = 5, seconds = 4, fillMiB = 64 } = {}): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'rdm-bench-scavenge-'));
  const store = await startEventStoreProcess({ dir: directory, output: 'ignore' });
  const client = EventStoreDBClient.connectionString(store.url);
  try {
    const results: { inFlight: number; idle: Load[]; during: Load[] }[] = [];
    for (const inFlight of IN_FLIGHT) {
      const [idle, during]: [Load[], Load[]] = [[], []];
      const appends = () => load({ inFlight, seconds, request: appender(client) });
      const appendsWithout = async () => {
        // The disk and this process must do the same work before both measurements.
        await fill(client, fillMiB);
        return appends();
      };
      const appendsDuring = async () => {
        await fill(client, fillMiB);
        const started = await startScavenge(store.url);
        const measured = await appends();
        await Promise.all(started.map(stopRunning));
        return measured;
      };
      for (let round = 0; round < rounds; round += 1) {
        idle.push(await appendsWithout());
        during.push(await appendsDuring());
        during.push(await appendsDuring());
        idle.push(await appendsWithout());
      }
      results.push({ inFlight, idle, during });
    }
    await followScavenge(await startScavenge(store.url), neverAborted);
    await fill(client, fillMiB);
    const before = sizeOf(directory);
    const since = performance.now();
    const outcome = await followScavenge(await startScavenge(store.url), neverAborted);
    const elapsed = (performance.now() - since) / 1_000;
    const after = sizeOf(directory);
    const p99 = (loads: Load[]) => median(loads.map((each) => each.p99));
    const ratios = results.map(({ idle, during }) => p99(during) / p99(idle));
    const rate = (loads: Load[]) => Math.round(median(loads.map((each) => each.perSecond)));
    console.log(`### scavenge

Machine: ${describeMachine()}.

| appends in flight | /s | p99 ms | /s during a scavenge | p99 ms | ratio of p99 | limit |
|---|---|---|---|---|---|---|
${results.map(({ inFlight, idle, during }, index) => `| ${inFlight} | ${rate(idle)} | ${p99(idle).toFixed(2)} | ${rate(during)} | ${p99(during).toFixed(2)} | ${ratios[index]?.toFixed(2)}× | ${LIMIT}× |`).join('\n')}

Without appends: ${(before / MIB).toFixed(0)} MiB before, ${(after / MIB).toFixed(0)} MiB after, in ${elapsed.toFixed(1)} s (${outcome.result}).`);
    console.log(JSON.stringify({ bench: 'scavenge', results, before, after, elapsed, spaceSaved: outcome.spaceSaved }));
    if (ratios.some((ratio) => ratio > LIMIT)) process.exitCode = 1;
  } finally {
    await client.dispose();
    await store.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Appends about this number of MiB to two streams, half to each, and tombstones one of the streams. */
async function fill(client: EventStoreDBClient, mebibytes: number): Promise<void> {
  const streams = [`kept-${randomUUID()}`, `purged-${randomUUID()}`];
  const appends = Math.ceil((mebibytes * MIB) / (EVENTS_PER_APPEND * STORED_BYTES));
  for (let count = 0; count < appends; count += 1) {
    const events = Array.from({ length: EVENTS_PER_APPEND }, () => jsonEvent({ type: 'Appended', data: DATA }));
    await client.appendToStream(streams[count % 2] ?? '', events);
  }
  await client.tombstoneStream(streams[1] ?? '');
}

/** Stops a scavenge. Throws if the scavenge has already ended, because then not all appends happened during it. */
async function stopRunning(scavenge: StartedScavenge): Promise<void> {
  await stopScavenge(scavenge).catch((error: unknown) => {
    throw new Error('The scavenge ended before the appends: fill more', { cause: error });
  });
}

/** Returns a function that appends to the stream of a lane at an exact revision, as commands do. */
function appender(client: EventStoreDBClient): (lane: number) => Promise<unknown> {
  const run = randomUUID();
  const revisions: bigint[] = [];
  return async (lane) => {
    const event = jsonEvent({ type: 'Appended', data: DATA });
    const { nextExpectedRevision } = await client.appendToStream(`bench-${run}.${lane}`, event, {
      expectedRevision: revisions[lane] ?? NO_STREAM,
    });
    revisions[lane] = nextExpectedRevision;
  };
}

const sizeOf = (directory: string) =>
  readdirSync(directory).reduce((sum, name) => sum + statSync(join(directory, name)).size, 0);

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await measureScavenges({ rounds: Number(process.env['ROUNDS'] ?? 5) });
}
