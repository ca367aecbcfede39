/** Tests uploads of CSV files, and imports of their rows into data sets. */
import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { done, newCollection, newDataSet, newType, userIds } from './fixtures.ts';
import { type Answer, type HttpClient, type Json, signInAs } from './http-client.ts';

let steward: HttpClient;
let collectionId: number;
beforeAll(async () => {
  steward = await signInAs('steward');
  const { viewer, approver } = await userIds(steward);
  collectionId = await newCollection(steward, [
    { entityType: 'user', entityId: viewer, permissionLevel: 'READ' },
    { entityType: 'user', entityId: approver, permissionLevel: 'WRITE' },
  ]);
});

/** Creates a data set with fields for a code, a name, a number, a boolean and a date. */
async function newTarget(rows: Json[] = []): Promise<number> {
  const typeId = await newType(steward, [
    { name: 'population', dataType: 'number' },
    { name: 'active', dataType: 'boolean' },
    { name: 'since', dataType: 'date' },
  ]);
  return newDataSet(steward, typeId, collectionId, rows);
}

function form(dataSetId: number, content: string | Buffer, otherFields: Record<string, string> = {}): FormData {
  const parts = new FormData();
  parts.set('dataSetId', String(dataSetId));
  for (const [name, value] of Object.entries(otherFields)) parts.set(name, value);
  parts.set('file', new File([new Uint8Array(Buffer.from(content))], 'countries.csv', { type: 'text/csv' }));
  return parts;
}

const upload = async (
  dataSetId: number,
  content: string | Buffer,
  otherFields: Record<string, string> = {},
): Promise<Json> => done(await steward.post('/api/imports', form(dataSetId, content, otherFields)));

async function startImport(dataSetId: number, content: string | Buffer, options: Json = {}): Promise<number> {
  const { id } = await upload(dataSetId, content);
  return done(await steward.post(`/api/imports/${id}/start`, { description: 'Countries', ...options })).jobId;
}

const waitForEnd = async (jobId: number): Promise<Json> =>
  (await steward.eventually(`/api/jobs/${jobId}`, ({ body }) => ['DONE', 'FAILED', 'CANCELLED'].includes(body.status)))
    .body;

const importFile = async (dataSetId: number, content: string | Buffer, options: Json = {}): Promise<Json> =>
  waitForEnd(await startImport(dataSetId, content, options));

/** Returns the line and the violated rule of each row that the job rejected. */
async function readRejectedLines(jobId: number): Promise<[line: number, rule: string][]> {
  const { items } = done(await steward.get(`/api/jobs/${jobId}/logs?status=ERROR&pageSize=1000`));
  const rejectedLines: [number, string][] = items.map((log: Json) => [log.recordIndex, log.errorType]);
  return rejectedLines.sort((a, b) => a[0] - b[0]);
}

/** Waits until the data set has this number of rows; returns the rows. */
const waitForRows = async (dataSetId: number, count: number): Promise<Json[]> => {
  const path = `/api/reference-data/${dataSetId}/instances?pageSize=1000`;
  return (await steward.eventually(path, ({ body }) => body.total === count)).body.items;
};

const header = 'code,name,population,active,since\n';

describe('uploading', () => {
  it('returns the format of the file, and a suggested field for each column', async () => {
    const dataSetId = await newTarget();
    const staged = await upload(dataSetId, 'CODE; Name ;population\nDE;Deutschland;83\nFR;"France; la";68\n');
    expect(staged).toMatchObject({
      dataSetId,
      fileName: 'countries.csv',
      format: 'csv',
      delimiter: ';',
      encoding: 'utf-8',
      hasHeader: true,
      columns: ['CODE', 'Name', 'population'],
      sample: [
        ['DE', 'Deutschland', '83'],
        ['FR', 'France; la', '68'],
      ],
    });
    expect(Object.keys(staged.suggestedColumns)).toEqual(['CODE', 'Name', 'population']);
  });
});

