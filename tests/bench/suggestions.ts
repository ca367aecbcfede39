/**
 * Measures the computation of candidates for 100,000 source values among 100,000 targets: its duration, and its effect
 * on other reads.
 */
import { randomUUID } from 'node:crypto';
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { startStack } from '@rdm/embedded/stack';
import { importAndWait, signIn } from './data-sets.ts';
import { createThrowingCaller } from './large-data-set.ts';
import { describeMachine, quantile } from './measure.ts';

const PASSWORD = 'Bench-suggest-1';
const SYLLABLES = 'ba ko li mar ten sul ver qui dro pan zel hun fir gos wex yam'.split(' ');
const KINDS = 'North South River Steel Copper Market Garden Harbour Valley Bridge Station Foundry'.split(' ');
/** The number of concurrent readers, each with a pause between reads. */
const READERS = 4;
const REST_MS = 20;
/** The limit for the p99 of reads during the computation, as a multiple of the idle p99. It is printed, not checked. */
const LIMIT = 2;
const POLL_INTERVAL_MS = 500;

/** Returns a generator of reproducible random numbers (Mulberry32). */
function random(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/**
 * Returns names of places, each with a variant: in capitals, without one character, or with the words in reverse order.
 */
function namesOf(rows: number): { name: string; other: string }[] {
  const randomBelow = random(7);
  const word = () =>
    Array.from({ length: 2 + randomBelow(3) }, () => SYLLABLES[randomBelow(SYLLABLES.length)]).join('');
  return Array.from({ length: rows }, (_, row) => {
    const name = `${word()} ${KINDS[randomBelow(KINDS.length)]} ${word()}`;
    const missing = 1 + randomBelow(name.length - 2);
    const variants = [
      name.toUpperCase(),
      name.slice(0, missing) + name.slice(missing + 1),
      name.split(' ').reverse().join(' '),
    ];
    return { name, other: variants[row % 3] as string };
  });
}

export interface SuggestionsResult {
  bench: 'suggestions';
  machine: string;
  rows: number;
  seconds: number;
  found: number;
  /** Memory of query-api in MiB before and at most during the computation; null if the system does not report it. */
  rss: { before: number; peak: number } | null;
  /** Latencies of reads in milliseconds, without other work. */
  idle: { p50: number; p99: number };
  /** Latencies of reads in milliseconds, during the computation. */
  meanwhile: { p50: number; p99: number };
}

/** Reads until `end` resolves; returns the sorted latencies in milliseconds. */
async function measureReads(
  call: (path: string) => Promise<void>,
  path: string,
  end: Promise<unknown>,
): Promise<number[]> {
  const latencies: number[] = [];
  let isOver = false;
  const over = end.then(() => {
    isOver = true;
  });
  const readers = Array.from({ length: READERS }, async () => {
    while (!isOver) {
      const begin = performance.now();
      await call(path);
      latencies.push(performance.now() - begin);
      await pause(REST_MS);
    }
  });
  await Promise.all([over, ...readers]);
  return latencies.sort((a, b) => a - b);
}

const spread = (sorted: readonly number[]) => ({ p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) });

function rssOf(pid: number | undefined): number | undefined {
  if (pid === undefined || process.platform !== 'linux') return undefined;
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return kilobytes === undefined ? undefined : Math.round(Number(kilobytes) / 1024);
}

interface SuggestionsAnswer {
  total: number;
  progress: { done: number; total: number } | null;
}

export async function measureSuggestions({ rows = 100_000, idleSeconds = 15 } = {}): Promise<SuggestionsResult> {
  const directory = mkdtempSync(join(tmpdir(), 'rdm-bench-suggestions-'));
  const names = namesOf(rows);
  const write = async (file: string, code: string, text: (row: { name: string; other: string }) => string) => {
    const lines = names.map((row, index) => `${code}${String(index).padStart(6, '0')},${text(row)}\n`);
    await pipeline(Readable.from(['code,name\n', ...lines]), createWriteStream(join(directory, file)));
    return join(directory, file);
  };
  const files = [
    await write('sources.csv', 'S', ({ other }) => other),
    await write('targets.csv', 'T', ({ name }) => name),
  ];
  const stack = await startStack({ dataDir: join(directory, 'data'), adminPassword: PASSWORD });
  try {
    const person = await signIn(stack.baseUrl, PASSWORD);
    const schemas = ['code', 'name'].map((name, index) => ({ name, dataType: 'string', isPrimaryKey: index === 0 }));
    const { id: typeId } = await person.write('/api/reference-types', { name: `Places ${randomUUID()}`, schemas });
    const ids: number[] = [];
    for (const file of files) ids.push((await importAndWait(person, typeId, file, rows)).dataSetId);
    const [sourceSystemId, targetSystemId] = ids;
    const ends = { sourceSystemId, targetSystemId, sourceAttribute: 'code', targetAttribute: 'code' };
    const { id } = await person.write('/api/crosswalks', { name: `Places ${randomUUID()}`, ...ends });

    const call = createThrowingCaller(stack.baseUrl, { Cookie: person.cookie }, READERS);
    const path = `/api/reference-data/${targetSystemId}/instances?page=1`;
    await measureReads(call, path, pause(2_000));
    const idle = spread(await measureReads(call, path, pause(idleSeconds * 1_000)));

    const pid = stack.parts['query-api']?.pid;
    const before = rssOf(pid);
    let peak = before ?? 0;
    const begin = performance.now();
    let last: SuggestionsAnswer | undefined;
    const comparison = (async () => {
      do {
        last = await person.read<SuggestionsAnswer>(`/api/crosswalks/${id}/mappings?tab=suggested&pageSize=1`);
        peak = Math.max(peak, rssOf(pid) ?? 0);
        if (last.progress) await pause(POLL_INTERVAL_MS);
      } while (last.progress);
    })();
    const meanwhile = spread(await measureReads(call, path, comparison));
    return {
      bench: 'suggestions',
      machine: describeMachine(),
      rows,
      seconds: (performance.now() - begin) / 1_000,
      found: last?.total ?? 0,
      rss: before === undefined ? null : { before, peak },
      idle,
      meanwhile,
    };
  } finally {
    await stack.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

function format({ rows, seconds, found, rss, idle, meanwhile, machine: where }: SuggestionsResult): string {
  const count = rows.toLocaleString('en');
  const milliseconds = ({ p50, p99 }: { p50: number; p99: number }) => `${p50.toFixed(1)} | ${p99.toFixed(1)}`;
  return [
    '### suggestions',
    '',
    `${count} source values among ${count} targets, spelt differently: ${seconds.toFixed(1)} s until all were compared, ${found.toLocaleString('en')} found.`,
    `Reference: the same reads before, with nothing else to do. Machine: ${where}.`,
    ...(rss ? [`Memory of query-api: ${rss.before} MiB before, ${rss.peak} MiB at most.`] : []),
    '',
    '| first page of the targets | p50 ms | p99 ms |',
    '|---|---|---|',
    `| idle | ${milliseconds(idle)} |`,
    `| meanwhile | ${milliseconds(meanwhile)} |`,
    '',
    `p99 ${(meanwhile.p99 / idle.p99).toFixed(2)}× idle (limit ${LIMIT}×).`,
  ].join('\n');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const quick = process.argv.includes('--quick');
  const result = await measureSuggestions(quick ? { rows: 20_000, idleSeconds: 5 } : {});
  console.log(`${format(result)}\n\n${JSON.stringify(result)}`);
}
