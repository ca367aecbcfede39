/** Decisions on more rows than one request answers: a job with progress, results by row, cancellation and undo. */
import { randomUUID } from 'node:crypto';
import { REVIEW_REFUSALS } from '@rdm/contracts';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { done, draft, newCrosswalk, newDataSet, newSharedCollection, newType, userIds } from './fixtures.ts';
import { type HttpClient, type Json, signInAs } from './http-client.ts';
import { waitForProgressReport, whilePaused } from './paused-job.ts';
import { createSignedInUser } from './signed-in-user.ts';
import { ANSWERED_ROWS } from './stack.ts';

const ROWS = ANSWERED_ROWS + 10;
const DRAFTED_AT_ONCE = ROWS / 2;
const RELATED_AT_ONCE = Math.min(ROWS / 2, 1_000);
/** The number of keys that have more pairs than one request answers. */
const KEYS = Math.ceil(Math.sqrt(ROWS));

let steward: HttpClient;
let approver: HttpClient;
let viewer: HttpClient;
let admin: HttpClient;
let database: pg.Pool;
let typeId: number;
let collectionId: number;

beforeAll(async () => {
  [steward, approver, viewer, admin] = await Promise.all([
    signInAs('steward'),
    signInAs('approver'),
    signInAs('viewer'),
    signInAs('admin'),
  ]);
  database = new pg.Pool({ connectionString: inject('databaseUrl'), max: 2 });
  typeId = await newType(steward);
  collectionId = await newSharedCollection(steward);
});
afterAll(() => database?.end());

const freezeSelection = async (person: HttpClient, selection: Json): Promise<string> => {
  const { selectionId, count } = done(await person.post('/api/selections', selection));
  expect(count).toBe(ROWS);
  return selectionId;
};

const waitForEnd = async (person: HttpClient, jobId: number): Promise<Json> =>
  (
    await person.eventually(
      `/api/jobs/${jobId}`,
      ({ status, body }) => status === 200 && ['DONE', 'FAILED', 'CANCELLED'].includes(body.status),
      60_000,
    )
  ).body;

/** Undoes a batch; the undo of so many rows is a job as well. */
async function undoBatch(person: HttpClient, commandId: string): Promise<Json> {
  const answer = await person.post(`/api/batches/${commandId}/undo`);
  expect(answer.status).toBe(202);
  return waitForEnd(person, answer.body.jobId);
}

/** Creates a crosswalk with so many drafts that a decision on them is a job. */
async function createDrafts(collection: number): Promise<number> {
  const source = await newDataSet(steward, typeId, collection);
  const crosswalkId = await newCrosswalk(steward, source, await newDataSet(steward, typeId, collection));
  for (let from = 0; from < ROWS; from += DRAFTED_AT_ONCE) {
    await draft(
      steward,
      crosswalkId,
      Array.from({ length: DRAFTED_AT_ONCE }, (_, index) => [`s${from + index}`, `t${from + index}`]),
    );
  }
  return crosswalkId;
}

async function waitForCount(crosswalkId: number, tab: string, count: number): Promise<void> {
  await steward.eventually(`/api/crosswalks/${crosswalkId}`, ({ body }) => body.counts[tab] === count, 60_000);
}

/** Creates a crosswalk with so many drafts, and submits them all in a job. */
async function createPending(collection = collectionId): Promise<number> {
  const crosswalkId = await createDrafts(collection);
  await waitForCount(crosswalkId, 'draft', ROWS);
  const selectionId = await freezeSelection(steward, { kind: 'mappings', parentId: crosswalkId, tab: 'draft' });
  const response = await steward.post(`/api/crosswalks/${crosswalkId}/mappings/submit`, { selectionId });
  expect(response.status).toBe(202);
  expect(await waitForEnd(steward, done(response).jobId)).toMatchObject({ status: 'DONE', counts: { changed: ROWS } });
  await waitForCount(crosswalkId, 'pending', ROWS);
  return crosswalkId;
}

