/** Jobs of different users share the worker fairly: a small job does not wait for a long job of another user. */
import { describe, expect, it } from 'vitest';
import { done, endOfJob, newCollection, newCrosswalk, newDataSet, newType, stagedRows, userIds } from './fixtures.ts';
import { type HttpClient, type Json, signInAs } from './http-client.ts';

const ROWS = 15_000;

async function newWritableCollection(steward: HttpClient): Promise<number> {
  const { approver } = await userIds(steward);
  return newCollection(steward, [{ entityType: 'user', entityId: approver, permissionLevel: 'WRITE' }]);
}

const isRunning = async (person: HttpClient, jobId: number): Promise<boolean> => {
  const { status } = done(await person.get(`/api/jobs/${jobId}`));
  return status === 'PENDING' || status === 'IN_PROGRESS';
};

describe('a small job of another user', () => {
  it('ends while three long imports into data sets of one user are running', async () => {
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
    const long = [await startJob(steward, ROWS), await startJob(steward, ROWS), await startJob(steward, ROWS)];
    const small = await startJob(approver, 10);
    expect(await endOfJob(approver, small)).toMatchObject({ status: 'DONE' });
    expect(await isRunning(steward, long[1] as number)).toBe(true);
    for (const jobId of long) expect(await endOfJob(steward, jobId)).toMatchObject({ status: 'DONE' });
  });

  it('ends while a long import of mappings is running', async () => {
    const [steward, approver] = [await signInAs('steward'), await signInAs('approver')];
    const [collectionId, typeId] = [await newWritableCollection(steward), await newType(steward)];
    const startJob = async (person: HttpClient, rows: number) => {
      const [source, target] = [
        await newDataSet(steward, typeId, collectionId),
        await newDataSet(steward, typeId, collectionId),
      ];
      const crosswalkId = await newCrosswalk(steward, source, target);
      const lines = Array.from({ length: rows }, (_, index) => `s${index},t${index}`);
      const fileId = await stagedRows(person, { crosswalkId }, `sourceValue,targetValue\n${lines.join('\n')}\n`);
      const started: Json = done(await person.post(`/api/crosswalks/${crosswalkId}/mappings/import`, { fileId }));
      return started.jobId as number;
    };
    const long = await startJob(steward, ROWS);
    const small = await startJob(approver, 10);
    expect(await endOfJob(approver, small)).toMatchObject({ status: 'DONE' });
    expect(await isRunning(steward, long)).toBe(true);
    expect(await endOfJob(steward, long)).toMatchObject({ status: 'DONE' });
  });
});
