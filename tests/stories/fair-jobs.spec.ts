/** Jobs of different users share the worker fairly: a small job need not wait for all long jobs of another user. */
import { describe, expect, it } from 'vitest';
import { isPendingOrRunning, newWritableCollection, ROWS } from './fair-jobs.ts';
import { done, endOfJob, newDataSet, newType } from './fixtures.ts';
import { type HttpClient, type Json, signInAs } from './http-client.ts';

describe('a small job of another user', () => {
  it('ends before the second of three long imports of one user', async () => {
    const [steward, approver] = [await signInAs('steward'), await signInAs('approver')];
    const [collectionId, typeId] = [await newWritableCollection(steward), await newType(steward)];
    const startJob = async (person: HttpClient, rows: number) => {
      const form = new FormData();
      form.set('dataSetId', String(await newDataSet(steward, typeId, collectionId)));
      const lines = Array.from({ length: rows }, (_, index) => `c${index},Name ${index}`);
      form.set('file', new File([`code,name\n${lines.join('\n')}\n`], 'rows.csv'));
      const { id } = done(await person.post('/api/imports', form));
      const started: Json = done(await person.post(`/api/imports/${id}/start`, { description: 'Rows' }));
      return started.jobId as number;
    };
    const longJobs = [await startJob(steward, ROWS), await startJob(steward, ROWS), await startJob(steward, ROWS)];
    const smallJob = await startJob(approver, 10);
    expect(await endOfJob(approver, smallJob)).toMatchObject({ status: 'DONE' });
    expect(await isPendingOrRunning(steward, longJobs[1] as number)).toBe(true);
    for (const jobId of longJobs) expect(await endOfJob(steward, jobId)).toMatchObject({ status: 'DONE' });
  });
});
