/** Starts a product, kills processes at steps of a purge, and checks the manifests of purges. */
import { setTimeout as pause } from 'node:timers/promises';
import { type PurgedEvent, type PurgedStream, type PurgeStep, streams as streamNames } from '@rdm/contracts';
import {
  type Client,
  connectEventStore,
  createPool,
  type EventStore,
  loadSigningKey,
  type Pool,
  Purged,
  signingKeyPath,
} from '@rdm/platform';
import { manifestRoot, signedManifest } from '@rdm/platform/event-store/purge-manifest';
import { verify } from '@rdm/platform/identity/signing-key';
import { afterAll, beforeAll, expect } from 'vitest';
import { done, newCollection, newCrosswalk, newDataSet, newType } from '../../stories/fixtures.ts';
import { HttpClient, type Json } from '../../stories/http-client.ts';
import { startTestStack, type TestStack } from '../../test-stack.ts';

const PASSWORD = 'Story-pass-1';
const LONG = process.env['FAULTS'] === 'long';
/** The key of the first advisory lock at which a purge pauses. Each kill has its own lock. */
const STEP_GATES = 900;
/** The maximum number of lines in a part of a manifest: low, so that manifests have several parts. */
export const PART_MAX = 3;

export let stack: TestStack;
export let pool: Pool;
export let store: EventStore;
export let admin: HttpClient;
export let olga: HttpClient;
let typeId: number;
/** A data set that no purge deletes. */
export let keptDataSet: number;

/** Starts the product with two administrators before the first test. */
export function useProduct(): void {
  beforeAll(async () => {
    const env = { OLD_BUILD_GRACE_SECONDS: '0', PURGE_MANIFEST_PART_MAX: String(PART_MAX) };
    stack = await startTestStack('purges', { adminPassword: PASSWORD, env });
    pool = createPool(stack.databaseUrl, { max: 6 });
    store = connectEventStore(stack.eventStoreUrl);
    admin = new HttpClient(stack.baseUrl);
    done(await admin.signIn('admin', PASSWORD));
    const user = { username: 'olga', email: 'olga@example.com', password: PASSWORD, roleId: 1 };
    done(await admin.post('/api/users', { ...user, requirePasswordChange: false }));
    olga = new HttpClient(stack.baseUrl);
    done(await olga.signIn('olga', PASSWORD));
    typeId = await newType(admin);
    keptDataSet = await newDataSet(admin, typeId, await newCollection(admin), [{ code: 'kept', name: 'Kept' }]);
    await pool.query(`CREATE FUNCTION pause_purge() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF NEW.step = ANY (TG_ARGV) THEN
        PERFORM pg_advisory_lock(${STEP_GATES} + array_position(TG_ARGV, NEW.step));
        PERFORM pg_advisory_unlock(${STEP_GATES} + array_position(TG_ARGV, NEW.step));
      END IF;
      RETURN NEW; END $$`);
  });
  afterAll(async () => {
    await store?.close();
    await pool?.end();
    await stack?.stop();
  });
}

export async function waitUntilPausedAt(gate: number): Promise<void> {
  const isWaiting = async () =>
    (await pool.query(`SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = $1 AND NOT granted`, [gate]))
      .rowCount;
  while (!(await isWaiting())) await pause(50);
}

interface Kill {
  part: string;
  step: PurgeStep;
}

/** Starts a purge with `begin`. When the purge reaches the step of a kill, kills the process `part`. */
export async function killAtSteps(kills: readonly Kill[], begin: () => Promise<unknown>): Promise<void> {
  const gates: Client = await pool.connect();
  try {
    for (const index of kills.keys()) await gates.query('SELECT pg_advisory_lock($1)', [STEP_GATES + index]);
    await pool.query(`CREATE TRIGGER pause BEFORE UPDATE OF step ON command.purge_plans
      FOR EACH ROW EXECUTE FUNCTION pause_purge(${kills.map(({ step }) => `'${step}'`).join()})`);
    await begin();
    for (const [index, { part }] of kills.entries()) {
      await waitUntilPausedAt(STEP_GATES + index);
      stack.parts[part]?.kill9();
      await gates.query('SELECT pg_advisory_unlock($1)', [STEP_GATES + index]);
    }
    await pool.query('DROP TRIGGER pause ON command.purge_plans');
  } finally {
    // Closes the connection, which releases its locks.
    gates.release(true);
  }
}

