/**
 * Measures the throughput of reads from a million rows by signed-in users, compared with bare Express handlers on the
 * same rows.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { codeOf } from './data-sets.ts';
import { createThrowingCaller, openLargeDataSet } from './large-data-set.ts';
import {
  type BenchResult,
  type Compared,
  compare,
  describeMachine,
  type Load,
  load,
  median,
  toMarkdown,
} from './measure.ts';

const CONNECTIONS = 16;
/** The minimum ratio of the product's throughput to the reference's, and the maximum p99 in milliseconds. */
const LIMIT = { ratio: 0.6, p99: 30 };
/** Far pages: each request reads one of `spread` pages from `page` on. A million rows have 20,000 pages of 50. */
const FAR = { page: 10_000, spread: 100 };

interface ReadCase {
  name: string;
  product: () => string;
  reference: () => string;
}

interface ReadOptions {
  rows?: number;
  rounds?: number;
  seconds?: number;
}

export async function measureReads({
  rows = 1_000_000,
  rounds = 5,
  seconds = 2,
}: ReadOptions = {}): Promise<BenchResult> {
  const large = await openLargeDataSet(rows);
  let referenceServer: ChildProcess | undefined;
  try {
    referenceServer = fork(fileURLToPath(new URL('read-reference.js', import.meta.url)), [
      large.databaseUrl,
      `${large.schema}.instances`,
      String(large.dataSetId),
    ]);
    const [port] = (await once(referenceServer, 'message')) as [number];
    const product = createThrowingCaller(large.baseUrl, large.headers, CONNECTIONS);
    const reference = createThrowingCaller(`http://127.0.0.1:${port}`, {}, CONNECTIONS);
    const loadBefore = loadavg()[0] ?? Number.NaN;
    const compared: Compared[] = [];
    for (const readCase of cases(large.dataSetId, rows)) {
      const run = (call: (path: string) => Promise<void>, path: () => string) => () =>
        load({ inFlight: CONNECTIONS, seconds, request: () => call(path()) });
      compared.push(
        await compare(
          readCase.name,
          rounds,
          run(product, readCase.product),
          run(reference, readCase.reference),
          LIMIT.ratio,
        ),
      );
    }
    return {
      bench: 'read',
      reference: `Express and pg alone, over the same ${rows.toLocaleString('en')} rows and indexes; ${CONNECTIONS} connections; load average before: ${loadBefore.toFixed(1)}`,
      machine: describeMachine(),
      rows: compared,
    };
  } finally {
    referenceServer?.disconnect();
    await large.stop();
  }
}

const randomBelow = (count: number) => Math.floor(Math.random() * count);

function cases(id: number, rows: number): ReadCase[] {
  const instances = `/api/reference-data/${id}/instances`;
  const filtered = (operator: string, value: string) =>
    `${instances}?filter=${encodeURIComponent(JSON.stringify({ conditions: [{ field: 'name', operator, value }] }))}`;
  const far = Math.min(FAR.page, Math.floor(rows / 50) - FAR.spread);
  /** Product and reference get requests of the same kind, each with its own random value. */
  const both = (
    name: string,
    product: (value: string) => string,
    reference: (value: string) => string,
    nextValue: () => string,
  ) => ({
    name,
    product: () => product(nextValue()),
    reference: () => reference(nextValue()),
  });
  const randomName = () => `Name of ${randomBelow(rows)}`;
  // In a million rows, this matches about 110 rows.
  const randomNamePart = () => `of ${String(randomBelow(rows)).slice(0, 4).padEnd(4, '7')}`;
  return [
    both(
      'by key',
      (key) => `${instances}?key=${key}`,
      (key) => `/by-key?key=${key}`,
      () => codeOf(randomBelow(rows)),
    ),
    both(
      'first page of 50',
      () => `${instances}?page=1`,
      () => '/list?page=1',
      () => '',
    ),
    both(
      'filter: equals',
      (value) => filtered('equals', value),
      (value) => `/equals?value=${encodeURIComponent(value)}`,
      randomName,
    ),
    both(
      'filter: contains',
      (value) => filtered('contains', value),
      (value) => `/contains?value=${encodeURIComponent(value)}`,
      randomNamePart,
    ),
    both(
      `page ${far.toLocaleString('en')} and later pages`,
      (page) => `${instances}?page=${page}`,
      (page) => `/list?page=${page}`,
      () => String(far + randomBelow(FAR.spread)),
    ),
  ];
}

/** Returns the median p99 of product and reference per case, as text. */
const p99sAsText = ({ rows }: BenchResult): string => {
  const medianP99 = (loads: readonly Load[]) => median(loads.map(({ p99 }) => p99)).toFixed(1);
  return rows
    .map(({ name, product, reference }) => `${name} ${medianP99(product)} ms (${medianP99(reference)})`)
    .join(', ');
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const quick = process.argv.includes('--quick');
  const result = await measureReads(quick ? { rows: 100_000, rounds: 1, seconds: 1 } : {});
  console.log(
    `${toMarkdown(result)}\n\np99 (limit ${LIMIT.p99} ms; the reference's in brackets): ${p99sAsText(result)}.\n\n${JSON.stringify(result)}`,
  );
}
