/** Deleting or restoring more than ANSWERED_ROWS rows runs as a job, whose log lists the refused rows. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { done, newDataSet, newSharedCollection, newType } from './fixtures.ts';
import { type HttpClient, type Json, signInAs } from './http-client.ts';
import { ANSWERED_ROWS } from './stack.ts';

const ROWS = ANSWERED_ROWS + 3;
const ROWS_PER_REQUEST = Math.ceil(ROWS / 2);

let steward: HttpClient;
let viewer: HttpClient;
let path: string;
let dataSetId: number;

beforeAll(async () => {
  [steward, viewer] = await Promise.all([signInAs('steward'), signInAs('viewer')]);
  dataSetId = await newDataSet(steward, await newType(steward), await newSharedCollection(steward));
  path = `/api/reference-data/${dataSetId}/instances`;
  for (let from = 0; from < ROWS; from += ROWS_PER_REQUEST) {
    const length = Math.min(ROWS_PER_REQUEST, ROWS - from);
    const rows = Array.from({ length }, (_, index) => ({ data: { code: `k${from + index}` } }));
    expect(done(await steward.post(path, { rows }))).toMatchObject({ done: length });
  }
  await waitForRowCount(ROWS);
});

const waitForRowCount = (count: number) =>
  steward.eventually(`/api/reference-data/${dataSetId}`, ({ body }) => body.instanceCount === count, 60_000);

const waitForEnd = async (jobId: number): Promise<Json> =>
  (
    await steward.eventually(
      `/api/jobs/${jobId}`,
      ({ status, body }) => status === 200 && ['DONE', 'FAILED', 'CANCELLED'].includes(body.status),
      60_000,
    )
  ).body;

const freezeSelection = async (selection: Json): Promise<Json> =>
  done(await steward.post('/api/selections', { kind: 'instances', parentId: dataSetId, ...selection }));

const readRefusedRows = async (jobId: number): Promise<Json[]> =>
  done(await steward.get(`/api/jobs/${jobId}/logs?status=ERROR`)).items;

const addRow = async (data: Json) => done(await steward.post(path, { data })).id;

describe('deleting more than ANSWERED_ROWS rows', () => {
  it('runs as a job that reports refused rows, and another job restores the deleted rows', async () => {
    const { selectionId, count } = await freezeSelection({});
    expect(count).toBe(ROWS);
    const impact = done(await steward.post(`${path}/deletion-impact`, { selectionId }));
    expect(impact).toMatchObject({ rowCount: ROWS, referencedCount: 0 });
    expect((await viewer.delete(path, { selectionId })).status).toBe(403);

    const alreadyDeleted = done(await steward.get(`${path}?pageSize=2`)).items;
    done(await steward.delete(path, { rows: alreadyDeleted.map(({ id, revision }: Json) => ({ id, revision })) }));

    const key = randomUUID();
    const response = await steward.delete(path, { selectionId }, { key });
    expect([response.status, response.body.total]).toEqual([202, ROWS]);
    const { jobId, commandId } = response.body;
    expect(await waitForEnd(jobId)).toMatchObject({
      jobType: 'BULK_DECISION',
      status: 'DONE',
      dataSetId,
      description: expect.stringMatching(new RegExp(`^Delete ${ROWS.toLocaleString('en')} rows of `)),
      counts: { total: ROWS, changed: ROWS - 2, failed: 2, skipped: 0 },
    });
    expect(
      (await readRefusedRows(jobId)).map(({ recordKey, tried, errorType }) => [recordKey, tried, errorType]),
    ).toEqual(expect.arrayContaining(alreadyDeleted.map((row: Json) => [row.key, 'Delete', 'DELETED'])));
    await waitForRowCount(0);
    const repeatedAnswer = await steward.delete(path, { selectionId }, { key });
    expect([repeatedAnswer.status, repeatedAnswer.body]).toEqual([202, response.body]);

    // Only rows that this command deleted are restored. One of them is refused, because a new row has its key.
    await addRow({ code: 'k300' });
    await waitForRowCount(1);
    const deletedSelection = await freezeSelection({ tab: 'deleted', commandIds: [commandId] });
    expect(deletedSelection.count).toBe(ROWS - 2);
    const restoring = await steward.post(`${path}/restore`, { selectionId: deletedSelection.selectionId });
    expect([restoring.status, restoring.body.total]).toEqual([202, ROWS - 2]);
    expect(await waitForEnd(restoring.body.jobId)).toMatchObject({
      status: 'DONE',
      description: expect.stringMatching(new RegExp(`^Restore ${(ROWS - 2).toLocaleString('en')} rows of `)),
      counts: { total: ROWS - 2, changed: ROWS - 3, failed: 1, skipped: 0 },
    });
    expect(await readRefusedRows(restoring.body.jobId)).toMatchObject([
      { recordKey: 'k300', tried: 'Restore', errorType: 'DUPLICATE_KEY' },
    ]);
    const { body: text } = await steward.get(`/api/jobs/${restoring.body.jobId}/errors`);
    expect(text).toMatch(/^row,key,tried,code,reason\r\n\d+,k300,Restore,DUPLICATE_KEY,/);
    await waitForRowCount(ROWS - 2);
    // Only the refused row is still deleted.
    expect((await freezeSelection({ tab: 'deleted', commandIds: [commandId] })).count).toBe(1);
    expect((await freezeSelection({ commandIds: [restoring.body.commandId] })).count).toBe(ROWS - 3);
  }, 180_000);

  it('writes an error file with an apostrophe before each key that looks like a formula', async () => {
    const formula = await addRow({ code: '=1+1' });
    const { items } = done(await steward.get(`${path}?key=${encodeURIComponent('=1+1')}`));
    expect(items).toMatchObject([{ id: formula }]);
    const { selectionId, count } = await freezeSelection({});
    done(await steward.delete(path, { rows: [{ id: formula, revision: 1 }] }));
    const { jobId } = done(await steward.delete(path, { selectionId }));
    expect(await waitForEnd(jobId)).toMatchObject({ counts: { total: count, failed: 1 } });
    expect((await steward.get(`/api/jobs/${jobId}/errors`)).body).toContain(`${formula},'=1+1,Delete,DELETED,`);
  }, 180_000);
});