describe('an import', () => {
  it('adds valid rows with their exact values, and reports invalid rows', async () => {
    const dataSetId = await newTarget([{ code: '00003', name: 'There before' }]);
    const lines = Array.from({ length: 1_000 }, (_, index) => {
      const code = String(index).padStart(5, '0');
      return `${code},"Land ""${code}"", ä",${index},true,2024-01-31`;
    });
    lines[100] = '00007,again,1,true,2024-01-31';
    lines[200] = ',no key,1,true,2024-01-31';
    lines[300] = '00300,ragged';
    lines[400] = '00400,wrong,twelve,maybe,31.01.2024';
    const text = Buffer.from(`${header}${lines.join('\n')}\n`);
    const [before, after] = [lines.slice(0, 500).join('\n'), lines.slice(501).join('\n')];
    const bytes = Buffer.concat([
      Buffer.from(`${header}${before}\n00500,M`),
      Buffer.from([0xfc]),
      Buffer.from(`nchen,1,true,2024-01-31\n${after}\n`),
    ]);
    expect(bytes.length).not.toBe(text.length);
    const job = await importFile(dataSetId, bytes);
    expect(job.counts).toEqual({ total: 1_000, created: 994, changed: 0, unchanged: 0, failed: 6, skipped: 0 });
    expect(job).toMatchObject({ status: 'DONE', jobLevel: 'PARENT', workflowPhase: 'COMPLETE', progress: 100 });
    expect(job.children).toMatchObject([
      { jobType: 'VALIDATION', jobLevel: 'CHILD', status: 'DONE', counts: { total: 1_000, failed: 5 } },
      { jobType: 'DATASET_INSTANCES_IMPORT', jobLevel: 'CHILD', status: 'DONE', counts: { created: 994, failed: 1 } },
    ]);
    expect(await readRejectedLines(job.jobId)).toEqual([
      [5, 'DUPLICATE_KEY'],
      [102, 'DUPLICATE_IN_FILE'],
      [202, 'MISSING_KEY'],
      [302, 'FIELD_COUNT'],
      [402, 'WRONG_TYPE'],
      [502, 'ENCODING'],
    ]);
    await waitForRows(dataSetId, 995);
    const filter = JSON.stringify({ conditions: [{ field: 'code', operator: 'equals', value: '00000' }] });
    const path = `/api/reference-data/${dataSetId}/instances?filter=${encodeURIComponent(filter)}`;
    const { items } = done(await steward.get(path));
    expect(items.map((row: Json) => row.data)).toEqual([
      { code: '00000', name: 'Land "00000", ä', population: 0, active: true, since: '2024-01-31' },
    ]);
  });

  it('returns the rejected rows as a file that can be corrected and imported', async () => {
    const dataSetId = await newTarget();
    const job = await importFile(dataSetId, 'code,name,population\nDE,Germany,lots\nFR,France,68\n');
    const { body } = await steward.get(`/api/imports/${job.jobId}/errors`);
    const [head, row] = body.split('\r\n');
    expect(head).toBe('rdm:reason,code,name,population');
    expect(row).toMatch(/^".*""lots"" is not a number\..*",DE,Germany,lots$/);
    const corrected = `${head}\n${row.replace(/lots$/, '83')}\n`;
    expect((await importFile(dataSetId, corrected)).counts).toMatchObject({ total: 1, created: 1 });
  });

  it('reads UTF-16 with semicolons, and columns that the user assigns to fields', async () => {
    const dataSetId = await newTarget();
    const content = Buffer.from('\ufeffKürzel;Land\r\nÄ1;"Österreich; Süd"\r\n', 'utf16le');
    const staged = await upload(dataSetId, content);
    expect(staged).toMatchObject({ encoding: 'utf-16le', delimiter: ';', columns: ['Kürzel', 'Land'] });
    const start = `/api/imports/${staged.id}/start`;
    expect(await steward.post(start, { description: 'x' })).toMatchObject({
      status: 400,
      body: { error: 'No column fills the key field "code": choose one' },
    });
    const { typeId } = done(await steward.get(`/api/reference-data/${dataSetId}`));
    const fields = done(await steward.get(`/api/reference-types/${typeId}/schemas`));
    const [code, name] = fields.map((field: Json) => field.fieldId);
    const { jobId } = done(await steward.post(start, { description: 'x', columns: { Kürzel: code, Land: name } }));
    expect((await waitForEnd(jobId)).counts).toMatchObject({ created: 1 });
    expect((await waitForRows(dataSetId, 1))[0]?.data).toMatchObject({ code: 'Ä1', name: 'Österreich; Süd' });
  });

  it('changes existing rows in the mode upsert', async () => {
    const dataSetId = await newTarget([
      { code: 'DE', name: 'Germany', population: 83 },
      { code: 'FR', name: 'France', population: 68 },
    ]);
    const text = 'code,name\nDE,Deutschland\nFR,France\nIT,Italy\n';
    expect((await importFile(dataSetId, text, { mode: 'upsert' })).counts).toEqual({
      total: 3,
      created: 1,
      changed: 1,
      unchanged: 1,
      failed: 0,
      skipped: 0,
    });
    const rows = await waitForRows(dataSetId, 3);
    expect(rows.find((row) => row.data.code === 'DE')).toMatchObject({
      revision: 2,
      data: { name: 'Deutschland', population: 83 },
    });
  });

  it('adds its rows to the order of entry in the order of the file', async () => {
    const dataSetId = await newTarget([{ code: '500', name: 'There before' }]);
    const codes = Array.from({ length: 900 }, (_, index) => String((index * 7) % 900).padStart(3, '0'));
    await importFile(dataSetId, `code\n${codes.join('\n')}\n`, { mode: 'upsert' });
    await waitForRows(dataSetId, 900);
    const path = `/api/reference-data/${dataSetId}`;
    done(await steward.post(`${path}/instances`, { data: { code: '0005' } }));
    await waitForRows(dataSetId, 901);
    const readCodes = async (query: string): Promise<string[]> =>
      done(await steward.get(`${path}/instances?pageSize=1000${query}`)).items.map((row: Json) => row.data.code);
    const entered = ['500', ...codes.filter((code) => code !== '500'), '0005'];
    expect(await readCodes('&sort=orderOfEntry')).toEqual(entered);
    expect(await readCodes('&sort=orderOfEntry&order=DESC')).toEqual(entered.toReversed());
    expect(await readCodes('')).toEqual(entered.toSorted());
    const { body } = await steward.get(`${path}/export?fields=code`);
    expect(body.trimEnd().split('\r\n')).toEqual(['code', ...entered.toSorted()]);
  });

  it('imports no row if one row is invalid and allOrNothing is set', async () => {
    const dataSetId = await newTarget();
    const job = await importFile(dataSetId, 'code,population\nDE,83\nFR,many\n', { allOrNothing: true });
    expect(job).toMatchObject({
      status: 'FAILED',
      errorMessage: '1 of 2 rows cannot be imported: nothing was imported',
    });
    expect((await steward.post(`/api/jobs/${job.jobId}/cancel`)).status).toBe(409);
    expect(await waitForRows(dataSetId, 0)).toEqual([]);
    const row = { data: { code: 'DE' } };
    expect((await steward.post(`/api/reference-data/${dataSetId}/instances`, row)).status).toBe(201);
  });
});

