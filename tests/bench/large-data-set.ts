/**
 * Starts the product with a large data set that is imported and indexed, and sends requests over persistent
 * connections.
 */
import { randomUUID } from 'node:crypto';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { type Stack, startStack } from '@rdm/embedded/stack';
import pg from 'pg';
import { type Caller, csvOf, FIELDS, importAndWait, signIn } from './data-sets.ts';

/** The password of the administrator. */
export const PASSWORD = 'Bench-reading-1';

export interface LargeDataSet {
  dataDir: string;
  baseUrl: string;
  databaseUrl: string;
  eventStoreUrl: string;
  typeId: number;
  dataSetId: number;
  /** The schema of the build that serves the rows. */
  schema: string;
  headers: Record<string, string>;
  person: Caller;
  /** The processes of the services by name. */
  parts: Stack['parts'];
  stop(): Promise<void>;
}

export async function openLargeDataSet(rows: number): Promise<LargeDataSet> {
  const directory = mkdtempSync(join(tmpdir(), 'rdm-bench-large-'));
  const file = join(directory, 'rows.csv');
  await pipeline(Readable.from(csvOf(rows)), createWriteStream(file));
  const dataDir = join(directory, 'data');
  const stack = await startStack({ dataDir, adminPassword: PASSWORD });
  const stop = async () => {
    await stack.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    const person = await signIn(stack.baseUrl, PASSWORD);
    const schemas = FIELDS.map(([name, dataType], index) => ({ name, dataType, isPrimaryKey: index === 0 }));
    const { id: typeId } = await person.write('/api/reference-types', { name: `Large ${randomUUID()}`, schemas });
    const { dataSetId } = await importAndWait(person, typeId, file, rows);
    const { baseUrl, databaseUrl, eventStoreUrl } = stack;
    const schema = await waitForIndexes(databaseUrl, dataSetId);
    const headers = { Cookie: person.cookie };
    const { parts } = stack;
    return { dataDir, baseUrl, databaseUrl, eventStoreUrl, typeId, dataSetId, schema, headers, person, parts, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Waits until the projector has indexed the fields: the indexing ends with a VACUUM. Returns the schema of the build
 * that serves the rows.
 */
async function waitForIndexes(databaseUrl: string, dataSetId: number): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    for (;;) {
      const { rows } = await client.query(
        `SELECT b.schema_name, s.vacuum_count > 0 AS done
           FROM platform.builds b
           LEFT JOIN pg_stat_user_tables s ON s.schemaname = b.schema_name AND s.relname = $1
          WHERE b.name = 'instances' AND b.serving`,
        [`instances_of_${dataSetId}`],
      );
      if (rows[0].done) return rows[0].schema_name;
      await pause(1_000);
    }
  } finally {
    await client.end();
  }
}

/**
 * Returns a function that sends a GET request over at most `connections` persistent connections and returns the status.
 */
export function createCaller(
  base: string,
  headers: Record<string, string>,
  connections: number,
): (path: string) => Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return (path) =>
    new Promise((resolve, reject) => {
      get(base + path, { agent, headers }, (answer) => {
        answer.resume();
        answer.once('end', () => resolve(answer.statusCode ?? 0));
        answer.once('error', reject);
      }).once('error', reject);
    });
}

/** Like `createCaller`, but the returned function throws if the status is not 200. */
export function createThrowingCaller(...args: Parameters<typeof createCaller>): (path: string) => Promise<void> {
  const call = createCaller(...args);
  return async (path) => {
    const status = await call(path);
    if (status !== 200) throw new Error(`${path}: ${status}`);
  };
}
