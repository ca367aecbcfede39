/** How fast a million rows are read by people who signed in, against bare Express handlers over the same rows. */
import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Stack, startStack } from '@rdm/embedded/stack';
import pg from 'pg';
import { type BenchResult, type Compared, compare, load, machine, markdown, median } from './measure.ts';

const PASSWORD = 'Bench-reading-1';
const CONNECTIONS = 16;
/** Of the reference's throughput, and milliseconds. */
const BAR = { ratio: 0.6, p99: 30 };
const FIELDS = [
  ['code', 'string'],
  ['name', 'string'],
  ['population', 'number'],
  ['region', 'string'],
  ['active', 'boolean'],
  ['since', 'date'],
  ['note', 'string'],
] as const;
/** The page asked for is one of so many, from here on: 10,000 pages of 50 in a million rows. */
const FAR = { page: 10_000, spread: 100 };

interface Asked {
  name: string;
  product: () => string;
  reference: () => string;
}

interface ReadOptions {
  rows?: number;
  rounds?: number;
  seconds?: number;
}

export async function reading({ rows = 1_000_000, rounds = 5, seconds = 2 }: ReadOptions = {}): Promise<BenchResult> {
  const directory = mkdtempSync(join(tmpdir(), 'rdm-bench-read-'));
  const stack = await startStack({ dataDir: join(directory, 'data'), adminPassword: PASSWORD });
  const pool = new pg.Pool({ connectionString: stack.databaseUrl, max: 1 });
  let other: ChildProcess | undefined;
  try {
    const cookie = await signIn(stack.baseUrl);
    const id = await fill(stack, cookie, rows);
    const schema = await indexed(pool, id);
    other = fork(fileURLToPath(new URL('read-reference.js', import.meta.url)), [
      stack.databaseUrl,
      `${schema}.instances`,
      String(id),
    ]);
    const [port] = (await once(other, 'message')) as [number];
    const product = caller(stack.baseUrl, { Cookie: cookie });
    const reference = caller(`http://127.0.0.1:${port}`, {});
    const compared: Compared[] = [];
    const before = loadavg()[0] ?? Number.NaN;
    for (const asked of cases(id, rows)) {
      const run = (call: (path: string) => Promise<void>, path: () => string) => () =>
        load({ inFlight: CONNECTIONS, seconds, request: () => call(path()) });
      compared.push(
        await compare(asked.name, rounds, run(product, asked.product), run(reference, asked.reference), BAR.ratio),
      );
    }
    return {
      bench: 'read',
      reference: `Express and pg alone, over the same ${rows.toLocaleString('en')} rows and indexes; ${CONNECTIONS} connections; load average before: ${before.toFixed(1)}`,
      machine: machine(),
      rows: compared,
    };
  } finally {
    other?.disconnect();
    await pool.end();
    await stack.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

const any = (count: number) => Math.floor(Math.random() * count);
const codeOf = (row: number) => `C${String(row).padStart(7, '0')}`;

function cases(id: number, rows: number): Asked[] {
  const instances = `/api/reference-data/${id}/instances`;
  const filtered = (operator: string, value: string) =>
    `${instances}?filter=${encodeURIComponent(JSON.stringify({ conditions: [{ field: 'name', operator, value }] }))}`;
  const far = Math.min(FAR.page, Math.floor(rows / 50) - FAR.spread);
  /** Both are asked for the same things, one after the other. */
  const both = (
    name: string,
    product: (one: string) => string,
    reference: (one: string) => string,
    one: () => string,
  ) => ({
    name,
    product: () => product(one()),
    reference: () => reference(one()),
  });
  const name = () => `Name of ${any(rows)}`;
  // Of a million rows, this finds about as many as fill a page.
  const within = () => `of ${String(any(rows)).slice(0, 4).padEnd(4, '7')}`;
  return [
    both(
      'by key',
      (key) => `${instances}?key=${key}`,
      (key) => `/by-key?key=${key}`,
      () => codeOf(any(rows)),
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
      name,
    ),
    both(
      'filter: contains',
      (value) => filtered('contains', value),
      (value) => `/contains?value=${encodeURIComponent(value)}`,
      within,
    ),
    both(
      `page ${far.toLocaleString('en')} and those after`,
      (page) => `${instances}?page=${page}`,
      (page) => `/list?page=${page}`,
      () => String(far + any(FAR.spread)),
    ),
  ];
}

/** GETs over connections that are kept; whatever is not a good answer ends the bench. */
function caller(base: string, headers: Record<string, string>): (path: string) => Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  return (path) =>
    new Promise((resolve, reject) => {
      get(base + path, { agent, headers }, (answer) => {
        answer.resume();
        if (answer.statusCode !== 200) reject(new Error(`${path}: ${answer.statusCode}`));
        else answer.once('end', resolve);
      }).once('error', reject);
    });
}

async function signIn(baseUrl: string): Promise<string> {
  const answer = await fetch(`${baseUrl}/api/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: baseUrl },
    body: JSON.stringify({ username: 'admin', password: PASSWORD }),
  });
  if (!answer.ok) throw new Error(`Signing in: ${answer.status}`);
  return answer.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
}

/** Imports the rows as people do, and answers their data set. */
async function fill({ baseUrl }: Stack, cookie: string, rows: number): Promise<number> {
  const call = async <T>(path: string, body?: unknown): Promise<T> => {
    const isForm = body instanceof FormData;
    const answer = await fetch(baseUrl + path, {
      headers: { Cookie: cookie, Origin: baseUrl, ...(isForm ? {} : { 'Content-Type': 'application/json' }) },
      ...(body !== undefined && { method: 'POST', body: isForm ? body : JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  };
  const schemas = FIELDS.map(([name, dataType], index) => ({ name, dataType, isPrimaryKey: index === 0 }));
  const type = await call<{ id: number }>('/api/reference-types', { name: `Read ${randomUUID()}`, schemas });
  const { id } = await call<{ id: number }>('/api/reference-data', { name: `Rows ${randomUUID()}`, typeId: type.id });
  const form = new FormData();
  form.set('dataSetId', String(id));
  form.set('file', new Blob([...csvOf(rows)]), 'rows.csv');
  const file = await call<{ id: string }>('/api/imports', form);
  await call(`/api/imports/${file.id}/start`, { description: 'Bench' });
  while ((await call<{ instanceCount: number }>(`/api/reference-data/${id}`)).instanceCount < rows) await pause(500);
  return id;
}

function* csvOf(rows: number): Generator<string> {
  yield `${FIELDS.map(([name]) => name).join(',')}\n`;
  for (let from = 0; from < rows; from += 1_000) {
    let lines = '';
    for (let row = from; row < Math.min(rows, from + 1_000); row++) {
      const since = `20${10 + (row % 14)}-0${1 + (row % 9)}-1${row % 10}`;
      lines += `${codeOf(row)},Name of ${row},${row * 3},Region ${row % 50},${row % 2 === 0},${since},Note ${row % 1_000}\n`;
    }
    yield lines;
  }
}

/** Waits until the projector has indexed the fields of the data set; answers the schema that serves its rows. */
async function indexed(pool: pg.Pool, id: number): Promise<string> {
  for (;;) {
    const { rows } = await pool.query(
      `SELECT b.schema_name AS schema, count(x.indexname)::int AS indexes FROM platform.builds b
         LEFT JOIN pg_indexes x ON x.schemaname = b.schema_name AND x.tablename = $1
          AND x.indexname LIKE 'of\\_${id}\\_field\\_%'
        WHERE b.name = 'instances' AND b.serving GROUP BY 1`,
      [`instances_of_${id}`],
    );
    if (rows[0].indexes >= FIELDS.length) return rows[0].schema;
    await pause(1_000);
  }
}

/** The slowest hundredth, beside its bar, case by case. */
const slowest = ({ rows }: BenchResult): string =>
  rows.map(({ name, product }) => `${name} ${median(product.map(({ p99 }) => p99)).toFixed(1)} ms`).join(', ');

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const quick = process.argv.includes('--quick');
  const result = await reading(quick ? { rows: 100_000, rounds: 1, seconds: 1 } : {});
  console.log(`${markdown(result)}\n\np99 (bar ${BAR.p99} ms): ${slowest(result)}.\n\n${JSON.stringify(result)}`);
}
