/**
 * Measures the time from the upload of a CSV file until its last row is readable, compared with COPY into a table
 * with the same columns and indexes.
 */
import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { BUCKETS } from '@rdm/contracts';
import { startStack } from '@rdm/embedded/stack';
import { type CellIndex, cellIndexes } from '@rdm/platform';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { csvOf, FIELDS, importAndWait, newDataSet, signIn, waitUntilReadable } from './data-sets.ts';
import { describeMachine, median, peakResidentMib, quantile } from './measure.ts';
import { readRepeatedly } from './page-reads.ts';

const PASSWORD = 'Bench-import-1';
/** Limits: the time relative to that of the reference, and the resident memory of each service. */
const LIMIT = { ratio: 3, mebibytes: 300 };

/** The duration of the idle reads, about that of two imports: with fewer reads, one read would decide the p99. */
const IDLE_MS = 60_000;

const SERVICES = ['command-api', 'projector', 'query-api', 'event-store'];

export interface ImportResult {
  bench: 'import';
  reference: string;
  machine: string;
  rows: number;
  productSeconds: number[];
  referenceSeconds: number[];
  /** Maximum resident memory of each service, in MiB. */
  residentMebibytes: Record<string, number>;
  /** Milliseconds to read a page of another data set, without imports (idle) and during imports (busy). */
  idleP99: number;
  busyP99: number;
}

