/** Tests the undo of an import: its effect on edited and unedited rows, and its list of created objects. */
import { describe, expect, it } from 'vitest';
import { done, endOfJob } from './fixtures.ts';
import { type Answer, type HttpClient, type Json, uniqueName } from './http-client.ts';
import {
  admin,
  approver,
  CODES,
  FILE,
  ids,
  importFile,
  newTarget,
  prepareImports,
  rowsByKey,
  steward,
  undo,
} from './undoable-imports.ts';

prepareImports();

/** The codes of rows that exist before the import and that the import changes. */
const EXISTING_CODES = CODES.slice(0, 8);

async function editBy(person: HttpClient, dataSetId: number, { id, revision }: Json): Promise<void> {
  const path = `/api/reference-data/${dataSetId}/instances`;
  expect(done(await person.patch(path, [{ id, revision, data: { name: 'Edited' } }]))).toMatchObject({ done: 1 });
}

const namesOf = (rows: Record<string, Json>): Record<string, string> =>
  Object.fromEntries(Object.entries(rows).map(([key, row]) => [key, row.data.name]));

describe('the undo of an import', () => {
  it('is neither offered nor accepted after the deletion of the data set', async () => {
    const dataSetId = await newTarget();
    const { jobId } = await importFile(dataSetId, 'code,name\n1,One\n');
    const { body: offered } = await steward.eventually(`/api/jobs/${jobId}`, ({ body }) => body.undo !== null);
    expect(offered.undo).toMatchObject({ state: 'possible' });
    done(await steward.delete(`/api/reference-data/${dataSetId}`));
    for (const person of [steward, admin]) {
      expect(done(await person.get(`/api/jobs/${jobId}`)).undo).toBeNull();
      const refused = await person.post(`/api/jobs/${jobId}/undo`, {});
      expect([refused.status, refused.body.error]).toEqual([
        409,
        'The data set of this import was deleted: there is nothing to undo',
      ]);
    }
  });

  it('names the created data set, type and collection while only the import uses them', async () => {
    const form = new FormData();
    form.set('file', new File([FILE], 'codes.csv'));
    const { id } = done(await steward.post('/api/imports', form));
    await steward.eventually(`/api/imports/${id}`, ({ body }) => body.state === 'READY');
    const [name, newCollection] = [uniqueName('Codes'), uniqueName('Lists')];
    done(await steward.patch(`/api/imports/${id}`, { target: { kind: 'newDataSet', name, newCollection } }));
    const { jobId, dataSetId } = done(await steward.post(`/api/imports/${id}/start`, { description: 'Codes' }));
    await endOfJob(steward, jobId);
    await rowsByKey(dataSetId, 300);
    const { created } = done(await steward.get(`/api/jobs/${jobId}/undo`));
    expect(created).toMatchObject({
      ...{ dataSet: { id: dataSetId, name }, type: { name }, collection: { name: newCollection } },
    });

    // While another data set uses the type and the collection, the undo does not name them.
    const other = done(
      await steward.post('/api/reference-data', {
        ...{ name: uniqueName('Other'), typeId: created.type.id, collectionIds: [created.collection.id] },
      }),
    );
    expect(done(await steward.get(`/api/jobs/${jobId}/undo`)).created).toMatchObject({ type: null, collection: null });
    done(await steward.delete(`/api/reference-data/${other.id}`));

    const undone = await undo(jobId);
    const { dataSet, type } = created;
    done(await steward.delete(`/api/reference-data/${dataSet.id}`, undefined, { ifMatch: dataSet.revision }));
    done(await steward.delete(`/api/reference-types/${type.id}`, undefined, { ifMatch: type.revision }));

    // The user who started the jobs can still read the jobs. The approver cannot.
    await steward.eventually(`/api/reference-data/${dataSet.id}`, ({ status }) => status === 404);
    for (const id of [jobId, undone.jobId]) {
      done(await steward.get(`/api/jobs/${id}`));
      done(await steward.get(`/api/jobs/${id}/logs`));
      expect((await approver.get(`/api/jobs/${id}`)).status).toBe(404);
    }
  });

  it('names no objects to delete for an import into an existing data set', async () => {
    const job = await importFile(await newTarget(), FILE);
    expect(done(await steward.get(`/api/jobs/${job.jobId}/undo`)).created).toBeNull();
  });

  it('reverts unedited rows, keeps and names edited rows, and allows the same import again', async () => {
    const dataSetId = await newTarget(EXISTING_CODES);
    const job = await importFile(dataSetId, FILE);
    expect(job).toMatchObject({
      counts: { created: 292, changed: 8 },
      undo: { state: 'possible', jobId: null, at: null },
    });
    const imported = await rowsByKey(dataSetId, 300);
    await editBy(approver, dataSetId, imported['00003']);
    await editBy(approver, dataSetId, imported['00161']);

    const path = `/api/jobs/${job.jobId}/undo`;
    const preview = done(await steward.get(path));
    expect(preview).toMatchObject({ removed: 291, restored: 7, addedBack: 0, kept: 2 });
    expect(preview.keptRows).toEqual(
      ['00003', '00161'].map((key) => ({
        ...{ id: imported[key].id, key, reason: 'EDITED' },
        ...{ userId: ids['approver'], userName: 'Ada Approver', at: expect.any(String), job: null },
      })),
    );

    const key = crypto.randomUUID();
    const started = done(await steward.post(path, {}, { key }));
    expect(done(await steward.post(path, {}, { key }))).toEqual(started);
    const undone = await endOfJob(steward, started.jobId);
    expect(undone).toMatchObject({
      status: 'DONE',
      jobType: 'DATASET_INSTANCES_IMPORT',
      jobLevel: 'STANDALONE',
      description: `Undo of import ${job.jobId}: Countries of July`,
      counts: { total: 300, changed: 298, skipped: 2, failed: 0 },
      metadata: { undoes: job.jobId },
      undo: null,
    });
    expect(namesOf(await rowsByKey(dataSetId, 9))).toEqual({
      ...Object.fromEntries(EXISTING_CODES.map((code) => [code, `Old ${code}`])),
      ...{ '00003': 'Edited', '00161': 'Edited' },
    });
    const { items: kept } = done(await steward.get(`/api/jobs/${undone.jobId}/logs?status=SKIPPED`));
    expect(kept.map((log: Json) => [log.recordKey, log.errorMessage]).sort()).toEqual([
      [
        '00003',
        expect.stringMatching(
          /^It was changed after the import, on \d{4}-\d\d-\d\d at \d\d:\d\d UTC, by Ada Approver$/,
        ),
      ],
      [
        '00161',
        expect.stringMatching(
          /^It was changed after the import, on \d{4}-\d\d-\d\d at \d\d:\d\d UTC, by Ada Approver$/,
        ),
      ],
    ]);

    const undoneJob = await steward.eventually(`/api/jobs/${job.jobId}`, ({ body }) => body.undo.state === 'done');
    expect(undoneJob.body.undo).toEqual({ state: 'done', jobId: undone.jobId, at: expect.any(String) });
    const repeatedAnswer = await steward.post(path, {});
    expect(repeatedAnswer).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
    expect(repeatedAnswer.body.error).toMatch(/^This import was undone on \d{4}-\d\d-\d\d at \d\d:\d\d UTC$/);

    const search = `/api/audit-logs/activities?q=${encodeURIComponent(job.dataSetName)}`;
    const activity = ({ body }: Answer) => body.items.find((item: Json) => item.jobId === undone.jobId);
    const log = await admin.eventually(search, (answer) => activity(answer)?.rows === 298);
    expect(activity(log)).toMatchObject({
      verb: 'undid',
      line: `Sam Steward undid the import of 300 rows from rows.csv into ${job.dataSetName}; kept 2 rows that were changed later or are in use: job ${undone.jobId} names each change`,
    });
    const jobFilter = { logic: 'AND', conditions: [{ field: 'jobId', operator: 'equals', value: undone.jobId }] };
    const { items } = done(await admin.get(`/api/audit-logs?filter=${encodeURIComponent(JSON.stringify(jobFilter))}`));
    expect(items.find(({ action }: Json) => action === 'BulkDecisionCompleted')).toMatchObject({
      entityName: undone.description,
      operationMetadata: { jobId: undone.jobId, undoes: job.jobId },
    });

    expect(await importFile(dataSetId, FILE)).toMatchObject({ status: 'DONE', counts: { created: 291, changed: 9 } });
  });

  it('names the later import or undo that changed a kept row', async () => {
    const dataSetId = await newTarget(EXISTING_CODES);
    const first = await importFile(dataSetId, FILE);
    const second = await importFile(dataSetId, 'code,name\n00003,Changed\n');
    const keptRows = async () => done(await steward.get(`/api/jobs/${first.jobId}/undo`)).keptRows;
    expect(await keptRows()).toMatchObject([{ key: '00003', job: { id: second.jobId, undoes: null } }]);
    const undone = await undo(second.jobId);
    expect(await keptRows()).toMatchObject([{ key: '00003', job: { id: undone.jobId, undoes: second.jobId } }]);
  });

  it('is refused when the import changed no row', async () => {
    const dataSetId = await newTarget(['00000']);
    const failed = await importFile(dataSetId, FILE, { mode: 'insert', allOrNothing: true });
    expect(failed).toMatchObject({ status: 'FAILED', undo: null });
    const refused = await steward.post(`/api/jobs/${failed.jobId}/undo`, {});
    expect(refused).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
    expect(refused.body.error).toMatch(/^There is nothing to undo/);
  });
});
