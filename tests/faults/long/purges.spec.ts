/**
 * Kills processes of the product during purges, and expects that each purge is completed exactly once. FAULTS=long adds
 * a purge for each kill, and other times at which an interrupted report is recorded.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { verifyLog } from '@rdm/embedded/maintenance/verify-log';
import type { Client } from '@rdm/platform';
import { beforeAll, expect, it } from 'vitest';
import { done, newCollection } from '../../stories/fixtures.ts';
import type { Json } from '../../stories/http-client.ts';
import {
  admin,
  createDeletedItems,
  expectSealed,
  isPurged,
  killAtSteps,
  manifestOf,
  olga,
  PART_MAX,
  pool,
  purgesOf,
  requestPurge,
  stack,
  useProduct,
  waitUntilPausedAt,
} from '../purges/product.ts';

const LONG = process.env['FAULTS'] === 'long';
/** The keys of the advisory locks at which reports pause. */
const GATE = 815;
const SECOND_GATE = 816;

useProduct();
beforeAll(async () => {
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

/**
 * Kills the maintenance process while a trigger pauses its report with this number. The paused report continues after
 * `meanwhile`, and the trigger is dropped after `afterwards`.
 */
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

/** Verifies the log as an auditor does: with a signed head, an export and the public key. */
async function verifyOffline(): Promise<Json> {
  const head = done(await admin.get('/api/audit-logs/signed-head'));
  const [{ publicKey }] = done(await admin.get('/api/audit-logs/keys'));
  const path = join(stack.dataDir, 'export.gz');
  const exported = await admin.download('/api/audit-logs/export?format=log');
  writeFileSync(path, Buffer.from(await exported.arrayBuffer()));
  return verifyLog(path, { head, keys: [publicKey] });
}

/** Completes the purge: resumes the purge after each failure and each wait for a scavenge. */
async function completePurge(id: number): Promise<void> {
  for (;;) {
    const { body } = await admin.eventually(
      `/api/purges/${id}`,
      (answer) => ['RECLAIMING', 'DONE', 'FAILED'].includes(answer.body.status),
      110_000,
    );
    if (body.status === 'DONE') return;
    // A refusal is ignored: another process may have resumed the purge, or the product may be starting.
    await admin.post(`/api/purges/${id}/${body.status === 'FAILED' ? 'resume' : 'reclaim'}`);
  }
}

const answeredReports = async (): Promise<number> =>
  (await pool.query(`SELECT FROM command.commands WHERE name = 'RecordPurge' AND status IS NOT NULL`)).rowCount ?? 0;

/** When the product records the report of the killed process, while a new process resumes the purge. */
type LateReport = 'at once' | 'after the new process sent the same part' | 'after the new process sealed the manifest';

const LATE_REPORTS: LateReport[] = ['after the new process sent the same part'];

it.each<LateReport>(LONG ? ['at once', ...LATE_REPORTS, 'after the new process sealed the manifest'] : LATE_REPORTS)(
  'a purge seals one manifest if the report of a killed process is recorded %s',
  async (late) => {
    const collection = await newCollection(admin);
    await createDeletedItems(collection);
    const purge = await requestPurge(collection);
    const { id, plan } = purge;
    const partsOfStreams = Math.ceil(plan.streams.length / PART_MAX);
    expect(plan.events).toBeGreaterThan(3 * PART_MAX);
    const { rows } = await pool.query(`SELECT nextval('purge_reports') AS last`);
    const pausedReport = Number(rows[0].last) + partsOfStreams + 2;
    const secondGate = await pool.connect();
    if (late === 'after the new process sent the same part')
      await secondGate.query('SELECT pg_advisory_lock($1)', [SECOND_GATE]);
    let answeredCount = 0;
    await killWhileReporting(pausedReport, async () => done(await olga.post(`/api/purges/${id}/confirm`)), {
      async meanwhile() {
        const { parts, seals } = await manifestOf(id);
        expect([parts.length, seals]).toEqual([partsOfStreams + 1, []]);
        if (late === 'after the new process sealed the manifest')
          while ((await manifestOf(id)).seals.length === 0) await pause(50);
        if (late !== 'after the new process sent the same part') return;
        await waitUntilPausedAt(SECOND_GATE);
        expect((await manifestOf(id)).parts).toHaveLength(partsOfStreams + 2);
        answeredCount = await answeredReports();
      },
      async afterwards() {
        if (late !== 'after the new process sent the same part') return;
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
)('a purge is completed after kills: %s', async (_, kills) => {
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