/** Returns the title and the kills of each purge: one purge with all kills; with FAULTS=long, also one per kill. */
export const purgesOf = (kills: Kill[]) =>
  [kills, ...(LONG ? kills.map((kill) => [kill]) : [])].map(
    (each) => [each.map(({ part, step }) => `${part} at ${step}`).join(', '), each] as const,
  );

export async function createDeletedItems(collection: number): Promise<{ dataSet: number; crosswalk: number }> {
  const rows = Array.from({ length: 50 }, (_, row) => ({ code: `code ${row}`, name: `name ${row}` }));
  const dataSet = await newDataSet(admin, typeId, collection, rows);
  const crosswalk = await newCrosswalk(admin, dataSet, keptDataSet);
  done(await admin.delete(`/api/crosswalks/${crosswalk}`));
  done(await admin.delete(`/api/reference-data/${dataSet}`));
  return { dataSet, crosswalk };
}

/**
 * Requests a purge of the deleted data sets of a collection, and returns the planned purge. Another administrator must
 * confirm the purge.
 */
export async function requestPurge(collectionId: number): Promise<Json> {
  const before = new Date(Date.now() + 3_600_000).toISOString();
  const { id } = done(await admin.post('/api/purges', { kind: 'dataSets', scope: { collectionId }, before }));
  const { body: purge } = await admin.eventually(`/api/purges/${id}`, ({ body }) => body.isPlanned);
  done(await admin.post(`/api/purges/${id}/request`, { phrase: purge.phrase, reason: 'none' }));
  return purge;
}

export async function manifestOf(id: number) {
  const streams: PurgedStream[] = [];
  const events: PurgedEvent[] = [];
  const seals: Json[] = [];
  const parts: number[] = [];
  for await (const { type, data } of store.read(streamNames.purge(id))) {
    const part = data as { part: number; streams: PurgedStream[]; events: PurgedEvent[] };
    if (type === 'PurgeManifestPart') {
      parts.push(part.part);
      streams.push(...part.streams);
      events.push(...part.events);
    }
    if (type === 'PurgeManifestSealed') seals.push(data);
  }
  return { parts, streams, events, seals };
}

export const isPurged = async (stream: string): Promise<boolean> =>
  store.tail(stream).then(
    () => false,
    (error) => error instanceof Purged,
  );

/** Checks the manifest of a purge against the plan, the root and the signature, and returns the manifest. */
export async function expectSealed({ id, plan }: Json): Promise<Awaited<ReturnType<typeof manifestOf>>> {
  const manifest = await manifestOf(id);
  const { parts, streams, events, seals } = manifest;
  expect(streams).toEqual(plan.streams);
  expect(events).toHaveLength(plan.events);
  expect(events.map(({ seq }) => seq)).toEqual([...new Set(events.map(({ seq }) => seq))].sort((a, b) => a - b));
  expect(parts).toEqual(parts.map((_, index) => index));
  expect(seals).toMatchObject([{ parts: parts.length }]);
  const [{ root, signature }] = seals as [Json];
  expect(root).toBe(manifestRoot(streams, events));
  const { publicKey } = loadSigningKey(signingKeyPath(stack.dataDir));
  const signed = signedManifest({ purgeId: id, streams: streams.length, events: events.length, root });
  expect(verify(signed, Buffer.from(signature, 'base64'), publicKey)).toBe(true);
  return manifest;
}
