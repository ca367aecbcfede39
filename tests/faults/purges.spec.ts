/**
 * Kills processes during purges: the maintenance process at each step, and the other processes that a purge needs. Each purge is
 * completed, once. FAULTS=long also runs one purge for each kill.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  PURGE_STEPS,
  PURGES_STREAM,
  type PurgedEvent,
  type PurgedStream,
  type PurgeStep,
  streams as streamNames,
} from '@rdm/contracts';
import { verifyLog } from '@rdm/embedded/maintenance/verify-log';
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
import { afterAll, beforeAll, expect, it } from 'vitest';
import { done, newCollection, newCrosswalk, newDataSet, newType } from '../stories/fixtures.ts';
import { HttpClient, type Json } from '../stories/http-client.ts';
import { startTestStack, type TestStack } from '../test-stack.ts';

const PASSWORD = 'Story-pass-1';
const LONG = process.env['FAULTS'] === 'long';
/** Advisory locks for which the triggers of this check wait: two for reports, and one for each kill at a step. */
const GATE = 815;
const SECOND_GATE = 816;
const STEP_GATES = 900;
/** The maximum number of lines in a part of a manifest. They are so few that manifests have several parts of streams and of events. */
const PART_MAX = 3;

let stack: TestStack;
let pool: Pool;
let store: EventStore;
let admin: HttpClient;
let olga: HttpClient;
let typeId: number;
/** A data set that no purge deletes. */
let keptDataSet: number;

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
  await pool.query(`CREATE SEQUENCE purge_reports;
    CREATE FUNCTION pause_report() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE number bigint; BEGIN
      IF NEW.name = 'RecordPurge' THEN
        number := nextval('purge_reports');
        IF number = TG_ARGV[0]::bigint THEN
          PERFORM pg_advisory_lock(${GATE}); PERFORM pg_advisory_unlock(${GATE});
        ELSIF number = TG_ARGV[0]::bigint + 2 THEN
          PERFORM pg_advisory_lock(${SECOND_GATE}); PERFORM pg_advisory_unlock(${SECOND_GATE});
        END IF;
      END IF;
      RETURN NEW; END $$`);
});
afterAll(async () => {
  await store?.close();
  await pool?.end();
  await stack?.stop();
});

async function waitUntilPausedAt(gate: number): Promise<void> {
  const isWaiting = async () =>
    (await pool.query(`SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = $1 AND NOT granted`, [gate]))
      .rowCount;
  while (!(await isWaiting())) await pause(50);
}

/** Kills the maintenance process while a trigger pauses the report of this number, then lets the paused statement continue. */
async function killWhileReporting(
  report: number,
  begin: () => Promise<unknown>,
  { meanwhile, afterwards }: { meanwhile: () => Promise<void>; afterwards: () => Promise<void> },
): Promise<void> {
  const gate: Client = await pool.connect();
  try {
    await gate.query('SELECT pg_advisory_lock($1)', [GATE]);
    await pool.query(`CREATE TRIGGER pause BEFORE INSERT ON command.commands
      FOR EACH ROW EXECUTE FUNCTION pause_report('${report}')`);
    await begin();
    await waitUntilPausedAt(GATE);
    stack.parts['maintenance']?.kill9();
    await meanwhile();
    await gate.query('SELECT pg_advisory_unlock($1)', [GATE]);
    await afterwards();
    await pool.query('DROP TRIGGER pause ON command.commands');
  } finally {
    gate.release();
  }
}

interface Kill {
  part: string;
  step: PurgeStep;
}

/** Kills one process of the product at each of these steps of a purge, in turn. */
async function killAtSteps(kills: readonly Kill[], begin: () => Promise<unknown>): Promise<void> {
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
    // Closes the connection, which releases the locks that it still holds.
    gates.release(true);
  }
}

/** Returns the kills of each purge to run, with a title: one purge with all kills in turn, and with FAULTS=long one for each kill. */
const purgesOf = (kills: Kill[]) =>
  [kills, ...(LONG ? kills.map((kill) => [kill]) : [])].map(
    (some) => [some.map(({ part, step }) => `${part} at ${step}`).join(', '), some] as const,
  );

