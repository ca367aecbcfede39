/**
 * Measures writes of 100 and 1,000 rows into a large data set, compared with writes into a small data set and with a
 * plain upsert.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { type Caller, newDataSet } from './data-sets.ts';
import { openLargeDataSet } from './large-data-set.ts';
import { describeMachine, median, peakResidentMib } from './measure.ts';

/**
 * Limits that are printed but not enforced: the time relative to the small data set, and the peak memory of command-api
 * in MiB.
 */
const LIMIT = { ratio: 2, mebibytes: 512 };
const CALLERS = 8;
const SMALL_ROWS = 1_000;

interface Case {
  name: string;
  largeSeconds: number[];
  smallSeconds: number[];
  referenceSeconds: number[];
}

interface WriteResult {
  bench: 'write';
  reference: string;
  machine: string;
  rows: number;
  /** Seconds of the first write into the large data set after its import. */
  firstSeconds: number;
  cases: Case[];
  /** Seconds of concurrent writes into the large data set: 100 rows by each caller. */
  atOnceSeconds: number[];
  residentMebibytes: number;
}

interface WriteOptions {
  rows?: number;
  rounds?: number;
}

/** Waits until command-api has cached the imported rows, that is until no stream is added for five seconds. */
async function waitForCachedRows(pool: pg.Pool, dataSetId: number): Promise<void> {
  const countCachedStreams = async (): Promise<number> => {
    const { rows } = await pool.query('SELECT count(*)::int AS count FROM cache.streams WHERE stream LIKE $1', [
      `instances-${dataSetId}.%`,
    ]);
    return rows[0].count;
  };
  let before = -1;
  for (let now = await countCachedStreams(); now !== before; now = await countCachedStreams()) {
    before = now;
    await pause(5_000);
  }
}

async function measureWrites({ rows = 1_000_000, rounds = 5 }: WriteOptions = {}): Promise<WriteResult> {
  const large = await openLargeDataSet(rows);
  const pool = new pg.Pool({ connectionString: large.databaseUrl, max: 1 });
  try {
    await waitForCachedRows(pool, large.dataSetId);
    const { person } = large;
    const small = await newDataSet(person, large.typeId);
    await add(person, small, SMALL_ROWS);
    await pool.query(
      'CREATE TABLE public.bench_write (key text PRIMARY KEY, revision int NOT NULL, cells jsonb NOT NULL)',
    );
    await pool.query(
      `INSERT INTO public.bench_write
         SELECT 'row ' || n, 1, jsonb_build_object('name', 'Name of ' || n, 'population', n) FROM generate_series(1, $1) n`,
      [rows],
    );
    const firstSeconds = await measureSeconds(() => add(person, large.dataSetId, 100));
    const cases: Case[] = [];
    for (const count of [100, 1_000]) {
      const addTo = (id: number) => () => measureSeconds(() => add(person, id, count));
      cases.push(
        await measureInTurn(`add ${count} rows`, rounds, addTo(large.dataSetId), addTo(small), () =>
          upsert(pool, count),
        ),
      );
    }
    const change = (id: number) => async () => {
      // The page may contain a row with an outdated revision, whose change is refused. Try again with a new page, and
      // ignore the time of this attempt.
      for (;;) {
        const pageRows = await readRandomPage(person, id);
        let changed = 0;
        const took = await measureSeconds(async () => {
          changed = await rename(large.baseUrl, person, id, pageRows);
        });
        if (changed === pageRows.length) return took;
        await pause(100);
      }
    };
    cases.push(
      await measureInTurn('change 100 rows', rounds, change(large.dataSetId), change(small), () => upsert(pool, 100)),
    );
    const atOnceSeconds = await Promise.all(
      Array.from({ length: CALLERS }, () => measureSeconds(() => add(person, large.dataSetId, 100))),
    );
    return {
      bench: 'write',
      reference: `an upsert of as many rows in one statement, into a table of ${rows.toLocaleString('en')} rows`,
      machine: describeMachine(),
      rows,
      firstSeconds,
      cases,
      atOnceSeconds,
      residentMebibytes: peakResidentMib(large.parts['command-api']?.pid),
    };
  } finally {
    await pool.end();
    await large.stop();
  }
}

