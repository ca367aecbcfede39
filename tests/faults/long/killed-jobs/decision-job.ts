/**
 * Kills the process of jobs that decide on, undo, delete or restore rows: each job continues, each row changes once per
 * job, and the counts are exact.
 */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { announcedSeed, random } from '../../../conformance/seed.ts';
import { killAndExpireLeases } from '../../killed-jobs/leases.ts';
import { ANSWERED_ROWS, LONG, PASSWORD, stack } from '../../killed-jobs/stack.ts';
import { until } from '../../killed-jobs/until.ts';
import { bodyOf, RetryingClient } from '../../retrying-client.ts';

/** More rows than one request changes, so that each change becomes a job. */
const ROWS = LONG ? 12_000 : ANSWERED_ROWS + 100;
/** Maximum number of kills during a decision or an undo. Deletions and restorations have half as many, rounded up. */
const KILLS = LONG ? 10 : 1;
const ROWS_PER_REQUEST = ROWS / 2;
/** Pause between two counts of all rows, because the database needs several milliseconds for each count. */
const COUNT_INTERVAL_MS = 200;

let pool: pg.Pool;
let author: RetryingClient;
let approver: RetryingClient;

const send = async (person: RetryingClient, method: string, path: string, body: unknown, key?: string) =>
  bodyOf(await person.send(method, path, body, key));
const write = (person: RetryingClient, path: string, body: unknown, key?: string) =>
  send(person, 'POST', path, body, key);

const query = async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> =>
  (await pool.query<Row>(text, values)).rows;

/** Waits until a job has ended, and returns its status and counts. */
const waitForEnd = (jobId: number) =>
  until(async () => {
    const [job] = await query<{ status: string; counts: Record<string, number> }>(
      `SELECT status, counts FROM jobs.progress WHERE job_id = $1 AND ended_at IS NOT NULL`,
      [jobId],
    );
    return job;
  });

async function schemaOf(projection: string): Promise<string | undefined> {
  const [build] = await query<{ schema_name: string }>(
    'SELECT schema_name FROM platform.builds WHERE name = $1 AND serving',
    [projection],
  );
  return build?.schema_name;
}

const mappingsTable = async () => `${await schemaOf('crosswalks')}.crosswalk_mapping_values`;

const waitForRevision = (crosswalkId: number, revision: number) =>
  until(async () => {
    const [matching] = await query<{ count: number }>(
      `SELECT count(*)::int AS count FROM ${await mappingsTable()} WHERE crosswalk_id = $1 AND revision = $2`,
      [crosswalkId, revision],
    );
    return matching?.count === ROWS ? true : undefined;
  }, COUNT_INTERVAL_MS);

async function createType(): Promise<number> {
  const schemas = [{ name: 'code', dataType: 'string', isPrimaryKey: true }];
  return (await write(author, '/api/reference-types', { name: `Job ${randomUUID()}`, schemas })).id;
}

async function createDrafts(): Promise<number> {
  const typeId = await createType();
  const createDataSet = async () =>
    (await write(author, '/api/reference-data', { name: `Job ${randomUUID()}`, typeId })).id as number;
  const ends = { sourceSystemId: await createDataSet(), targetSystemId: await createDataSet() };
  const attributes = { sourceAttribute: 'code', targetAttribute: 'code' };
  const { id } = await write(author, '/api/crosswalks', { name: 'Decided as a job', ...ends, ...attributes });
  for (let from = 0; from < ROWS; from += ROWS_PER_REQUEST) {
    const rows = Array.from({ length: ROWS_PER_REQUEST }, (_, index) => ({
      sourceValue: `s${from + index}`,
      targetValue: `t${from + index}`,
    }));
    await write(author, `/api/crosswalks/${id}/mappings`, { rows });
  }
  await waitForRevision(id, 1);
  return id;
}

async function decide(person: RetryingClient, crosswalkId: number, verb: string, tab: string) {
  const { selectionId, count } = await write(person, '/api/selections', {
    kind: 'mappings',
    parentId: crosswalkId,
    tab,
  });
  expect(count).toBe(ROWS);
  return startJob(person, `/api/crosswalks/${crosswalkId}/mappings/${verb}`, { selectionId });
}

/** Starts a job; `resend` repeats the request under the same idempotency key. */
async function startJob(person: RetryingClient, path: string, body: unknown, method = 'POST') {
  const key = randomUUID();
  const resend = () => send(person, method, path, body, key);
  const answer = await resend();
  expect(answer).toMatchObject({ total: ROWS });
  return { jobId: answer.jobId as number, commandId: answer.commandId as string, answer, resend };
}

const next = random(announcedSeed('decided as job'));
let totalKills = 0;

/** Kills the process during the job, and repeats the request after each kill; returns the number of kills. */
async function killDuringJob(
  { jobId, answer, resend }: Awaited<ReturnType<typeof startJob>>,
  maxKills = KILLS,
): Promise<number> {
  let killsDuringJob = 0;
  for (let kill = 1; kill <= maxKills; kill++) {
    // A job decides a piece for each of the 64 buckets. Wait for at most 48 pieces, so that the job has not ended.
    const pieces = Math.floor((64 * kill + next() * 32) / (maxKills + 1));
    const reached = await until(async () => {
      const [job] = await query<{ kept: number; ended: boolean }>(
        `SELECT (SELECT count(*)::int FROM command.bulk_pieces WHERE job_id = $1) AS kept, ended_at IS NOT NULL AS ended
           FROM jobs.progress WHERE job_id = $1`,
        [jobId],
      );
      return job && (job.ended || job.kept >= Math.min(pieces, 48)) ? job : undefined;
    });
    if (reached.ended) break;
    killsDuringJob += 1;
    await killAndExpireLeases(stack.parts['command-api'], pool, { keepLeases: totalKills === 0 });
    totalKills += 1;
    expect(await resend()).toEqual(answer);
  }
  expect(await waitForEnd(jobId)).toMatchObject({
    status: 'DONE',
    counts: { total: ROWS, changed: ROWS, failed: 0, skipped: 0 },
  });
  return killsDuringJob;
}