async function createDeletedItems(collection: number): Promise<{ dataSet: number; crosswalk: number }> {
  const rows = Array.from({ length: 50 }, (_, row) => ({ code: `code ${row}`, name: `name ${row}` }));
  const dataSet = await newDataSet(admin, typeId, collection, rows);
  const crosswalk = await newCrosswalk(admin, dataSet, keptDataSet);
  done(await admin.delete(`/api/crosswalks/${crosswalk}`));
  done(await admin.delete(`/api/reference-data/${dataSet}`));
  return { dataSet, crosswalk };
}

/** Requests a purge of the deleted data sets of a collection; returns its plan. Another administrator must confirm the purge. */
async function requestPurge(collectionId: number): Promise<Json> {
  const before = new Date(Date.now() + 3_600_000).toISOString();
  const { id } = done(await admin.post('/api/purges', { kind: 'dataSets', scope: { collectionId }, before }));
  const { body: purge } = await admin.eventually(`/api/purges/${id}`, ({ body }) => body.isPlanned);
  done(await admin.post(`/api/purges/${id}/request`, { phrase: purge.phrase, reason: 'none' }));
  return purge;
}

async function manifestOf(id: number) {
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

const isPurged = async (stream: string): Promise<boolean> =>
  store.tail(stream).then(
    () => false,
    (error) => error instanceof Purged,
  );

/** Checks the manifest of a purge against its plan, root and signature, and returns it. */
async function expectSealed({ id, plan }: Json): Promise<Awaited<ReturnType<typeof manifestOf>>> {
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

it.each(purgesOf(PURGE_STEPS.map((step) => ({ part: 'maintenance', step }))))(
  'a purge is completed after kills: %s',
  async (_, kills) => {
    const collection = await newCollection(admin);
    const { dataSet, crosswalk } = await createDeletedItems(collection);
    const purge = await requestPurge(collection);
    const { id } = purge;

    await killAtSteps(kills, async () => done(await olga.post(`/api/purges/${id}/confirm`)));
    const { body: ended } = await admin.eventually(
      `/api/purges/${id}`,
      ({ body }) => ['RECLAIMING', 'DONE', 'FAILED'].includes(body.status),
      110_000,
    );
    expect(ended).toMatchObject({ status: 'DONE', problem: null, leftovers: [] });

    const { streams, events } = await expectSealed(purge);

    const registered: Json[] = [];
    for await (const { data } of store.read(PURGES_STREAM)) registered.push(data);
    expect(registered.filter(({ purgeId }) => purgeId === id)).toEqual([
      { purgeId: id, events: events.length, firstSeq: events[0]?.seq, lastSeq: events.at(-1)?.seq },
    ]);

    for (const { stream } of streams) expect([stream, await isPurged(stream)]).toEqual([stream, true]);
    expect(await isPurged(streamNames.dataSet(keptDataSet))).toBe(false);
    const { rowCount } = await pool.query(
      `SELECT FROM command.commands c WHERE EXISTS (SELECT FROM jsonb_object_keys(c.steps) step
       WHERE split_part(step, '#', 1) IN ($1, $2))`,
      [streamNames.dataSet(dataSet), streamNames.crosswalk(crosswalk)],
    );
    expect(rowCount).toBe(0);
    expect(done(await admin.get(`/api/reference-data/${keptDataSet}/instances`)).items).toMatchObject([
      { data: { code: 'kept' } },
    ]);
  },
);

/** Verifies the log as an auditor does: with a signed head, an export and the public key. */
async function verifyOffline(): Promise<Json> {
  const head = done(await admin.get('/api/audit-logs/signed-head'));
  const [{ publicKey }] = done(await admin.get('/api/audit-logs/keys'));
  const path = join(stack.dataDir, 'export.gz');
  const exported = await admin.download('/api/audit-logs/export?format=log');
  writeFileSync(path, Buffer.from(await exported.arrayBuffer()));
  return verifyLog(path, { head, keys: [publicKey] });
}

/** Resumes the purge whenever it failed or waits, until it is done. */
async function completePurge(id: number): Promise<void> {
  for (;;) {
    const { body } = await admin.eventually(
      `/api/purges/${id}`,
      (answer) => ['RECLAIMING', 'DONE', 'FAILED'].includes(answer.body.status),
      110_000,
    );
    if (body.status === 'DONE') return;
    // The request is refused if another process has resumed the purge, or while the product is starting.
    await admin.post(`/api/purges/${id}/${body.status === 'FAILED' ? 'resume' : 'reclaim'}`);
  }
}

const answeredReports = async (): Promise<number> =>
  (await pool.query(`SELECT FROM command.commands WHERE name = 'RecordPurge' AND status IS NOT NULL`)).rowCount ?? 0;

/**
 * When the product records the report that the kill interrupted, while another process resumes the purge: at once, after the other
 * process has sent the same part, or after it has sealed the manifest.
 */
type LateReport = 'at once' | 'after it sent the same part' | 'after it sealed';

const LATE_REPORTS: LateReport[] = ['after it sent the same part'];

it.each<LateReport>(LONG ? ['at once', ...LATE_REPORTS, 'after it sealed'] : LATE_REPORTS)(
  'a purge seals one manifest after a kill between two parts, if the interrupted report is recorded %s',
  async (late) => {
    const collection = await newCollection(admin);
    await createDeletedItems(collection);
    const purge = await requestPurge(collection);
    const { id, plan } = purge;
    const partsOfStreams = Math.ceil(plan.streams.length / PART_MAX);
    expect(plan.events).toBeGreaterThan(3 * PART_MAX);
    const { rows } = await pool.query(`SELECT nextval('purge_reports') AS last`);
    const paused = Number(rows[0].last) + partsOfStreams + 2;
    const secondGate = await pool.connect();
    if (late === 'after it sent the same part') await secondGate.query('SELECT pg_advisory_lock($1)', [SECOND_GATE]);
    let answeredCount = 0;
    await killWhileReporting(paused, async () => done(await olga.post(`/api/purges/${id}/confirm`)), {
      async meanwhile() {
        const { parts, seals } = await manifestOf(id);
        expect([parts.length, seals]).toEqual([partsOfStreams + 1, []]);
        if (late === 'after it sealed') while ((await manifestOf(id)).seals.length === 0) await pause(50);
        if (late !== 'after it sent the same part') return;
        await waitUntilPausedAt(SECOND_GATE);
        expect((await manifestOf(id)).parts).toHaveLength(partsOfStreams + 2);
        answeredCount = await answeredReports();
      },
      async afterwards() {
        if (late !== 'after it sent the same part') return;
        while ((await answeredReports()) === answeredCount) await pause(50);
        await secondGate.query('SELECT pg_advisory_unlock($1)', [SECOND_GATE]);
      },
    }).finally(() => secondGate.release());
    await completePurge(id);
    const { events } = await expectSealed(purge);
    const { body: verified } = await admin.get('/api/audit-logs/verify');
    expect(verified).toMatchObject({ intact: true, notes: [] });
    const { intact, purges } = await verifyOffline();
    expect(intact).toBe(true);
    expect(purges.find(({ purgeId }: Json) => purgeId === id)).toMatchObject({ events: events.length });
  },
);

it.each(
  purgesOf([
    { part: 'command-api', step: 'MANIFEST' },
    { part: 'event-store', step: 'TOMBSTONES' },
    { part: 'projector', step: 'READ_MODELS' },
    { part: 'event-store', step: 'SPACE' },
  ]),
)('a purge is completed after kills, and is resumed first if it failed: %s', async (_, kills) => {
  const collection = await newCollection(admin);
  await createDeletedItems(collection);
  const purge = await requestPurge(collection);
  let completing: Promise<void> | undefined;
  await killAtSteps(kills, async () => {
    done(await olga.post(`/api/purges/${purge.id}/confirm`));
    completing = completePurge(purge.id);
  });
  await completing;
  const { streams, events, seals } = await manifestOf(purge.id);
  expect([streams, events.length, seals.length]).toEqual([purge.plan.streams, purge.plan.events, 1]);
  for (const { stream } of streams) expect([stream, await isPurged(stream)]).toEqual([stream, true]);
  const { body: verified } = await admin.get('/api/audit-logs/verify');
  expect(verified).toMatchObject({ intact: true, notes: [] });
});