/** Runs large, small and reference in this order and then in the opposite order, in each round. */
async function measureInTurn(
  name: string,
  rounds: number,
  large: () => Promise<number>,
  small: () => Promise<number>,
  reference: () => Promise<number>,
): Promise<Case> {
  const result: Case = { name, largeSeconds: [], smallSeconds: [], referenceSeconds: [] };
  const runs: [number[], () => Promise<number>][] = [
    [result.largeSeconds, large],
    [result.smallSeconds, small],
    [result.referenceSeconds, reference],
  ];
  for (let round = 0; round < rounds; round++) {
    for (const [into, run] of [...runs, ...runs.toReversed()]) into.push(await run());
  }
  return result;
}

async function measureSeconds(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return (performance.now() - begin) / 1_000;
}

let written = 0;

async function add(person: Caller, dataSetId: number, count: number): Promise<void> {
  const rows = Array.from({ length: count }, () => ({
    data: { code: `W${written++}`, name: 'Written', population: 1 },
  }));
  const answer: unknown = await person.write(`/api/reference-data/${dataSetId}/instances`, { rows });
  const { done, results } = answer as { done?: number; results?: unknown };
  if (done !== count) throw new Error(`${done} of ${count} rows were added: ${JSON.stringify(results).slice(0, 500)}`);
}

interface RowRevision {
  id: number;
  revision: number;
}

/** Returns the 100 rows of one of the first five pages. */
async function readRandomPage(person: Caller, dataSetId: number): Promise<RowRevision[]> {
  const page = 1 + Math.floor(Math.random() * 5);
  const { items } = await person.read<{ items: RowRevision[] }>(
    `/api/reference-data/${dataSetId}/instances?pageSize=100&page=${page}`,
  );
  return items;
}

/** Returns the number of changed rows. A row with a newer revision is not changed. */
async function rename(
  baseUrl: string,
  person: Caller,
  dataSetId: number,
  rows: readonly RowRevision[],
): Promise<number> {
  const body = rows.map(({ id, revision }) => ({ id, revision, data: { name: `Renamed ${written++}` } }));
  const answer = await fetch(`${baseUrl}/api/reference-data/${dataSetId}/instances`, {
    method: 'PATCH',
    headers: { Origin: baseUrl, Cookie: person.cookie, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { done } = (await answer.json()) as { done?: number };
  if (done === undefined) throw new Error(`Rows were not changed: ${answer.status}`);
  return done;
}

async function upsert(pool: pg.Pool, count: number): Promise<number> {
  const keys = Array.from({ length: count }, () => `W${written++}`);
  return measureSeconds(() =>
    pool.query(
      `INSERT INTO public.bench_write SELECT key, 1, '{"name":"Written","population":1}' FROM unnest($1::text[]) key
         ON CONFLICT (key) DO UPDATE SET revision = bench_write.revision + 1, cells = EXCLUDED.cells`,
      [keys],
    ),
  );
}

function table({ cases, reference, machine, rows, ...measured }: WriteResult): string {
  const lines = cases.map(({ name, largeSeconds, smallSeconds, referenceSeconds }) => {
    const ratios = largeSeconds.map((each, index) => each / (smallSeconds[index] as number));
    return [
      `| ${name}`,
      median(largeSeconds).toFixed(3),
      median(smallSeconds).toFixed(3),
      median(referenceSeconds).toFixed(4),
      `${median(ratios).toFixed(2)}× (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`,
      `${LIMIT.ratio}×`,
      `${(median(largeSeconds) / median(referenceSeconds)).toFixed(1)}× |`,
    ].join(' | ');
  });
  return [
    '### write',
    '',
    `Reference: ${reference}. Machine: ${machine}.`,
    '',
    `| case | in ${rows.toLocaleString('en')} rows, s | in ${SMALL_ROWS.toLocaleString('en')} rows plus the added rows, s | reference s | large to small (median, spread) | limit | large to reference |`,
    '|---|---|---|---|---|---|---|',
    ...lines,
    '',
    `The first write after the import: ${measured.firstSeconds.toFixed(2)} s. ${CALLERS} callers at once, 100 rows each: ${median(measured.atOnceSeconds).toFixed(2)} s; command-api used at most ${measured.residentMebibytes} MiB (limit ${LIMIT.mebibytes}).`,
  ].join('\n');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const quick = process.argv.includes('--quick') ? { rows: 100_000, rounds: 1 } : {};
  const once = process.argv.includes('--once') ? { rounds: 1 } : {};
  const result = await measureWrites({ ...quick, ...once });
  console.log(table(result));
  console.log(JSON.stringify(result));
}
