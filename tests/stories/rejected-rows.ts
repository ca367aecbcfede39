/** Imports files into a data set, and downloads the files with their rejected rows. */
import { beforeAll } from 'vitest';
import { done, endOfJob, newCollection, newType } from './fixtures.ts';
import { type HttpClient, type Json, signInAs } from './http-client.ts';

export let steward: HttpClient;
export let collectionId: number;
export let typeId: number;

export async function upload(target: Json, content: Uint8Array, options: Record<string, string> = {}): Promise<Json> {
  const parts = new FormData();
  for (const [name, value] of Object.entries({ ...target, ...options })) parts.set(name, String(value));
  parts.set('file', new File([new Uint8Array(content)], 'rows.csv'));
  return done(await steward.post('/api/imports', parts));
}

/** Imports a file into a data set. The file has a column for each field of the type, in the same order. */
export async function importFile(
  dataSetId: number,
  content: Uint8Array,
  options: Record<string, string> = {},
): Promise<Json> {
  const { id, columns } = await upload({ dataSetId }, content, options);
  const { typeId: type } = done(await steward.get(`/api/reference-data/${dataSetId}`));
  const fields: Json[] = done(await steward.get(`/api/reference-types/${type}/schemas`));
  const mapping = Object.fromEntries(fields.map(({ fieldId }, index) => [columns[index], fieldId]));
  const { jobId } = done(
    await steward.post(`/api/imports/${id}/start`, { description: 'Rows', mode: 'upsert', columns: mapping }),
  );
  return endOfJob(steward, jobId);
}

export const downloadRejected = async (jobId: number): Promise<Buffer> =>
  Buffer.from(await (await steward.download(`/api/imports/${jobId}/errors`)).arrayBuffer());

/** Before the tests of the calling file, signs the steward in and creates a collection and a type. */
export function prepareImports(): void {
  beforeAll(async () => {
    steward = await signInAs('steward');
    collectionId = await newCollection(steward);
    typeId = await newType(steward, [{ name: 'population', dataType: 'number' }]);
  });
}
