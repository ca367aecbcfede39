/**
 * Decisions on many rows run as a job with counts, an error for each failed row and an undo. Deletions of many drafts
 * run as a job too.
 */
import { randomUUID } from 'node:crypto';
import { REVIEW_REFUSALS } from '@rdm/contracts';
import { describe, expect, it } from 'vitest';
import {
  admin,
  approver,
  collectionId,
  createPending,
  DRAFTS_PER_REQUEST,
  database,
  freezeSelection,
  prepareBulkDecisions,
  ROWS,
  steward,
  typeId,
  undoBatch,
  viewer,
  waitForCount,
  waitForEnd,
} from './bulk-mappings.ts';
import { done, newCrosswalk, newDataSet, newSharedCollection, userIds } from './fixtures.ts';
import type { Json } from './http-client.ts';
import { whilePaused } from './paused-job.ts';
import { createSignedInUser } from './signed-in-user.ts';

prepareBulkDecisions();

describe('a decision on too many rows for one request', () => {
  it('runs as a job with an error for each failed row, once per Idempotency-Key, and is undone as a batch', async () => {
    const crosswalkId = await createPending();
    const selectionId = await freezeSelection(approver, { kind: 'mappings', parentId: crosswalkId, tab: 'pending' });
    const path = `/api/crosswalks/${crosswalkId}/mappings`;
    const { items } = done(await steward.get(`${path}?tab=pending&pageSize=3`));
    const recalledRows = items.map(({ id, revision }: Json) => ({ id, revision }));
    expect(done(await steward.post(`${path}/recall`, { rows: recalledRows }))).toMatchObject({ done: 3 });

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
    expect(new Set(logs.items.map((log: Json) => log.recordIndex))).toEqual(
      new Set(recalledRows.map(({ id }: Json) => id)),
    );
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
    const csvLines = (await approver.get(`/api/jobs/${jobId}/errors`)).body.trimEnd().split('\r\n');
    const [{ recordIndex, recordKey }] = logs.items;
    expect([csvLines[0], csvLines.length]).toEqual(['row,key,tried,code,reason', 4]);
    expect(csvLines).toContainEqual(expect.stringContaining(`${recordIndex},${recordKey},Approve,STALE,`));

    await waitForCount(crosswalkId, 'approved', ROWS - 3);
    const repeatedAnswer = await approver.post(`${path}/approve`, { selectionId, comment: 'All of them' }, { key });
    expect([repeatedAnswer.status, repeatedAnswer.body]).toEqual([202, response.body]);
    const listedAfterRepeat = done(await steward.get(`/api/jobs?q=${encodeURIComponent(job.description)}`));
    expect(listedAfterRepeat.total).toBe(listed.total);

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
    expect((await viewer.post(`/api/batches/${commandId}/undo`)).status).toBe(403);
  }, 180_000);

  it('stops when its user loses APPROVER, and leaves the earlier decisions unchanged', async () => {
    const ids = await userIds(steward);
    const ownCollection = await newSharedCollection(steward);
    const crosswalkId = await createPending(ownCollection);
    const readGrant = [{ entityType: 'user', entityId: ids['approver'], permissionLevel: 'READ' }];
    const approverGrant = [{ entityType: 'user', entityId: ids['approver'], permissionLevel: 'APPROVER' }];
    const grant = async (permissions: Json[]) =>
      done(await steward.put(`/api/collections/${ownCollection}/permissions`, { permissions }));
    for (;;) {
      const selectionId = await freezeSelection(approver, { kind: 'mappings', parentId: crosswalkId, tab: 'pending' });
      const path = `/api/crosswalks/${crosswalkId}/mappings/approve`;
      const { jobId, commandId } = done(await approver.post(path, { selectionId }));
      await whilePaused(database, commandId, () => grant(readGrant));
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
      // The job ended before the user lost APPROVER: try again.
      await grant(approverGrant);
      await undoBatch(approver, commandId);
      await waitForCount(crosswalkId, 'pending', ROWS);
    }
  }, 180_000);
});

describe('the deletion of too many drafts for one request', () => {
  it('covers the drafts of several commands, except for rows that were changed later', async () => {
    const source = await newDataSet(steward, typeId, collectionId);
    const crosswalkId = await newCrosswalk(steward, source, await newDataSet(steward, typeId, collectionId));
    const path = `/api/crosswalks/${crosswalkId}/mappings`;
    const commandIds: string[] = [];
    for (let from = 0; from < ROWS; from += DRAFTS_PER_REQUEST) {
      const rows = Array.from({ length: DRAFTS_PER_REQUEST }, (_, index) => ({
        sourceValue: `s${from + index}`,
        targetValue: `t${from + index}`,
      }));
      commandIds.push(done(await steward.post(path, { rows })).commandId);
    }
    const samePair = { sourceValue: 's7', targetValue: 't7' };
    const answer = done(await steward.post(path, { rows: [samePair, { ...samePair, targetValue: 'other' }] }));
    expect(answer.results).toMatchObject([{ outcome: 'refused', key: 's7 → t7', index: 0 }, { outcome: 'done' }]);
    await waitForCount(crosswalkId, 'draft', ROWS + 1);
    const [{ id, revision }] = done(await steward.get(`${path}?tab=draft&pageSize=1`)).items;
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
});
