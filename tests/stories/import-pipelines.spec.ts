/**
 * Imports that one request uploads and starts. A system sends a file and the id of a data set, and can safely repeat
 * the request.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { type ApiKeyClient, newKey } from './api-key-client.ts';
import { done, endOfJob, newCollection, newDataSet, newType } from './fixtures.ts';
import { type HttpClient, type Json, signInAs, uniqueName } from './http-client.ts';

let admin: HttpClient;
let steward: HttpClient;
let key: ApiKeyClient;
let secret: string;
let collectionId: number;
beforeAll(async () => {
  [admin, steward] = await Promise.all([signInAs('admin'), signInAs('steward')]);
  collectionId = await newCollection(steward, []);
  ({ client: key, secret } = await newKey(admin, [[collectionId, 'write']]));
});

const newTarget = async (fields: Json[] = []): Promise<number> =>
  newDataSet(steward, await newType(steward, fields), collectionId, []);

function formOf(fields: Record<string, string>, content: string): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('file', new File([content], 'codes.csv'));
  return form;
}

const send = (dataSetId: number, content: string, settings?: Json, client: HttpClient = key) =>
  client.post(
    '/api/imports',
    formOf(
      { dataSetId: String(dataSetId), start: 'true', ...(settings ? { settings: JSON.stringify(settings) } : {}) },
      content,
    ),
  );

const readRows = async (dataSetId: number): Promise<Json[]> =>
  done(await steward.get(`/api/reference-data/${dataSetId}/instances?pageSize=1000`)).items;

describe('an import that one request uploads and starts', () => {
  it('starts one job for requests that differ only in the description, and another job for other settings or content', async () => {
    const dataSetId = await newTarget();
    const content = `code;name\n00${uniqueName('A')};Öse\n002;Two\n`;
    const first = await send(dataSetId, content);
    expect(first).toMatchObject({ status: 202, body: { jobId: expect.any(Number) } });
    expect(first.body.replayed).toBeUndefined();
    const job = await endOfJob(steward, first.body.jobId);
    expect(job).toMatchObject({ status: 'DONE', counts: { total: 2, created: 2, failed: 0 } });
    const repeatedAnswer = await send(dataSetId, content);
    expect(repeatedAnswer).toMatchObject({ status: 200, body: { jobId: first.body.jobId, replayed: true } });
    const otherDescription = await send(dataSetId, content, { description: 'Another description' });
    expect(otherDescription.body).toMatchObject({ jobId: first.body.jobId, replayed: true });
    expect(await readRows(dataSetId)).toHaveLength(2);
    const jobs = done(await steward.get('/api/jobs?pageSize=1000')).items as Json[];
    expect(jobs.filter((each) => each.dataSetId === dataSetId)).toHaveLength(1);

    const otherSettings = await send(dataSetId, content, { mode: 'insert' });
    expect(otherSettings.status).toBe(202);
    const otherBytes = await send(dataSetId, `${content}003;Three\n`);
    expect(otherBytes.status).toBe(202);
    expect((await endOfJob(steward, otherSettings.body.jobId)).counts).toMatchObject({ failed: 2, created: 0 });
    expect((await endOfJob(steward, otherBytes.body.jobId)).counts).toMatchObject({ unchanged: 2, created: 1 });
  });

  it('imports a file again if another file was imported in between', async () => {
    const dataSetId = await newTarget();
    const jobIds: number[] = [];
    const importFile = async (name: string) => {
      const { jobId } = done(await send(dataSetId, `code,name\nA,${name}\n`));
      jobIds.push(jobId);
      expect(await endOfJob(steward, jobId)).toMatchObject({ status: 'DONE' });
    };
    for (const name of ['First', 'Second', 'First']) await importFile(name);
    expect(new Set(jobIds).size).toBe(3);
    const rowsPath = `/api/reference-data/${dataSetId}/instances`;
    const { body } = await steward.eventually(rowsPath, (each) => each.body.items[0]?.data.name === 'First');

    // Only versions that an import wrote have a job.
    const { id, revision } = body.items[0];
    done(await steward.patch(rowsPath, [{ id, revision, data: { name: 'Typed' } }]));
    const versions = await steward.eventually(`${rowsPath}/${id}/history`, (each) => each.body.total === 4);
    const jobsOfVersions = versions.body.items.map(({ jobId }: Json) => jobId);
    expect(jobsOfVersions).toEqual([null, jobIds[2], jobIds[1], jobIds[0]]);
  });

  it('starts one job if the request is repeated with the same Idempotency-Key', async () => {
    const dataSetId = await newTarget();
    const headers = { 'Idempotency-Key': uniqueName('key') };
    const form = () => formOf({ dataSetId: String(dataSetId), start: 'true' }, 'code,name\nA,Alpha\n');
    const [first, second] = [
      await key.post('/api/imports', form(), { headers }),
      await key.post('/api/imports', form(), { headers }),
    ];
    expect(second.body.jobId).toBe(first.body.jobId);
    await endOfJob(steward, first.body.jobId);
    expect(await readRows(dataSetId)).toHaveLength(1);
  });

  it('fails if questions about the file have no answers, and succeeds if the request is repeated with answers', async () => {
    const dataSetId = await newTarget([{ name: 'since', dataType: 'date' }]);
    const content = 'code;since\nA;03/04/2025\nB;05/06/2025\n';
    const job = await endOfJob(steward, done(await send(dataSetId, content)).jobId);
    expect(job).toMatchObject({ status: 'FAILED', counts: { created: 0 } });
    const [question] = job.metadata.questions;
    expect(question).toMatchObject({ text: job.errorMessage });
    expect(question.options.map(({ value }: Json) => value).sort()).toEqual(['DMY', 'MDY']);
    expect(await readRows(dataSetId)).toEqual([]);

    const withAnswers = await send(dataSetId, content, { answers: { [question.id]: 'DMY' } });
    expect(await endOfJob(steward, done(withAnswers).jobId)).toMatchObject({ status: 'DONE', counts: { created: 2 } });
    const rows = await steward.eventually(`/api/reference-data/${dataSetId}/instances`, ({ body }) => body.total === 2);
    expect(rows.body.items.map(({ data }: Json) => data.since).sort()).toEqual(['2025-04-03', '2025-06-05']);
  });

  it.each([
    ['a file that cannot be read', 'PK\x03\x04 no archive', /incomplete|workbook/],
    ['a file without the key', 'name,size\nA,1\n', /key field "code"/],
  ])('fails for %s, and writes nothing', async (_, content, reason) => {
    const dataSetId = await newTarget();
    const job = await endOfJob(steward, done(await send(dataSetId, content)).jobId);
    expect(job).toMatchObject({ status: 'FAILED', errorMessage: expect.stringMatching(reason) });
    expect(await readRows(dataSetId)).toEqual([]);
  });

  it('accepts pasted text instead of a file, and takes the target of the import from the settings', async () => {
    const dataSetId = await newTarget();
    const form = new FormData();
    form.set('start', 'true');
    form.set('settings', JSON.stringify({ target: { kind: 'dataSet', dataSetId }, description: 'Pasted' }));
    form.set('text', 'code\tname\nP\tPasted Öse\n');
    const { jobId } = done(await steward.post('/api/imports', form));
    expect(await endOfJob(steward, jobId)).toMatchObject({ status: 'DONE', description: 'Pasted' });
    const { body } = await steward.eventually(
      `/api/reference-data/${dataSetId}/instances`,
      (answer) => answer.body.total === 1,
    );
    expect(body.items[0].data).toEqual({ code: 'P', name: 'Pasted Öse' });
  });

  it('is refused without a data set, with settings that are not JSON, with a text beside the file or with too long text', async () => {
    const dataSetId = String(await newTarget());
    const withoutDataSet = await key.post('/api/imports', formOf({ start: 'true' }, 'code\nA\n'));
    expect(withoutDataSet).toMatchObject({ status: 400, body: { error: expect.stringContaining('dataSetId') } });
    const invalidSettings = await key.post(
      '/api/imports',
      formOf({ dataSetId, start: 'true', settings: '{' }, 'code\nA\n'),
    );
    expect(invalidSettings).toMatchObject({ status: 400, body: { error: expect.stringContaining('JSON') } });
    const twoFiles = await key.post(
      '/api/imports',
      formOf({ dataSetId, start: 'true', text: 'code\nA\n' }, 'code\nB\n'),
    );
    expect(twoFiles).toMatchObject({ status: 400, body: { error: expect.stringContaining('one file') } });
    const longText = new FormData();
    longText.set('dataSetId', dataSetId);
    longText.set('start', 'true');
    longText.set('text', `code\n${'A'.repeat(16 * 1024 * 1024)}`);
    expect(await key.post('/api/imports', longText)).toMatchObject({ status: 413 });
    expect(await readRows(Number(dataSetId))).toEqual([]);
  });

  it('needs WRITE on the data set', async () => {
    const { client } = await newKey(admin, [[collectionId, 'read']]);
    expect((await send(await newTarget(), 'code\nA\n', undefined, client)).status).toBe(403);
  });

  it('sends the progress of its job as server-sent events until the job ends', async () => {
    const dataSetId = await newTarget();
    const rows = Array.from({ length: 3_000 }, (_, index) => `C${index},Name ${index}`).join('\n');
    const { jobId } = done(await send(dataSetId, `code,name\n${rows}\n`));
    await steward.eventually(`/api/jobs/${jobId}`, ({ status }) => status === 200);
    const answer = await fetch(`${key.baseUrl}/api/jobs/${jobId}/events`, {
      headers: { Authorization: `Bearer ${secret}` },
    });
    expect(answer.headers.get('Content-Type')).toContain('text/event-stream');
    const events = (await answer.text())
      .split('\n\n')
      .filter((text) => text.startsWith('event: '))
      .map((text) => {
        const [, type, data] = /^event: (\w+)\ndata: (.*)$/s.exec(text) as RegExpExecArray;
        return { type, data: JSON.parse(data as string) as Json };
      });
    expect(events.at(-1)).toMatchObject({ type: 'end', data: { reason: 'done' } });
    expect(events.at(-2)).toMatchObject({
      type: 'progress',
      data: { jobId, status: 'DONE', counts: { created: 3_000 }, children: [{ status: 'DONE' }, { status: 'DONE' }] },
    });
  });
});
