/** The undo of an import: the rows that it reverts, the rows that it keeps and names, and the users who may undo the import. */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { done, draft, endOfJob, newCollection, newCrosswalk, newDataSet, newType, userIds } from './fixtures.ts';
import { type Answer, type HttpClient, type Json, signInAs, uniqueName } from './http-client.ts';
import { waitForProgressReport, whilePaused } from './paused-job.ts';

let steward: HttpClient;
let approver: HttpClient;
let admin: HttpClient;
let ids: Record<string, number>;
let collectionId: number;
let database: pg.Pool;
beforeAll(async () => {
  database = new pg.Pool({ connectionString: inject('databaseUrl'), max: 2 });
  [steward, approver, admin] = await Promise.all([signInAs('steward'), signInAs('approver'), signInAs('admin')]);
  ids = await userIds(steward);
  collectionId = await newCollection(steward, [
    { entityType: 'user', entityId: ids['approver'], permissionLevel: 'WRITE' },
    { entityType: 'user', entityId: ids['viewer'], permissionLevel: 'READ' },
  ]);
});

afterAll(() => database?.end());

const CODES = Array.from({ length: 300 }, (_, index) => String(index).padStart(5, '0'));
const FILE = `code,name\n${CODES.map((code) => `${code},New ${code}`).join('\n')}\n`;
/** Rows that exist before the import and that it changes. */
const EXISTING = CODES.slice(0, 8);

const newTarget = async (codes: readonly string[] = []): Promise<number> =>
  newDataSet(
    steward,
    await newType(steward),
    collectionId,
    codes.map((code) => ({ code, name: `Old ${code}` })),
  );

async function importFile(dataSetId: number, content: string, options: Json = {}): Promise<Json> {
  const parts = new FormData();
  parts.set('dataSetId', String(dataSetId));
  parts.set('file', new File([content], 'rows.csv'));
  const { id } = done(await steward.post('/api/imports', parts));
  const body = { description: 'Countries of July', mode: 'upsert', ...options };
  return endOfJob(steward, done(await steward.post(`/api/imports/${id}/start`, body)).jobId);
}

async function rowsOf(dataSetId: number, count: number): Promise<Record<string, Json>> {
  const path = `/api/reference-data/${dataSetId}/instances?pageSize=1000`;
  const { body } = await steward.eventually(path, ({ body }) => body.total === count);
  return Object.fromEntries(body.items.map((row: Json) => [row.key, row]));
}

async function editBy(person: HttpClient, dataSetId: number, { id, revision }: Json): Promise<void> {
  const path = `/api/reference-data/${dataSetId}/instances`;
  expect(done(await person.patch(path, [{ id, revision, data: { name: 'Edited' } }]))).toMatchObject({ done: 1 });
}

const namesOf = (rows: Record<string, Json>): Record<string, string> =>
  Object.fromEntries(Object.entries(rows).map(([key, row]) => [key, row.data.name]));

const undo = async (jobId: number, options: Json = {}): Promise<Json> =>
  endOfJob(steward, done(await steward.post(`/api/jobs/${jobId}/undo`, {}, options)).jobId);