describe('permissions', () => {
  it('require WRITE to upload and to cancel, and only let the uploader start the import', async () => {
    const dataSetId = await newTarget();
    const [viewer, approver] = [await signInAs('viewer'), await signInAs('approver')];
    expect((await viewer.post('/api/imports', form(dataSetId, 'code\nDE\n'))).status).toBe(403);
    expect((await viewer.post('/api/imports', form(99_999_999, 'code\nDE\n'))).status).toBe(404);
    const { id } = await upload(dataSetId, 'code\nDE\n');
    // The approver has WRITE on the data set, but did not upload the file.
    expect((await approver.post(`/api/imports/${id}/start`, { description: 'x' })).status).toBe(404);
    const jobId = await startImport(dataSetId, 'code\nDE\n');
    expect((await viewer.post(`/api/jobs/${jobId}/cancel`)).status).toBe(403);
    await waitForEnd(jobId);
    expect(await approver.post(`/api/jobs/${jobId}/retry`)).toMatchObject({
      status: 409,
      body: { error: 'Only a job that failed can be tried again' },
    });
  });
});

describe('a refused upload or start of an import', () => {
  const uploadInvalid = async (content: string, otherFields: Record<string, string> = {}): Promise<Answer> =>
    steward.post('/api/imports', form(await newTarget(), content, otherFields));

  it('has a clear message', async () => {
    const wide = Array.from({ length: 10_000 }, (_, index) => `c${index}`).join(',');
    expect(await uploadInvalid(`${wide}\n`)).toMatchObject({
      status: 400,
      body: { error: 'The file has 10,000 columns; at most 1,000 can be imported' },
    });
    expect(await uploadInvalid('')).toMatchObject({ status: 400, body: { error: 'The file has no rows' } });
    expect((await uploadInvalid('a\n', { delimiter: '#' })).status).toBe(400);
    expect((await steward.post('/api/imports', { not: 'a form' })).status).toBe(415);
    expect((await steward.post('/api/imports', new FormData())).status).toBe(400);
    const { id } = await upload(await newTarget(), 'code\nDE\n');
    expect(await steward.post(`/api/imports/${id}/start`, {})).toMatchObject({
      status: 400,
      body: { error: 'Job description is required' },
    });
  });
  it('returns 413 before the client has sent the whole file', async () => {
    const answeredStatus = await new Promise<number | undefined>((resolve, reject) => {
      const url = new URL('/api/imports', inject('baseUrl'));
      const headers = {
        Cookie: steward.cookie,
        Origin: inject('baseUrl'),
        'Content-Type': 'multipart/form-data; boundary=x',
        'Content-Length': 600 * 1024 * 1024,
      };
      const sent = request(url, { method: 'POST', headers }, (response) => {
        resolve(response.statusCode);
        sent.destroy();
      });
      sent.once('error', reject);
      sent.write('--x\r\n');
    });
    expect(answeredStatus).toBe(413);
  });
});

describe('the same Idempotency-Key', () => {
  it('creates one upload and one job', async () => {
    const dataSetId = await newTarget();
    const key = randomUUID();
    const content = 'code\nDE\n';
    const uploads = await Promise.all(
      Array.from({ length: 3 }, () => steward.post('/api/imports', form(dataSetId, content), { key })),
    );
    const ids = new Set(uploads.map((answer) => done(answer).id));
    expect(ids.size).toBe(1);
    expect((await steward.post('/api/imports', form(dataSetId, 'code\nFR\n'), { key })).status).toBe(422);
    const path = `/api/imports/${[...ids][0]}/start`;
    const jobs = await Promise.all(
      Array.from({ length: 4 }, () => steward.post(path, { description: 'Once' }, { key: `${key} start` })),
    );
    expect(new Set(jobs.map((answer) => done(answer).jobId)).size).toBe(1);
    await waitForRows(dataSetId, 1);
  });
});
