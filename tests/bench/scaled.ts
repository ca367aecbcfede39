/** Compares two instances of each service with one: commands, live changes and rebuilds of all read models. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { type Stack, startStack } from '@rdm/embedded/stack';
import { createPool } from '@rdm/platform';
import { type Caller, newDataSet, signIn } from './data-sets.ts';
import { measureIdle } from './live.ts';
import { type BenchResult, compare, describeMachine, type Load, load, toMarkdown } from './measure.ts';

const PASSWORD = 'Bench-scaled-1';
const IN_FLIGHT = [16, 64];
const CLIENTS = [50, 1_000];
const CHANGES = 20;

interface Topology {
  stack: Stack;
  dataDir: string;
  admin: Caller;
  /** One data set for each command in flight. */
  dataSetIds: number[];
}

export async function measureScaled(options: { rounds?: number; seconds?: number } = {}): Promise<BenchResult> {
  const { rounds = 5, seconds = 5 } = options;
  const open: Topology[] = [];
  const start = async (instances: number) => {
    const topology = await startTopology(instances);
    open.push(topology);
    return topology;
  };
  try {
    const [one, two] = [await start(1), await start(2)];
    const rows = [];
    for (const inFlight of IN_FLIGHT) {
      const measureCommands = (topology: Topology) => () => writeRows(topology, inFlight, seconds);
      rows.push(await compare(`commands, ${inFlight} in flight`, rounds, measureCommands(two), measureCommands(one)));
    }
    for (const clients of CLIENTS) {
      const name = `changes a second to ${clients} clients, one change at a time, by the p99 of the latency`;
      rows.push(
        await compare(
          name,
          rounds,
          () => measureChanges(two, clients),
          () => measureChanges(one, clients),
        ),
      );
    }
    const measureRebuild = (topology: Topology) => () => rebuildAll(topology);
    rows.push(
      await compare('events a second, all read models rebuilt', rounds, measureRebuild(two), measureRebuild(one)),
    );
    return { bench: 'scaled', reference: 'one instance of each service', machine: describeMachine(), rows };
  } finally {
    for (const { stack, dataDir } of open) {
      await stack.stop();
      rmSync(dataDir, { recursive: true, force: true });
    }
  }
}

async function startTopology(instances: number): Promise<Topology> {
  const dataDir = mkdtempSync(join(tmpdir(), 'rdm-bench-scaled-'));
  const stack = await startStack({ dataDir, adminPassword: PASSWORD, instances });
  const admin = await signIn(stack.baseUrl, PASSWORD);
  const schemas = [{ name: 'code', dataType: 'string', isPrimaryKey: true }];
  const { id: typeId } = await admin.write('/api/reference-types', { name: `Scaled ${randomUUID()}`, schemas });
  const dataSetIds: number[] = [];
  for (let lane = 0; lane < Math.max(...IN_FLIGHT); lane++) dataSetIds.push(await newDataSet(admin, typeId));
  return { stack, dataDir, admin, dataSetIds };
}

const writeRows = ({ admin, dataSetIds }: Topology, inFlight: number, seconds: number): Promise<Load> =>
  load({
    inFlight,
    seconds,
    request: (lane) =>
      admin.write(`/api/reference-data/${dataSetIds[lane]}/instances`, { data: { code: randomUUID() } }),
  });

async function measureChanges({ stack, admin }: Topology, clients: number): Promise<Load> {
  const { accepted } = await measureIdle(stack, admin, clients, CHANGES);
  if (accepted.missed > 0) throw new Error(`${accepted.missed} changes did not reach a client`);
  return { perSecond: 1_000 / accepted.p99, p50: accepted.p50, p99: accepted.p99 };
}

async function rebuildAll({ stack, dataDir }: Topology): Promise<Load> {
  const { serviceSecret } = JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8')) as Record<string, string>;
  const pool = createPool(stack.databaseUrl);
  try {
    const servingSchemas = async () =>
      (await pool.query('SELECT schema_name FROM platform.builds WHERE serving')).rows.map((row) => row.schema_name);
    const before = new Set(await servingSchemas());
    const begin = performance.now();
    // Only the leading projector rebuilds; a standby refuses.
    for (const address of stack.addresses.projector)
      await fetch(`${address}/internal/projections/rebuild`, {
        method: 'POST',
        headers: { 'X-Service-Secret': serviceSecret ?? '' },
      });
    while ((await servingSchemas()).some((schema) => before.has(schema))) await pause(10);
    const elapsed = performance.now() - begin;
    const { rows } = await pool.query('SELECT seq FROM platform.reader');
    return { perSecond: rows[0].seq / (elapsed / 1_000), p50: elapsed, p99: elapsed };
  } finally {
    await pool.end();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const result = await measureScaled(process.argv.includes('--quick') ? { rounds: 1, seconds: 2 } : {});
  console.log(`${toMarkdown(result)}\n\n${JSON.stringify(result)}`);
}
