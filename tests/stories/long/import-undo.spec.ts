/** The undo of an import: concurrent requests, rows that mappings use, and an undo that is interrupted. */
import { describe, expect, it } from 'vitest';
import { done, draft, endOfJob, newCrosswalk } from '../fixtures.ts';
import type { HttpClient, Json } from '../http-client.ts';
import { waitForProgressReport, whilePaused } from '../paused-job.ts';
import {
  approver,
  collectionId,
  database,
  FILE,
  ids,
  importFile,
  newTarget,
  prepareImports,
  rowsByKey,
  steward,
  undo,
} from '../undoable-imports.ts';

prepareImports();

describe('the undo of an import', () => {
  it('is started by only one of several concurrent requests', async () => {
    const job = await importFile(await newTarget(), FILE);
    const answers = await Promise.all(Array.from({ length: 4 }, () => steward.post(`/api/jobs/${job.jobId}/undo`, {})));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409, 409]);
    const jobId = answers.find(({ status }) => status === 202)?.body.jobId;
    const refused = answers.filter(({ status }) => status === 409);
    for (const { body } of refused)
      expect(body).toMatchObject({ code: 'CONFLICT', error: 'This import is being undone' });
    expect(await endOfJob(steward, jobId)).toMatchObject({ status: 'DONE', counts: { changed: 300 } });
  });

  it('keeps rows that mappings use', async () => {
    const dataSetId = await newTarget();
    const job = await importFile(dataSetId, FILE);
    await rowsByKey(dataSetId, 300);
    await draft(steward, await newCrosswalk(steward, dataSetId, await newTarget(['x'])), [['00007', 'x']]);
    const preview = done(await steward.get(`/api/jobs/${job.jobId}/undo`));
    expect(preview).toMatchObject({ removed: 299, kept: 1, keptRows: [{ key: '00007', reason: 'REFERENCED' }] });
    expect(await undo(job.jobId)).toMatchObject({ counts: { changed: 299, skipped: 1 } });
    expect(Object.keys(await rowsByKey(dataSetId, 1))).toEqual(['00007']);
  });
});

describe('an interrupted undo', () => {
  /**
   * Runs `act` between two pieces of the undo of a new import. Repeats this with other imports until an undo ends with
   * `status`.
   */
  async function interrupt(
    person: HttpClient,
    status: 'CANCELLED' | 'FAILED',
    act: (jobId: number) => Promise<unknown>,
    restore: () => Promise<unknown> = async () => undefined,
  ): Promise<{ dataSetId: number; importJobId: number; undo: Json }> {
    for (;;) {
      const dataSetId = await newTarget();
      const { jobId: importJobId } = await importFile(dataSetId, FILE);
      const { jobId } = done(await person.post(`/api/jobs/${importJobId}/undo`, {}));
      const { rows } = await database.query('SELECT command_id FROM command.bulk_decisions WHERE job_id = $1', [jobId]);
      if (rows[0]) await whilePaused(database, rows[0].command_id, () => act(jobId));
      const undo = await endOfJob(steward, jobId);
      await restore();
      if (undo.status === status) return { dataSetId, importJobId, undo };
    }
  }

  it('stays partly done after a cancellation, and another undo reverts the remaining rows', async () => {
    const {
      dataSetId,
      importJobId,
      undo: cancelled,
    } = await interrupt(steward, 'CANCELLED', async (jobId) => {
      const { status } = await steward.post(`/api/jobs/${jobId}/cancel`);
      if (status === 202) await waitForProgressReport(database, jobId);
    });
    const { changed, skipped } = cancelled.counts;
    expect(cancelled.counts).toMatchObject({ total: 300, failed: 0 });
    expect(changed + skipped).toBe(300);
    await rowsByKey(dataSetId, skipped);
    const preview = done(await steward.get(`/api/jobs/${importJobId}/undo`));
    expect(preview).toMatchObject({ removed: skipped, kept: 0 });
    expect(await undo(importJobId)).toMatchObject({ status: 'DONE', counts: { total: skipped, changed: skipped } });
    await rowsByKey(dataSetId, 0);
  }, 120_000);

  it('fails when the user loses WRITE, and another user completes the undo with a retry', async () => {
    const grant = async (permissionLevel: string) =>
      done(
        await steward.put(`/api/collections/${collectionId}/permissions`, {
          permissions: [{ entityType: 'user', entityId: ids['approver'], permissionLevel }],
        }),
      );
    const failed = await interrupt(
      approver,
      'FAILED',
      () => grant('READ'),
      () => grant('WRITE'),
    );
    const { dataSetId, undo: job } = failed;
    expect(job.errorMessage).toMatch(/permission/i);
    const { jobId } = done(await steward.post(`/api/jobs/${job.jobId}/retry`, {}));
    expect(jobId).not.toBe(job.jobId);
    const remainingRows = 300 - job.counts.changed;
    expect(await endOfJob(steward, jobId)).toMatchObject({ status: 'DONE', counts: { changed: remainingRows } });
    await rowsByKey(dataSetId, 0);
    const refused = await steward.post(`/api/jobs/${job.jobId}/retry`, {});
    expect(refused).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
  }, 120_000);
});