/** Cancels a job between two of its pieces and returns it. If the job ends before that, undoes its decisions and tries again. */
async function cancelDuringJob(crosswalkId: number): Promise<Json> {
  for (;;) {
    const selectionId = await freezeSelection(approver, { kind: 'mappings', parentId: crosswalkId, tab: 'pending' });
    const path = `/api/crosswalks/${crosswalkId}/mappings/approve`;
    const { jobId, commandId } = done(await approver.post(path, { selectionId }));
    await whilePaused(database, commandId, async () => {
      expect((await viewer.post(`/api/jobs/${jobId}/cancel`)).status).toBe(403);
      const { status } = await approver.post(`/api/jobs/${jobId}/cancel`);
      if (status === 202) await waitForProgressReport(database, jobId);
    });
    const job = await waitForEnd(approver, jobId);
    if (job.status === 'CANCELLED') return job;
    await undoBatch(approver, commandId);
    await waitForCount(crosswalkId, 'pending', ROWS);
  }
}

describe('a decision on more rows than one request answers', () => {
  it('runs as a job with progress and results by row, once per Idempotency-Key, and is undone as a batch', async () => {
    const crosswalkId = await createPending();
    const selectionId = await freezeSelection(approver, { kind: 'mappings', parentId: crosswalkId, tab: 'pending' });
    const path = `/api/crosswalks/${crosswalkId}/mappings`;
    const { items } = done(await steward.get(`${path}?tab=pending&pageSize=3`));
    const moved = items.map(({ id, revision }: Json) => ({ id, revision }));
    expect(done(await steward.post(`${path}/recall`, { rows: moved }))).toMatchObject({ done: 3 });

    const key = randomUUID();
    const response = await approver.post(`${path}/approve`, { selectionId, comment: 'All of them' }, { key });
    expect(response.status).toBe(202);
    const { jobId, commandId, total } = response.body;
    expect(total).toBe(ROWS);

    const job = await waitForEnd(approver, jobId);
    expect(job).toMatchObject({
      jobType: 'BULK_DECISION',
      jobLevel: 'STANDALONE',
      status: 'DONE',
      progress: 100,
      counts: { total: ROWS, changed: ROWS - 3, failed: 3, skipped: 0 },
      errorMessage: null,
    });
    expect(job.description).toMatch(new RegExp(`^Approve ${ROWS.toLocaleString('en')} mappings of Crosswalk`));
    const listed = done(await approver.get(`/api/jobs?q=${encodeURIComponent(job.description)}`));
    expect(listed.items.map((each: Json) => each.jobId)).toContain(jobId);

    const logs = done(await approver.get(`/api/jobs/${jobId}/logs?status=ERROR`));
    expect(logs.total).toBe(3);
    expect(new Set(logs.items.map((log: Json) => log.recordIndex))).toEqual(new Set(moved.map(({ id }: Json) => id)));
    const pairs = new Map(items.map((row: Json) => [row.id, `${row.sourceValue} → ${row.targetValue}`]));
    for (const log of logs.items) {
      expect(log).toMatchObject({
        errorType: 'STALE',
        recordKey: pairs.get(log.recordIndex),
        tried: 'Approve',
        recordData: { id: String(log.recordIndex) },
      });
      expect(log.errorMessage).not.toBe('');
    }
    const file = (await approver.get(`/api/jobs/${jobId}/errors`)).body.trimEnd().split('\r\n');
    const [line] = logs.items;
    expect([file[0], file.length]).toEqual(['row,key,tried,code,reason', 4]);
    expect(file).toContainEqual(expect.stringContaining(`${line.recordIndex},${line.recordKey},Approve,STALE,`));

    await waitForCount(crosswalkId, 'approved', ROWS - 3);
    const repeatedAnswer = await approver.post(`${path}/approve`, { selectionId, comment: 'All of them' }, { key });
    expect([repeatedAnswer.status, repeatedAnswer.body]).toEqual([202, response.body]);
    const requested = done(await steward.get(`/api/jobs?q=${encodeURIComponent(job.description)}`));
    expect(requested.total).toBe(listed.total);

    const revokedLater = done(await approver.get(`${path}?tab=approved&pageSize=1`)).items[0];
    done(
      await approver.post(`${path}/revoke`, {
        rows: [{ id: revokedLater.id, revision: revokedLater.revision }],
        comment: 'Wrong',
      }),
    );
    const { person: another, id: anotherId } = await createSignedInUser(admin, 3);
    const ids = await userIds(steward);
    const permissions = [ids['approver'], anotherId].map((entityId) => ({
      entityType: 'user',
      entityId,
      permissionLevel: 'APPROVER',
    }));
    done(
      await steward.put(`/api/collections/${collectionId}/permissions`, {
        permissions: [...permissions, { entityType: 'user', entityId: ids['viewer'], permissionLevel: 'READ' }],
      }),
    );
    expect(await another.post(`/api/batches/${commandId}/undo`)).toMatchObject({
      status: 403,
      body: { code: 'FORBIDDEN', error: REVIEW_REFUSALS.NOT_DOER },
    });
    const undoKey = randomUUID();
    const undoing = await approver.post(`/api/batches/${commandId}/undo`, {}, { key: undoKey });
    expect([undoing.status, undoing.body.total]).toEqual([202, ROWS - 3]);
    const undoJob = await waitForEnd(approver, undoing.body.jobId);
    expect(undoJob).toMatchObject({
      jobType: 'BULK_DECISION',
      status: 'DONE',
      description: `Undo ${(ROWS - 3).toLocaleString('en')} decisions`,
      counts: { total: ROWS - 3, changed: ROWS - 4, failed: 1, skipped: 0 },
    });
    const undoErrors = done(await approver.get(`/api/jobs/${undoing.body.jobId}/logs?status=ERROR`));
    expect(undoErrors.items).toMatchObject([
      {
        recordIndex: revokedLater.id,
        recordKey: `${revokedLater.sourceValue} → ${revokedLater.targetValue}`,
        tried: 'Undo',
        errorType: 'LATER',
      },
    ]);
    await waitForCount(crosswalkId, 'pending', ROWS - 4);
    const undoneAgain = await approver.post(`/api/batches/${commandId}/undo`, {}, { key: undoKey });
    expect([undoneAgain.status, undoneAgain.body]).toEqual([202, undoing.body]);
    // Only users who may undo the batch see it.
    expect((await viewer.post(`/api/batches/${commandId}/undo`)).status).toBe(403);
  }, 180_000);

  it('stops at its next piece when cancelled, and keeps earlier decisions', async () => {
    const crosswalkId = await createPending();
    const job = await cancelDuringJob(crosswalkId);
    expect(job.counts.failed).toBe(0);
    expect(job.counts.skipped).toBeGreaterThan(0);
    expect(job.counts.changed + job.counts.skipped).toBe(ROWS);
    await waitForCount(crosswalkId, 'pending', job.counts.skipped);
    expect((await approver.post(`/api/jobs/${job.jobId}/cancel`)).status).toBe(409);
    expect((await approver.post(`/api/jobs/${job.jobId}/retry`)).status).toBe(409);
  }, 180_000);

  it('stops when its user may no longer decide, and keeps earlier decisions', async () => {
    const ids = await userIds(steward);
    const ownCollection = await newSharedCollection(steward);
    const crosswalkId = await createPending(ownCollection);
    const readOnly = [{ entityType: 'user', entityId: ids['approver'], permissionLevel: 'READ' }];
    const approving = [{ entityType: 'user', entityId: ids['approver'], permissionLevel: 'APPROVER' }];
    const grant = async (permissions: Json[]) =>
      done(await steward.put(`/api/collections/${ownCollection}/permissions`, { permissions }));
    for (;;) {
      const selectionId = await freezeSelection(approver, { kind: 'mappings', parentId: crosswalkId, tab: 'pending' });
      const path = `/api/crosswalks/${crosswalkId}/mappings/approve`;
      const { jobId, commandId } = done(await approver.post(path, { selectionId }));
      await whilePaused(database, commandId, () => grant(readOnly));
      const job = await waitForEnd(approver, jobId);
      if (job.status === 'FAILED') {
        expect(job.errorMessage).toMatch(/permission/i);
        expect(job.counts).toMatchObject({ total: ROWS, failed: 0 });
        expect(job.counts.skipped).toBeGreaterThan(0);
        expect(job.counts.changed + job.counts.skipped).toBe(ROWS);
        await waitForCount(crosswalkId, 'pending', job.counts.skipped);
        await waitForCount(crosswalkId, 'approved', job.counts.changed);
        return;
      }
      // The job ended before the grant was lowered: try again.
      await grant(approving);
      await undoBatch(approver, commandId);
      await waitForCount(crosswalkId, 'pending', ROWS);
    }
  }, 180_000);

  it('undoes the drafts of many commands, except for rows changed since', async () => {
    const source = await newDataSet(steward, typeId, collectionId);
    const crosswalkId = await newCrosswalk(steward, source, await newDataSet(steward, typeId, collectionId));
    const path = `/api/crosswalks/${crosswalkId}/mappings`;
    const commandIds: string[] = [];
    for (let from = 0; from < ROWS; from += DRAFTED_AT_ONCE) {
      const rows = Array.from({ length: DRAFTED_AT_ONCE }, (_, index) => ({
        sourceValue: `s${from + index}`,
        targetValue: `t${from + index}`,
      }));
      commandIds.push(done(await steward.post(path, { rows })).commandId);
    }
    const samePair = { sourceValue: 's7', targetValue: 't7' };
    const refused = done(await steward.post(path, { rows: [samePair, { ...samePair, targetValue: 'other' }] }));
    expect(refused.results).toMatchObject([{ outcome: 'refused', key: 's7 → t7', index: 0 }, { outcome: 'done' }]);
    await waitForCount(crosswalkId, 'draft', ROWS + 1);
    const [touched] = done(await steward.get(`${path}?tab=draft&pageSize=1`)).items;
    const { id, revision } = touched;
    done(await steward.patch(path, { rows: [{ id, revision, targetValue: 'corrected', confidence: 90 }] }));
    // This read waits until the change is projected, because a selection is frozen from projected rows.
    done(await steward.get(`${path}?tab=draft&pageSize=1`));
    const selection = { kind: 'mappings', parentId: crosswalkId, tab: 'draft', commandIds };
    const { selectionId, count } = done(await steward.post('/api/selections', selection));
    expect(count).toBe(ROWS - 1);
    const response = await steward.delete(path, { selectionId });
    expect(response.status).toBe(202);
    expect(await waitForEnd(steward, response.body.jobId)).toMatchObject({
      status: 'DONE',
      counts: { changed: ROWS - 1 },
    });
    await waitForCount(crosswalkId, 'draft', 2);
    expect((await steward.post('/api/selections', { kind: 'approvals', commandIds })).status).toBe(400);
  }, 180_000);

  it('runs as a job for the values of a relationship', async () => {
    const keys = Array.from({ length: KEYS }, (_, index) => `k${index}`);
    const dataSetId = await newDataSet(
      steward,
      typeId,
      collectionId,
      keys.map((code) => ({ code })),
    );
    const body = { sourceDataSetId: dataSetId, targetDataSetId: dataSetId, sourceField: 'code', targetField: 'code' };
    const name = `Relationship ${randomUUID()}`;
    const { id } = done(
      await steward.post('/api/relationships', {
        name,
        cardinality: 'MANY_TO_MANY',
        allowSelfRelationship: true,
        ...body,
      }),
    );
    const path = `/api/relationships/${id}/values`;
    const pairs = keys.flatMap((sourceKey) => keys.map((targetKey) => ({ sourceKey, targetKey }))).slice(0, ROWS);
    for (let from = 0; from < ROWS; from += RELATED_AT_ONCE) {
      const rows = pairs.slice(from, from + RELATED_AT_ONCE);
      expect(done(await steward.post(path, { rows }))).toMatchObject({ done: rows.length });
    }
    const waitForTabCount = (tab: string, count = ROWS) =>
      steward.eventually(
        `${path}?tab=${tab}&pageSize=1`,
        ({ body }) => body.total === count || body.total?.atLeast > 0,
        60_000,
      );
    const decide = async (
      person: HttpClient,
      tab: string,
      verb: string,
      meanwhile?: () => Promise<void>,
    ): Promise<Json> => {
      await waitForTabCount(tab);
      const selectionId = await freezeSelection(person, { kind: 'relationship-values', parentId: id, tab });
      await meanwhile?.();
      const response = await person.post(`${path}/${verb}`, { selectionId });
      expect(response.status).toBe(202);
      return waitForEnd(person, response.body.jobId);
    };
    const whole = { status: 'DONE', counts: { total: ROWS, changed: ROWS, failed: 0, skipped: 0 } };
    expect(await decide(steward, 'draft', 'submit')).toMatchObject(whole);
    const moved: Json[] = [];
    const recall = async () => {
      moved.push(...done(await steward.get(`${path}?tab=pending&pageSize=1`)).items);
      done(
        await steward.post(`${path}/recall`, { rows: moved.map((row) => ({ id: row.id, revision: row.revision })) }),
      );
    };
    const approved = await decide(approver, 'pending', 'approve', recall);
    expect(approved).toMatchObject({
      counts: { total: ROWS, changed: ROWS - 1, failed: 1, skipped: 0 },
      description: expect.stringMatching(new RegExp(`^Approve ${ROWS.toLocaleString('en')} values of Relationship`)),
    });
    const { items: refused } = done(await approver.get(`/api/jobs/${approved.jobId}/logs?status=ERROR`));
    const key = moved.map((row) => `${row.sourceKey} → ${row.targetKey}`)[0];
    expect(refused).toMatchObject([
      { recordIndex: moved[0]?.id, recordKey: key, tried: 'Approve', errorType: 'STALE' },
    ]);
    await waitForTabCount('approved', ROWS - 1);
  }, 180_000);

  it('runs as a job on the approvals page, over all items under review', async () => {
    const crosswalkId = await createPending();
    const other = await newCrosswalk(
      steward,
      await newDataSet(steward, typeId, collectionId),
      await newDataSet(steward, typeId, collectionId),
    );
    const rows = await draft(steward, other, [['a', 'b']]);
    done(await steward.post(`/api/crosswalks/${other}/mappings/submit`, { rows }));
    const ofThese = { field: 'parentId', operator: 'in', value: [crosswalkId, other] };
    const filter = JSON.stringify({ logic: 'AND', conditions: [ofThese] });
    const selection = { kind: 'approvals', tab: 'review', filter };
    await approver.eventually(`/api/crosswalks/${other}`, ({ body }) => body.counts.pending === 1);
    const { selectionId, count } = done(await approver.post('/api/selections', selection));
    const response = await approver.post('/api/approvals/decide', { decision: 'approve', selectionId });
    expect([response.status, response.body.total]).toEqual([202, count]);
    const job = await waitForEnd(approver, response.body.jobId);
    expect(job).toMatchObject({ status: 'DONE', counts: { total: count, changed: count, failed: 0, skipped: 0 } });
    await waitForCount(crosswalkId, 'approved', ROWS);
    await waitForCount(other, 'approved', 1);
    expect((await viewer.get(`/api/jobs/${response.body.jobId}`)).status).toBe(200);
    expect((await undoBatch(approver, response.body.commandId)).counts.changed).toBe(count);
  }, 180_000);
});
