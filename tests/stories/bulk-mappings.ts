/** Creates so many mappings that a decision on them is a job, and waits for such jobs. */
import pg from 'pg';
import { afterAll, beforeAll, expect, inject } from 'vitest';
import { done, draft, newCrosswalk, newDataSet, newSharedCollection, newType } from './fixtures.ts';
import { type HttpClient, type Json, signInAs } from './http-client.ts';
import { ANSWERED_ROWS } from './stack.ts';

export const ROWS = ANSWERED_ROWS + 10;
export const DRAFTS_PER_REQUEST = ROWS / 2;

export let steward: HttpClient;
export let approver: HttpClient;
export let viewer: HttpClient;
export let admin: HttpClient;
export let database: pg.Pool;
export let typeId: number;
export let collectionId: number;

/** Freezes a selection of ROWS mappings; returns the id of the selection. */
export const freezeSelection = async (person: HttpClient, selection: Json): Promise<string> => {
  const { selectionId, count } = done(await person.post('/api/selections', selection));
  expect(count).toBe(ROWS);
  return selectionId;
};

export const waitForEnd = async (person: HttpClient, jobId: number): Promise<Json> =>
  (
    await person.eventually(
      `/api/jobs/${jobId}`,
      ({ status, body }) => status === 200 && ['DONE', 'FAILED', 'CANCELLED'].includes(body.status),
      60_000,
    )
  ).body;

/** Undoes a batch with so many rows that the undo is a job; returns the ended job. */
export async function undoBatch(person: HttpClient, commandId: string): Promise<Json> {
  const answer = await person.post(`/api/batches/${commandId}/undo`);
  expect(answer.status).toBe(202);
  return waitForEnd(person, answer.body.jobId);
}

/** Creates a crosswalk with so many drafts that a decision on them is a job. */
async function createDrafts(collection: number): Promise<number> {
  const source = await newDataSet(steward, typeId, collection);
  const crosswalkId = await newCrosswalk(steward, source, await newDataSet(steward, typeId, collection));
  for (let from = 0; from < ROWS; from += DRAFTS_PER_REQUEST) {
    await draft(
      steward,
      crosswalkId,
      Array.from({ length: DRAFTS_PER_REQUEST }, (_, index) => [`s${from + index}`, `t${from + index}`]),
    );
  }
  return crosswalkId;
}

export async function waitForCount(crosswalkId: number, tab: string, count: number): Promise<void> {
  await steward.eventually(`/api/crosswalks/${crosswalkId}`, ({ body }) => body.counts[tab] === count, 60_000);
}

/** Creates a crosswalk with `createDrafts`, and submits the drafts in a job. */
export async function createPending(collection = collectionId): Promise<number> {
  const crosswalkId = await createDrafts(collection);
  await waitForCount(crosswalkId, 'draft', ROWS);
  const selectionId = await freezeSelection(steward, { kind: 'mappings', parentId: crosswalkId, tab: 'draft' });
  const response = await steward.post(`/api/crosswalks/${crosswalkId}/mappings/submit`, { selectionId });
  expect(response.status).toBe(202);
  expect(await waitForEnd(steward, done(response).jobId)).toMatchObject({ status: 'DONE', counts: { changed: ROWS } });
  await waitForCount(crosswalkId, 'pending', ROWS);
  return crosswalkId;
}

/** Signs users in and creates a type and a collection before the tests of a file. */
export function prepareBulkDecisions(): void {
  beforeAll(async () => {
    [steward, approver, viewer, admin] = await Promise.all([
      signInAs('steward'),
      signInAs('approver'),
      signInAs('viewer'),
      signInAs('admin'),
    ]);
    database = new pg.Pool({ connectionString: inject('databaseUrl'), max: 2 });
    typeId = await newType(steward);
    collectionId = await newSharedCollection(steward);
  });

  afterAll(() => database?.end());
}
