/** Imports drafts into data sets, and downloads the files of rejected rows. */
import { beforeAll } from 'vitest';
import { done, endOfJob, newCollection, newDataSet, newType } from './fixtures.ts';
import { type HttpClient, type Json, signInAs } from './http-client.ts';

export let steward: HttpClient;
let collectionId: number;
let typeId: number;

export const newTarget = (): Promise<number> => newDataSet(steward, typeId, collectionId, []);

/** Uploads a file as a draft, waits until the server has read it, and sets the data set as the target of the draft. */
export async function draftOf(dataSetId: number, content: string | Buffer, fileName: string): Promise<Json> {
  const form = new FormData();
  form.set('file', new File([new Uint8Array(Buffer.from(content))], fileName));
  const { id } = done(await steward.post('/api/imports', form));
  await steward.eventually(`/api/imports/${id}`, ({ body }) => body.state !== 'READING');
  return done(await steward.patch(`/api/imports/${id}`, { target: { kind: 'dataSet', dataSetId } }));
}

export async function importDraft({ id }: Json): Promise<Json> {
  const { jobId } = done(await steward.post(`/api/imports/${id}/start`, { description: 'Rows' }));
  return endOfJob(steward, jobId);
}

export const downloadRejected = async (jobId: number): Promise<Buffer> =>
  Buffer.from(await (await steward.download(`/api/imports/${jobId}/errors`)).arrayBuffer());

/** Returns the row errors of a job as `<key>: <violated rule>`, sorted. */
export const problemsOf = async (jobId: number): Promise<string[]> =>
  (done(await steward.get(`/api/jobs/${jobId}/logs?status=ERROR&pageSize=100`)).items as Json[])
    .filter(({ recordIndex }) => recordIndex !== null)
    .map(({ errorType, recordKey }) => `${recordKey}: ${errorType}`)
    .sort();

/** Signs the steward in, and creates a collection and a type, before the tests of the calling file. */
export function prepareDrafts(): void {
  beforeAll(async () => {
    steward = await signInAs('steward');
    collectionId = await newCollection(steward);
    typeId = await newType(steward, [{ name: 'population', dataType: 'number' }]);
  });
}