export async function measureImport(options: { rows?: number; rounds?: number } = {}): Promise<ImportResult> {
  const { rows = 1_000_000, rounds = 5 } = options;
  const directory = mkdtempSync(join(tmpdir(), 'rdm-bench-import-'));
  const file = join(directory, 'rows.csv');
  await pipeline(Readable.from(csvOf(rows)), createWriteStream(file));
  const stack = await startStack({ dataDir: join(directory, 'data'), adminPassword: PASSWORD });
  const pool = new pg.Pool({ connectionString: stack.databaseUrl, max: 2 });
  try {
    const person = await signIn(stack.baseUrl, PASSWORD);
    const schemas = FIELDS.map(([name, dataType], index) => ({ name, dataType, isPrimaryKey: index === 0 }));
    const { id: typeId } = await person.write('/api/reference-types', { name: `Import ${randomUUID()}`, schemas });
    const otherDataSet = await newDataSet(person, typeId);
    await person.write(`/api/reference-data/${otherDataSet}/instances`, { rows: [{ data: { code: 'one' } }] });
    await waitUntilReadable(person, otherDataSet, 1);
    const page = {
      url: `${stack.baseUrl}/api/reference-data/${otherDataSet}/instances?pageSize=50`,
      cookie: person.cookie,
    };
    const idleReads = readRepeatedly(page);
    await pause(IDLE_MS);
    const idleP99 = quantile(await idleReads.stop(), 0.99);
    const productSeconds: number[] = [];
    const referenceSeconds: number[] = [];
    const busyDurations: number[] = [];
    const measureProduct = async () => {
      await waitForIndexes(pool);
      const busyReads = readRepeatedly(page);
      productSeconds.push((await importAndWait(person, typeId, file, rows)).seconds);
      busyDurations.push(...(await busyReads.stop()));
    };
    const measureReference = async () => {
      await waitForIndexes(pool);
      referenceSeconds.push(await copy(pool, file));
    };
    for (let round = 0; round < rounds; round++) {
      await measureProduct();
      await measureReference();
      await measureReference();
      await measureProduct();
    }
    return {
      bench: 'import',
      reference: 'COPY into a table with the same columns and indexes',
      machine: describeMachine(),
      rows,
      productSeconds,
      referenceSeconds,
      residentMebibytes: Object.fromEntries(SERVICES.map((name) => [name, peakResidentMib(stack.parts[name]?.pid)])),
      idleP99,
      busyP99: quantile(
        busyDurations.sort((a, b) => a - b),
        0.99,
      ),
    };
  } finally {
    await pool.end();
    await stack.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * Waits until the rows of the previous import are indexed and cached, because this work would distort the measurement.
 * The projector runs ANALYZE after the indexing.
 */
async function waitForIndexes(pool: pg.Pool): Promise<void> {
  for (;;) {
    const { rows } = await pool.query(
      `SELECT coalesce(bool_and(analyze_count > 0), true)
          AND count(*) * ${BUCKETS} = (SELECT count(*) FROM cache.streams WHERE stream ~ '^instances-') AS done
         FROM pg_stat_user_tables WHERE relname ~ '^instances_of_'`,
    );
    if (rows[0].done) return;
    await pause(500);
  }
}

/** Copies the rows of the file in the form in which the product stores rows. Returns the seconds. */
const copy = (pool: pg.Pool, file: string): Promise<number> => copySeconds(pool, copyLines(file));

/** The index for lists that are sorted by the key, field 1 of the type. */
const keyIndex = cellIndexes(1, 'string').find(({ kind }) => kind === 'sorted') as CellIndex;

/**
 * Copies lines into an empty table with the columns of stored rows, and with the indexes that the product maintains
 * during an import. Returns the seconds.
 */
export async function copySeconds(pool: pg.Pool, lines: Iterable<string> | AsyncIterable<string>): Promise<number> {
  const schema = (await pool.query(`SELECT schema_name FROM platform.builds WHERE name = 'instances' AND serving`))
    .rows[0].schema_name;
  await pool.query(`DROP TABLE IF EXISTS public.bench_import`);
  await pool.query(`CREATE TABLE public.bench_import (LIKE ${schema}.instances INCLUDING ALL)`);
  await pool.query(`CREATE INDEX ON public.bench_import ${keyIndex.on}`);
  const begin = performance.now();
  const client = await pool.connect();
  try {
    const into = client.query(
      copyFrom(`COPY public.bench_import (data_set_id, id, revision, key, data, deleted, job_id, created_at, created_by,
        updated_at, updated_by, valid_from) FROM STDIN (FORMAT csv)`),
    );
    await pipeline(Readable.from(lines), into);
  } finally {
    client.release();
  }
  return (performance.now() - begin) / 1_000;
}

async function* copyLines(file: string): AsyncGenerator<string> {
  let lines = '';
  let id = -1;
  for await (const line of createInterface({ input: createReadStream(file) })) {
    id += 1;
    if (id === 0) continue;
    const [code, name, population, region, active, since, note] = line.split(',');
    const values = `{"1":"${code}","2":"${name}","3":${population},"4":"${region}","5":${active},"6":"${since}","7":"${note}"}`;
    lines += `1,${id},1,"[""${code}""]","${values.replaceAll('"', '""')}",f,1,2026-01-01Z,1,2026-01-01Z,1,${id}\n`;
    if (lines.length < 256 * 1024) continue;
    yield lines;
    lines = '';
  }
  yield lines;
}

function table(result: ImportResult): string {
  const { productSeconds, referenceSeconds, rows } = result;
  const ratios = productSeconds.map((seconds, index) => seconds / (referenceSeconds[index] as number));
  return [
    '### import',
    '',
    `Reference: ${result.reference}. Machine: ${result.machine}.`,
    '',
    '| rows | product s | reference s | ratio (median, spread) | limit | RSS MiB | limit | page p99 ms idle | during |',
    '|---|---|---|---|---|---|---|---|---|',
    [
      `| ${rows.toLocaleString('en')}`,
      median(productSeconds).toFixed(1),
      median(referenceSeconds).toFixed(1),
      `${median(ratios).toFixed(2)}× (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`,
      `${LIMIT.ratio}×`,
      Object.entries(result.residentMebibytes)
        .map(([name, mebibytes]) => `${name} ${mebibytes}`)
        .join(', '),
      LIMIT.mebibytes,
      result.idleP99.toFixed(1),
      `${result.busyP99.toFixed(1)} |`,
    ].join(' | '),
  ].join('\n');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const quick = process.argv.includes('--quick') ? { rows: 100_000, rounds: 1 } : {};
  const once = process.argv.includes('--once') ? { rounds: 1 } : {};
  const result = await measureImport({ ...quick, ...once });
  console.log(table(result));
  console.log(JSON.stringify(result));
}
