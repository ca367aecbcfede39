/** The test environment of the projector: databases on one server, a log in memory, and projectors in this process. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningPostgres, startPostgres } from '@rdm/embedded/postgres/postgres';
import { createLog, createPool, migrate, type Pool } from '@rdm/platform';
import {
  buildSchema,
  checksums,
  createProjector,
  type Limits,
  type Projection,
  type Projector,
  projections,
} from '@rdm/projector';
import { afterAll, afterEach, beforeAll, vi } from 'vitest';
import { newName } from './generated-history.ts';
import { MemoryLog } from './memory-log.ts';

export { MemoryLog };

export interface RunningProjector {
  projector: Projector;
  /** The schemas of builds that could not apply an event. */
  detached: string[];
  stop(): Promise<void>;
}

export interface ProjectorEnvironment {
  /** Stops the database server, runs the function, and starts the server again. */
  whileServerStopped(meanwhile: () => Promise<void>): Promise<void>;
  /** Creates a migrated database. */
  database(): Promise<{ url: string; pool: Pool }>;
  /** Starts a projector, which is stopped after the test. */
  project(
    url: string,
    log: MemoryLog,
    options?: {
      limits?: Limits;
      projections?: readonly Projection[];
      graceMs?: number;
      acceptedEnd?: bigint;
      isDatabaseEmbedded?: boolean;
    },
  ): RunningProjector;
}

const projectorLog = createLog('projector', process.env['VERBOSE'] ? 'debug' : 'silent');

export function useProjectorEnvironment(): ProjectorEnvironment {
  let server: RunningPostgres | undefined;
  /** Whether the template database exists. */
  let hasTemplate = false;
  const directory = mkdtempSync(join(tmpdir(), 'rdm-projector-'));
  const pools: Pool[] = [];
  const running = new Set<RunningProjector>();
  const start = () => startPostgres({ dir: join(directory, 'postgres'), log: () => undefined });
  beforeAll(async () => {
    server = await start();
  });
  afterEach(async () => {
    for (const each of [...running]) await each.stop();
    for (const pool of pools.splice(0)) await pool.end();
  });
  afterAll(async () => {
    await server?.stop();
    rmSync(directory, { recursive: true, force: true });
  });
  return {
    async whileServerStopped(meanwhile) {
      await server?.stop();
      await meanwhile();
      server = await start();
    },
    async database() {
      const [name, template] = [newName(), 'migrated'];
      const urlOf = (database: string) => Object.assign(new URL(server?.url ?? ''), { pathname: database }).toString();
      const admin = createPool(server?.url ?? '', { max: 1 });
      if (!hasTemplate) {
        await admin.query(`CREATE DATABASE ${template}`);
        await migrate(urlOf(template));
        hasTemplate = true;
      }
      await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
      await admin.end();
      const url = urlOf(name);
      const pool = createPool(url, { max: 4 });
      pools.push(pool);
      return { url, pool };
    },
    project(url, log, options = {}) {
      const stopping = new AbortController();
      const detached: string[] = [];
      const projector = createProjector({
        databaseUrl: url,
        store: log.store,
        log: projectorLog,
        projections: options.projections ?? projections,
        graceMs: options.graceMs ?? 60_000,
        acceptedEnd: options.acceptedEnd,
        isDatabaseEmbedded: options.isDatabaseEmbedded ?? false,
        indexFieldsEveryMs: 200,
        progress: {
          onBatch: (_events, builds) => detached.push(...builds.map(({ schema }) => schema)),
          onCaughtUp: () => undefined,
        },
        ...(options.limits ? { limits: options.limits } : {}),
      });
      const run = projector.run(stopping.signal);
      const each: RunningProjector = {
        projector,
        detached,
        async stop() {
          stopping.abort();
          await run;
          running.delete(each);
        },
      };
      running.add(each);
      return each;
    },
  };
}

const WAIT_OPTIONS = { timeout: 60_000, interval: 20 };

export const eventually = <T>(check: () => T | Promise<T>): Promise<T> => vi.waitFor(check, WAIT_OPTIONS);

/** Waits until the reader has projected `seq` events. */
export const waitUntilProjected = (pool: Pool, seq: number): Promise<void> =>
  eventually(async () => {
    const { rows } = await pool.query('SELECT seq FROM platform.reader');
    if (rows[0].seq !== seq) throw new Error(`the reader is at ${rows[0].seq}, not yet at ${seq}`);
  });

/** Returns the schema name of the serving build of a projection. */
export async function schemaOf(pool: Pool, name: string): Promise<string> {
  const { rows } = await pool.query('SELECT schema_name FROM platform.builds WHERE name = $1 AND serving', [name]);
  return rows[0]?.schema_name;
}

/** Returns the schema name of a build of a projection in its current version. */
export function schemaOfBuild(name: string, build = 1): string {
  const projection = projections.find((each) => each.name === name);
  if (!projection) throw new Error(`There is no projection ${name}`);
  return buildSchema(projection, build);
}

/** Returns the checksums of the tables of the serving builds, without derived tables. */
export async function checksumsOf(pool: Pool): Promise<Record<string, string>> {
  const all: Record<string, string> = {};
  for (const projection of projections)
    Object.assign(all, await checksums(pool, await schemaOf(pool, projection.name), projection));
  return all;
}
