/** Tests decisions that run as jobs: on relationship values, on the approvals page, and with a cancellation. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  approver,
  collectionId,
  createPending,
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
} from '../bulk-mappings.ts';
import { done, draft, newCrosswalk, newDataSet } from '../fixtures.ts';
import type { HttpClient, Json } from '../http-client.ts';
import { waitForProgressReport, whilePaused } from '../paused-job.ts';

prepareBulkDecisions();

const VALUES_PER_REQUEST = Math.min(ROWS / 2, 1_000);
/** The pairs of this many keys are enough for ROWS values. */
const KEYS = Math.ceil(Math.sqrt(ROWS));

/**
 * Starts a job and cancels it between two of its pieces; returns the cancelled job. If the job ends before the
 * cancellation, undoes its decisions and repeats the attempt.
 */
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

describe('a decision on more rows than one answer contains', () => {
  it('leaves the undecided rows pending when it is cancelled', async () => {
    const crosswalkId = await createPending();
    const job = await cancelDuringJob(crosswalkId);
    expect(job.counts.failed).toBe(0);
    expect(job.counts.skipped).toBeGreaterThan(0);
    expect(job.counts.changed + job.counts.skipped).toBe(ROWS);
    await waitForCount(crosswalkId, 'pending', job.counts.skipped);
    expect((await approver.post(`/api/jobs/${job.jobId}/cancel`)).status).toBe(409);
    expect((await approver.post(`/api/jobs/${job.jobId}/retry`)).status).toBe(409);
  }, 180_000);

  it('runs as a job for relationship values, and refuses a value that changed after its selection', async () => {
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
    for (let from = 0; from < ROWS; from += VALUES_PER_REQUEST) {
      const rows = pairs.slice(from, from + VALUES_PER_REQUEST);
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
    const completeJob = { status: 'DONE', counts: { total: ROWS, changed: ROWS, failed: 0, skipped: 0 } };
    expect(await decide(steward, 'draft', 'submit')).toMatchObject(completeJob);
    const recalledRows: Json[] = [];
    const recall = async () => {
      recalledRows.push(...done(await steward.get(`${path}?tab=pending&pageSize=1`)).items);
      done(
        await steward.post(`${path}/recall`, {
          rows: recalledRows.map((row) => ({ id: row.id, revision: row.revision })),
        }),
      );
    };
    const approved = await decide(approver, 'pending', 'approve', recall);
    expect(approved).toMatchObject({
      counts: { total: ROWS, changed: ROWS - 1, failed: 1, skipped: 0 },
      description: expect.stringMatching(new RegExp(`^Approve ${ROWS.toLocaleString('en')} values of Relationship`)),
    });
    const { items: refused } = done(await approver.get(`/api/jobs/${approved.jobId}/logs?status=ERROR`));
    const key = recalledRows.map((row) => `${row.sourceKey} → ${row.targetKey}`)[0];
    expect(refused).toMatchObject([
      { recordIndex: recalledRows[0]?.id, recordKey: key, tried: 'Approve', errorType: 'STALE' },
    ]);
    await waitForTabCount('approved', ROWS - 1);
  }, 180_000);

  it('runs as a job on the approvals page for items of two crosswalks', async () => {
    const crosswalkId = await createPending();
    const otherCrosswalkId = await newCrosswalk(
      steward,
      await newDataSet(steward, typeId, collectionId),
      await newDataSet(steward, typeId, collectionId),
    );
    const rows = await draft(steward, otherCrosswalkId, [['a', 'b']]);
    done(await steward.post(`/api/crosswalks/${otherCrosswalkId}/mappings/submit`, { rows }));
    const parentCondition = { field: 'parentId', operator: 'in', value: [crosswalkId, otherCrosswalkId] };
    const filter = JSON.stringify({ logic: 'AND', conditions: [parentCondition] });
    const selection = { kind: 'approvals', tab: 'review', filter };
    await approver.eventually(`/api/crosswalks/${otherCrosswalkId}`, ({ body }) => body.counts.pending === 1);
    const { selectionId, count } = done(await approver.post('/api/selections', selection));
    const response = await approver.post('/api/approvals/decide', { decision: 'approve', selectionId });
    expect([response.status, response.body.total]).toEqual([202, count]);
    const job = await waitForEnd(approver, response.body.jobId);
    expect(job).toMatchObject({ status: 'DONE', counts: { total: count, changed: count, failed: 0, skipped: 0 } });
    await waitForCount(crosswalkId, 'approved', ROWS);
    await waitForCount(otherCrosswalkId, 'approved', 1);
    expect((await viewer.get(`/api/jobs/${response.body.jobId}`)).status).toBe(200);
    expect((await undoBatch(approver, response.body.commandId)).counts.changed).toBe(count);
  }, 180_000);
});
