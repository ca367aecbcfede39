/** Measures the throughput of translations for signed-in users, compared with a bare Node server that queries Redis. */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { freePort } from '@rdm/embedded/launcher/ports';
import { startStack } from '@rdm/embedded/stack';
import { type Caller, newDataSet, signIn } from './data-sets.ts';
import { type BenchResult, type Compared, compare, describeMachine, load, median, toMarkdown } from './measure.ts';
import { rawCaller, rawRequest } from './raw-http.ts';

const PASSWORD = 'Bench-translate-1';
const CONNECTIONS = 64;
const BATCH = 1_000;
/** The ratio to the reference that the product must reach. */
const LIMIT = 1;
/** The number of mappings per command. */
const ROWS_PER_COMMAND = 10_000;

interface TranslateOptions {
  mappings?: number;
  rounds?: number;
  seconds?: number;
}

type RowsAnswer = { results: { id: number; revision: number }[] };

/** Starts Redis without persistence; returns undefined if it is not installed. */
async function startRedis(dir: string) {
  const port = await freePort();
  const server = spawn('redis-server', ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--dir', dir]);
  const ready = new Promise<string>((resolve) => {
    let output = '';
    server.stdout.on('data', (chunk) => {
      output += chunk;
      if (output.includes('Ready to accept connections')) resolve(output);
    });
  });
  const notInstalled = once(server, 'error').then(() => undefined);
  const output = await Promise.race([ready, notInstalled]);
  return output === undefined
    ? undefined
    : { port, process: server, version: `Redis ${/version=([\d.]+)/.exec(output)?.[1]}` };
}

/**
 * Creates a crosswalk with this number of approved mappings: S0 → T0, S1 → T1, … The steward maps, and the
 * administrator approves.
 */
async function createApprovedCrosswalk(steward: Caller, admin: Caller, mappings: number): Promise<number> {
  const schemas = [{ name: 'code', dataType: 'string', isPrimaryKey: true }];
  const { id: typeId } = await steward.write('/api/reference-types', { name: `Codes ${randomUUID()}`, schemas });
  const [sourceSystemId, targetSystemId] = [await newDataSet(steward, typeId), await newDataSet(steward, typeId)];
  const ends = { sourceSystemId, targetSystemId, sourceAttribute: 'code', targetAttribute: 'code' };
  const { id } = await steward.write('/api/crosswalks', { name: `Translated ${randomUUID()}`, ...ends });
  const path = `/api/crosswalks/${id}`;
  for (let from = 0; from < mappings; from += ROWS_PER_COMMAND) {
    const rows = Array.from({ length: Math.min(ROWS_PER_COMMAND, mappings - from) }, (_, index) => ({
      sourceValue: `S${from + index}`,
      targetValue: `T${from + index}`,
    }));
    const rowsOf = (answer: unknown) => (answer as RowsAnswer).results.map(({ id, revision }) => ({ id, revision }));
    const drafted = rowsOf(await steward.write(`${path}/mappings`, { rows }));
    const submitted = rowsOf(await steward.write(`${path}/mappings/submit`, { rows: drafted }));
    await admin.write(`${path}/mappings/approve`, { rows: submitted });
  }
  await admin.write(`${path}/approve`, {});
  for (;;) {
    const { counts, isServed } = await admin.read<{ counts: { served: number }; isServed: boolean }>(path);
    if (isServed && counts.served === mappings) return id;
    await pause(100);
  }
}

export async function measureTranslations(options: TranslateOptions = {}): Promise<BenchResult> {
  const { mappings = 100_000, rounds = 5, seconds = 2 } = options;
  const dataDir = mkdtempSync(join(tmpdir(), 'rdm-bench-translate-'));
  const stack = await startStack({ dataDir, adminPassword: PASSWORD, samplePassword: PASSWORD, sampleData: true });
  const children: ChildProcess[] = [];
  const start = async (file: string, ...args: number[]): Promise<number> => {
    const child = fork(fileURLToPath(new URL(file, import.meta.url)), args.map(String));
    children.push(child);
    const [port] = (await once(child, 'message')) as [number];
    return port;
  };
  try {
    const [admin, steward] = [await signIn(stack.baseUrl, PASSWORD), await signIn(stack.baseUrl, PASSWORD, 'steward')];
    const id = await createApprovedCrosswalk(steward, admin, mappings);
    const redis = await startRedis(dataDir);
    if (redis) children.push(redis.process);
    const storePort = redis?.port ?? (await start('translate-store.js'));
    const referencePort = await start('translate-reference.js', storePort, mappings);
    const path = `/api/crosswalks/${id}/translate`;
    const headers = { Cookie: steward.cookie, Origin: stack.baseUrl };
    const ports = JSON.parse(readFileSync(join(dataDir, 'ports.json'), 'utf8')) as Record<string, number>;
    const queryApi = ports['query-api'] ?? 0;
    const frontDoor = Number(new URL(stack.baseUrl).port);
    const randomValue = () => `S${Math.floor(Math.random() * mappings)}`;
    const valueRequest = () => rawRequest('GET', `${path}?value=${randomValue()}`, headers);
    // Build the batches before the measurement.
    const batches = Array.from({ length: 50 }, () =>
      rawRequest('POST', path, headers, JSON.stringify({ values: Array.from({ length: BATCH }, randomValue) })),
    );
    const batchRequest = () => batches[Math.floor(Math.random() * batches.length)] as Buffer;

    const run = (port: number, inFlight: number, request: () => Buffer) => async () => {
      const caller = rawCaller(port, inFlight);
      try {
        return await load({ inFlight, seconds, request: (lane) => caller.send(lane, request()) });
      } finally {
        caller.close();
      }
    };
    const before = loadavg()[0] ?? Number.NaN;
    const compared: Compared[] = [];
    const cases: [name: string, port: number, inFlight: number, request: () => Buffer, limit?: number][] = [
      ['one value, through the front door', frontDoor, CONNECTIONS, valueRequest, LIMIT],
      ['one value, directly from query-api', queryApi, CONNECTIONS, valueRequest],
      [`batch of ${BATCH}, through the front door`, frontDoor, 4, batchRequest, LIMIT],
    ];
    for (const [name, port, inFlight, request, limit] of cases) {
      const [product, reference] = [run(port, inFlight, request), run(referencePort, inFlight, request)];
      // Do not measure the first requests, which load the crosswalk, compile code and plan statements.
      await product();
      await reference();
      compared.push(await compare(name, rounds, product, reference, limit));
    }
    return {
      bench: 'translate',
      reference: `a bare Node server that queries ${redis?.version ?? 'a stand-in for Redis (a Node process with a map, because redis-server is not installed)'} for each request (GET, MGET) through Redis' own client; ${mappings.toLocaleString('en')} keys; ${CONNECTIONS} connections, or 4 for batches; load average before the measurement: ${before.toFixed(1)}`,
      machine: describeMachine(),
      rows: compared,
    };
  } finally {
    for (const child of children) child.kill();
    await stack.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const quick = process.argv.includes('--quick');
  const result = await measureTranslations(quick ? { mappings: 20_000, rounds: 1, seconds: 1 } : {});
  const batches = result.rows.at(-1)?.product ?? [];
  const values = Math.round(median(batches.map(({ perSecond }) => perSecond)) * BATCH).toLocaleString('en');
  console.log(
    `${toMarkdown(result)}\n\nValues translated in batches: ${values} a second.\n\n${JSON.stringify(result)}`,
  );
}