describe('a job over many rows', () => {
  beforeAll(async () => {
    pool = new pg.Pool({ connectionString: stack.databaseUrl, max: 1 });
    author = new RetryingClient(stack.baseUrl);
    approver = new RetryingClient(stack.baseUrl);
    await author.signIn('admin', PASSWORD);
    const decider = {
      username: 'decider-of-jobs',
      email: 'decider-of-jobs@example.com',
      password: PASSWORD,
      roleId: 1,
    };
    bodyOf(await author.send('POST', '/api/users', { ...decider, requirePasswordChange: false }));
    await approver.signIn('decider-of-jobs', PASSWORD);
  });
  afterAll(async () => {
    await pool?.end();
  });

  // The short form omits this test, because `decision-retry` kills processes during a decision on fewer rows.
  if (LONG)
    it('changes each row once per decision and undo while the process is killed', async () => {
      const crosswalkId = await createDrafts();
      let killsDuringDecisions = 0;
      let revision = 1;
      let approval = '';
      for (const [person, verb, tab] of [
        [author, 'submit', 'draft'],
        [approver, 'approve', 'pending'],
      ] as const) {
        const job = await decide(person, crosswalkId, verb, tab);
        killsDuringDecisions += await killDuringJob(job);
        approval = job.commandId;
        revision += 1;
        await waitForRevision(crosswalkId, revision);
      }
      const undo = await startJob(approver, `/api/batches/${approval}/undo`, {});
      const killsDuringUndo = await killDuringJob(undo);
      revision += 1;
      await waitForRevision(crosswalkId, revision);
      const table = await mappingsTable();
      const [history] = await query<{ past: number; versions: number }>(
        `SELECT count(*)::int AS past, count(DISTINCT (id, revision))::int AS versions
         FROM ${table}_history WHERE crosswalk_id = $1`,
        [crosswalkId],
      );
      expect(history).toEqual({ past: ROWS * (revision - 1), versions: ROWS * (revision - 1) });
      const [pending] = await query<{ count: number }>(
        `SELECT count(*)::int AS count FROM ${table}
        WHERE crosswalk_id = $1 AND approval_status = 'PENDING' AND served_target IS NULL`,
        [crosswalkId],
      );
      expect(pending).toEqual({ count: ROWS });
      expect(killsDuringDecisions).toBeGreaterThan(0);
      expect(killsDuringUndo).toBeGreaterThan(0);
      console.info(
        `${ROWS} rows decided twice and undone as jobs, each took effect once; ${killsDuringDecisions} kills during decisions, ${killsDuringUndo} during undos`,
      );
    });

  it('deletes and restores each row once while the process is killed', async () => {
    const { id } = await write(author, '/api/reference-data', { name: 'Deleted as a job', typeId: await createType() });
    const path = `/api/reference-data/${id}/instances`;
    for (let from = 0; from < ROWS; from += ROWS_PER_REQUEST) {
      const rows = Array.from({ length: ROWS_PER_REQUEST }, (_, index) => ({ data: { code: `c${from + index}` } }));
      await write(author, path, { rows });
    }
    const table = `${await schemaOf('instances')}.instances`;
    const waitForAllRows = (revision: number, deleted: boolean) =>
      until(async () => {
        const [matching] = await query<{ count: number }>(
          `SELECT count(*)::int AS count FROM ${table} WHERE data_set_id = $1 AND revision = $2 AND deleted = $3`,
          [id, revision, deleted],
        );
        return matching?.count === ROWS ? true : undefined;
      }, COUNT_INTERVAL_MS);
    const selectionOf = (criteria: object) =>
      write(author, '/api/selections', { kind: 'instances', parentId: id, ...criteria }) as Promise<{
        selectionId: string;
      }>;
    await waitForAllRows(1, false);
    const deletion = await startJob(author, path, { selectionId: (await selectionOf({})).selectionId }, 'DELETE');
    const killsDuringDeletion = await killDuringJob(deletion, Math.ceil(KILLS / 2));
    await waitForAllRows(2, true);
    const { selectionId } = await selectionOf({ tab: 'deleted', commandIds: [deletion.commandId] });
    const restoration = await startJob(author, `${path}/restore`, { selectionId });
    const killsDuringRestoration = await killDuringJob(restoration, Math.ceil(KILLS / 2));
    await waitForAllRows(3, false);
    const [history] = await query<{ past: number; versions: number }>(
      `SELECT count(*)::int AS past, count(DISTINCT (id, revision))::int AS versions
         FROM ${table}_history WHERE data_set_id = $1`,
      [id],
    );
    expect(history).toEqual({ past: ROWS * 2, versions: ROWS * 2 });
    expect(killsDuringDeletion + killsDuringRestoration).toBeGreaterThan(0);
    console.info(
      `${ROWS} rows deleted and restored as jobs, each took effect once; ${killsDuringDeletion + killsDuringRestoration} kills during the jobs`,
    );
  });
});
