/** A small import of mappings does not wait for a long import of another user. */
import { describe, expect, it } from 'vitest';
import { isPendingOrRunning, newWritableCollection, ROWS } from '../fair-jobs.ts';
import { done, endOfJob, newCrosswalk, newDataSet, newType, uploadRows } from '../fixtures.ts';
import { type HttpClient, type Json, signInAs } from '../http-client.ts';

describe('a small job of another user', () => {
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
      const fileId = await uploadRows(person, { crosswalkId }, `sourceValue,targetValue\n${lines.join('\n')}\n`);
      const started: Json = done(await person.post(`/api/crosswalks/${crosswalkId}/mappings/import`, { fileId }));
      return started.jobId as number;
    };
    const longJob = await startJob(steward, ROWS);
    const smallJob = await startJob(approver, 10);
    expect(await endOfJob(approver, smallJob)).toMatchObject({ status: 'DONE' });
    expect(await isPendingOrRunning(steward, longJob)).toBe(true);
    expect(await endOfJob(steward, longJob)).toMatchObject({ status: 'DONE' });
  });
});