describe('the undo of an import', () => {
  it('is not offered, and is refused with the reason, after the data set of the import was deleted', async () => {
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

  it('names the data set, type and collection that only the import uses, and they can be deleted afterwards', async () => {
    const form = new FormData();
    form.set('file', new File([FILE], 'codes.csv'));
    const { id } = done(await steward.post('/api/imports', form));
    await steward.eventually(`/api/imports/${id}`, ({ body }) => body.state === 'READY');
    const [name, newCollection] = [uniqueName('Codes'), uniqueName('Lists')];
    done(await steward.patch(`/api/imports/${id}`, { target: { kind: 'newDataSet', name, newCollection } }));
    const { jobId, dataSetId } = done(await steward.post(`/api/imports/${id}/start`, { description: 'Codes' }));
    await endOfJob(steward, jobId);
    await rowsOf(dataSetId, 300);
    const { created } = done(await steward.get(`/api/jobs/${jobId}/undo`));
    expect(created).toMatchObject({
      ...{ dataSet: { id: dataSetId, name }, type: { name }, collection: { name: newCollection } },
    });

    // Another data set uses the type and the collection, so the undo no longer names them.
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

    // The user who started the jobs can still read them, other users cannot.
    await steward.eventually(`/api/reference-data/${dataSet.id}`, ({ status }) => status === 404);
    for (const id of [jobId, undone.jobId]) {
      done(await steward.get(`/api/jobs/${id}`));
      done(await steward.get(`/api/jobs/${id}/logs`));
      expect((await approver.get(`/api/jobs/${id}`)).status).toBe(404);
    }
  });

  it('names nothing to delete for an import into a data set that existed', async () => {
    const job = await importFile(await newTarget(), FILE);
    expect(done(await steward.get(`/api/jobs/${job.jobId}/undo`)).created).toBeNull();
  });

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

  it('reverts unedited rows, keeps and names the edited ones, and the same file can be imported again', async () => {
    const dataSetId = await newTarget(EXISTING);
    const job = await importFile(dataSetId, FILE);
    expect(job).toMatchObject({
      counts: { created: 292, changed: 8 },
      undo: { state: 'possible', jobId: null, at: null },
    });
    const imported = await rowsOf(dataSetId, 300);
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
    expect(namesOf(await rowsOf(dataSetId, 9))).toEqual({
      ...Object.fromEntries(EXISTING.map((code) => [code, `Old ${code}`])),
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
    const ofJob = { logic: 'AND', conditions: [{ field: 'jobId', operator: 'equals', value: undone.jobId }] };
    const { items } = done(await admin.get(`/api/audit-logs?filter=${encodeURIComponent(JSON.stringify(ofJob))}`));
    expect(items.find(({ action }: Json) => action === 'BulkDecisionCompleted')).toMatchObject({
      entityName: undone.description,
      operationMetadata: { jobId: undone.jobId, undoes: job.jobId },
    });

    expect(await importFile(dataSetId, FILE)).toMatchObject({ status: 'DONE', counts: { created: 291, changed: 9 } });
  });

  it('names the import and the undo that changed a kept row', async () => {
    const dataSetId = await newTarget(EXISTING);
    const first = await importFile(dataSetId, FILE);
    const second = await importFile(dataSetId, 'code,name\n00003,Changed\n');
    const keptRows = async () => done(await steward.get(`/api/jobs/${first.jobId}/undo`)).keptRows;
    expect(await keptRows()).toMatchObject([{ key: '00003', job: { id: second.jobId, undoes: null } }]);
    const undone = await undo(second.jobId);
    expect(await keptRows()).toMatchObject([{ key: '00003', job: { id: undone.jobId, undoes: second.jobId } }]);
  });

  it('keeps rows that mappings use', async () => {
    const dataSetId = await newTarget();
    const job = await importFile(dataSetId, FILE);
    await rowsOf(dataSetId, 300);
    await draft(steward, await newCrosswalk(steward, dataSetId, await newTarget(['x'])), [['00007', 'x']]);
    const preview = done(await steward.get(`/api/jobs/${job.jobId}/undo`));
    expect(preview).toMatchObject({ removed: 299, kept: 1, keptRows: [{ key: '00007', reason: 'REFERENCED' }] });
    expect(await undo(job.jobId)).toMatchObject({ counts: { changed: 299, skipped: 1 } });
    expect(Object.keys(await rowsOf(dataSetId, 1))).toEqual(['00007']);
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

describe('an interrupted undo', () => {
  /** Runs `act` between two pieces of the undo of a new import; repeats this with another import until the undo ends with `status`. */
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

  it('keeps what it has reverted when it is cancelled, and another undo reverts the rest', async () => {
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
    await rowsOf(dataSetId, skipped);
    const preview = done(await steward.get(`/api/jobs/${importJobId}/undo`));
    expect(preview).toMatchObject({ removed: skipped, kept: 0 });
    expect(await undo(importJobId)).toMatchObject({ status: 'DONE', counts: { total: skipped, changed: skipped } });
    await rowsOf(dataSetId, 0);
  }, 120_000);

  it('fails when its user may no longer write, and is tried again as another job', async () => {
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
    await rowsOf(dataSetId, 0);
    const refused = await steward.post(`/api/jobs/${job.jobId}/retry`, {});
    expect(refused).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
  }, 120_000);
});
