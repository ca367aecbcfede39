/** Imports rows into a data set and undoes the imports. */
import pg from 'pg';
import { afterAll, beforeAll, inject } from 'vitest';
import { done, endOfJob, newCollection, newDataSet, newType, userIds } from './fixtures.ts';
import { type HttpClient, type Json, signInAs } from './http-client.ts';

export let steward: HttpClient;
export let approver: HttpClient;
export let admin: HttpClient;
export let ids: Record<string, number>;
export let collectionId: number;
export let database: pg.Pool;

export const CODES = Array.from({ length: 300 }, (_, index) => String(index).padStart(5, '0'));
export const FILE = `code,name\n${CODES.map((code) => `${code},New ${code}`).join('\n')}\n`;

/** Creates a data set with rows of these codes. */
export const newTarget = async (codes: readonly string[] = []): Promise<number> =>
  newDataSet(
    steward,
    await newType(steward),
    collectionId,
    codes.map((code) => ({ code, name: `Old ${code}` })),
  );

/** Imports a file into a data set, waits for the end of the job, and returns the job. */
export async function importFile(dataSetId: number, content: string, options: Json = {}): Promise<Json> {
  const parts = new FormData();
  parts.set('dataSetId', String(dataSetId));
  parts.set('file', new File([content], 'rows.csv'));
  const { id } = done(await steward.post('/api/imports', parts));
  const body = { description: 'Countries of July', mode: 'upsert', ...options };
  return endOfJob(steward, done(await steward.post(`/api/imports/${id}/start`, body)).jobId);
}

/** Waits until the data set has this number of rows, and returns them by key. */
export async function rowsByKey(dataSetId: number, count: number): Promise<Record<string, Json>> {
  const path = `/api/reference-data/${dataSetId}/instances?pageSize=1000`;
  const { body } = await steward.eventually(path, ({ body }) => body.total === count);
  return Object.fromEntries(body.items.map((row: Json) => [row.key, row]));
}

/** Undoes a job and waits for the end of the undo. */
export const undo = async (jobId: number, options: Json = {}): Promise<Json> =>
  endOfJob(steward, done(await steward.post(`/api/jobs/${jobId}/undo`, {}, options)).jobId);

/** Signs users in and creates a collection for the imports before the tests of the calling file. */
export function prepareImports(): void {
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
}
