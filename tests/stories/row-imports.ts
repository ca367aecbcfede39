/** Imports mappings and relationship values, and undoes and cancels the imports. */
import pg from 'pg';
import { afterAll, beforeAll, expect, inject } from 'vitest';
import { done, endOfJob, newCrosswalk, newDataSet, newSharedCollection, newType, uploadRows } from './fixtures.ts';
import { type HttpClient, type Json, signInAs, uniqueName } from './http-client.ts';
import { waitForProgressReport, whilePaused } from './paused-job.ts';

export let steward: HttpClient;
export let approver: HttpClient;
export let viewer: HttpClient;
let database: pg.Pool;
export let source: number;
export let target: number;

const lines = (count: number, targetOf = (index: number) => `t${index}`): string =>
  `sourceValue,targetValue\n${Array.from({ length: count }, (_, index) => `s${index},${targetOf(index)}`).join('\n')}\n`;

export async function startImport(
  path: string,
  uploadTarget: Json,
  content: string,
  options: Json = {},
  person = steward,
) {
  const fileId = await uploadRows(person, uploadTarget, content);
  const answer = await person.post(`${path}/import`, { fileId, ...options });
  expect(answer.status).toBe(202);
  return { fileId, ...(answer.body as { jobId: number; commandId: string }) };
}

export const waitForCounts = (id: number, expected: Json) =>
  steward.eventually(`/api/crosswalks/${id}/mappings/counts`, ({ body }) =>
    Object.entries(expected).every(([tab, count]) => body[tab] === count),
  );

/**
 * Imports mappings twice, changes one mapping, and undoes the second import. With `submit`, the second import submits
 * its mappings, and one mapping is rejected instead of changed, because submitted mappings cannot be changed.
 */
export async function requireUndoAsBatch(submit: boolean): Promise<void> {
  const id = await newCrosswalk(steward, source, target);
  const path = `/api/crosswalks/${id}/mappings`;
  const uploadTarget = { crosswalkId: id };
  const before = await startImport(
    path,
    uploadTarget,
    lines(3, () => 'before'),
  );
  await endOfJob(steward, before.jobId);
  const { jobId, commandId } = await startImport(path, uploadTarget, lines(5), { submit });
  expect((await endOfJob(steward, jobId)).counts).toMatchObject({ created: 2, changed: 3 });
  const tab = submit ? 'pending' : 'draft';
  await waitForCounts(id, { [tab]: 5 });
  const { items } = done(await steward.get(`${path}?sort=id`));
  const last = items.at(-1);
  const changedLater = { id: last.id, revision: last.revision };
  if (submit) done(await approver.post(`${path}/reject`, { rows: [changedLater], comment: 'Wrong' }));
  else done(await steward.patch(path, { rows: [{ ...changedLater, targetValue: 'by hand' }] }));
  await waitForCounts(id, { [tab]: submit ? 4 : 5 });
  const batch = await steward.eventually(`/api/batches/${commandId}`, ({ body }) => body.undo?.laterCount === 1);
  expect(batch.body.undo).toMatchObject({ possible: true, count: submit ? 5 : 4, laterCount: 1 });
  expect((await viewer.post(`/api/batches/${commandId}/undo`)).status).toBe(403);
  const undone = done(await steward.post(`/api/batches/${commandId}/undo`));
  expect(undone).toMatchObject({ refused: 1 });
  expect(undone.results.find((row: Json) => row.outcome === 'refused')).toMatchObject({ id: last.id, code: 'LATER' });
  await waitForCounts(id, submit ? { draft: 3, pending: 0, rejected: 1 } : { draft: 4 });
  const { items: remaining } = done(await steward.get(`${path}?sort=sourceValue`));
  expect(remaining.map((row: Json) => [row.sourceValue, row.targetValue])).toEqual([
    ['s0', 'before'],
    ['s1', 'before'],
    ['s2', 'before'],
    ['s4', submit ? 't4' : 'by hand'],
  ]);
  if (submit) expect(done(await steward.get(`/api/crosswalks/${id}`))).toMatchObject({ approvalStatus: 'DRAFT' });
}

/** The number of rows of each data set. An import of all pairs usually still runs when the test cancels it. */
const DATA_SET_ROWS = 50;
const PAIR_COUNT = DATA_SET_ROWS * DATA_SET_ROWS;

/** Waits until a piece of the job is recorded, or the job has ended. */
async function waitForFirstPiece(jobId: number): Promise<void> {
  for (;;) {
    const { rows } = await database.query(
      `SELECT ended_at IS NOT NULL OR EXISTS (SELECT FROM command.bulk_pieces WHERE job_id = $1) AS "hasBegun"
         FROM jobs.progress WHERE job_id = $1`,
      [jobId],
    );
    if (rows[0]?.hasBegun) return;
  }
}

let pairSource: number;
let pairTarget: number;

/** Creates two data sets, for imports of all pairs of their rows. */
export async function createPairDataSets(): Promise<void> {
  const collectionId = await newSharedCollection(steward);
  const typeId = await newType(steward);
  const rows = Array.from({ length: DATA_SET_ROWS }, (_, index) => ({ code: `k${index}` }));
  pairSource = await newDataSet(steward, typeId, collectionId, rows);
  pairTarget = await newDataSet(steward, typeId, collectionId, rows);
}
const allPairs = (header: string) =>
  `${header}\n${Array.from({ length: PAIR_COUNT }, (_, index) => `k${index % DATA_SET_ROWS},k${Math.floor(index / DATA_SET_ROWS)}`).join('\n')}\n`;

/** By the kind of imported rows, a function that creates the crosswalk or relationship for an import of all pairs. */
const kinds: Record<string, () => Promise<{ path: string; uploadTarget: Json; header: string }>> = {
  async mappings() {
    const id = await newCrosswalk(steward, pairSource, pairTarget);
    return {
      path: `/api/crosswalks/${id}/mappings`,
      uploadTarget: { crosswalkId: id },
      header: 'sourceValue,targetValue',
    };
  },
  async 'relationship values'() {
    const ends = {
      sourceDataSetId: pairSource,
      targetDataSetId: pairTarget,
      sourceField: 'code',
      targetField: 'code',
    };
    const relationship = { name: uniqueName('Cancelled'), cardinality: 'MANY_TO_MANY', ...ends };
    const { id } = done(await steward.post('/api/relationships', relationship));
    return {
      path: `/api/relationships/${id}/values`,
      uploadTarget: { relationshipId: id },
      header: 'sourceKey,targetKey',
    };
  },
};

/** Cancels an import between two of its pieces. Repeats this with a new import if the import ends first. */
async function cancelDuringImport(createTarget: () => Promise<{ path: string; uploadTarget: Json; header: string }>) {
  for (;;) {
    const { path, uploadTarget, header } = await createTarget();
    const { jobId, commandId, fileId } = await startImport(path, uploadTarget, allPairs(header));
    await waitForFirstPiece(jobId);
    await whilePaused(database, commandId, async () => {
      expect((await viewer.post(`/api/jobs/${jobId}/cancel`)).status).toBe(403);
      const { status } = await steward.post(`/api/jobs/${jobId}/cancel`);
      if (status === 202) await waitForProgressReport(database, jobId);
    });
    const job = await endOfJob(steward, jobId);
    if (job.status === 'CANCELLED') return { path, fileId, job, commandId };
  }
}

/** Cancels an import, imports the remaining rows of its file, and undoes the cancelled import. */
export async function requireImportedRowsKept(name: string): Promise<void> {
  const { path, fileId, job, commandId } = await cancelDuringImport(kinds[name] as (typeof kinds)[string]);
  const { created, skipped } = job.counts;
  expect(job.counts).toEqual({ total: PAIR_COUNT, created, changed: 0, unchanged: 0, failed: 0, skipped });
  expect([created > 0, skipped > 0, created + skipped]).toEqual([true, true, PAIR_COUNT]);
  const waitForDrafts = (count: number) =>
    steward.eventually(`${path}/counts`, ({ body }) => body.draft === count, 60_000);
  await waitForDrafts(created);
  expect((await steward.post(`/api/jobs/${job.jobId}/cancel`)).status).toBe(409);
  expect((await steward.post(`/api/jobs/${job.jobId}/retry`)).status).toBe(409);
  // A second import of the file imports the remaining rows. The cancelled import can be undone separately.
  const secondImport = done(await steward.post(`${path}/import`, { fileId }));
  expect((await endOfJob(steward, secondImport.jobId)).counts).toMatchObject({
    created: skipped,
    unchanged: created,
  });
  await waitForDrafts(PAIR_COUNT);
  const undone = done(await steward.post(`/api/batches/${commandId}/undo`));
  if ('jobId' in undone) expect((await endOfJob(steward, undone.jobId)).status).toBe('DONE');
  await waitForDrafts(skipped);
}

/** Signs users in and creates two data sets before the tests of the calling file. */
export function prepareRowImports(): void {
  beforeAll(async () => {
    [steward, approver, viewer] = await Promise.all([signInAs('steward'), signInAs('approver'), signInAs('viewer')]);
    database = new pg.Pool({ connectionString: inject('databaseUrl'), max: 2 });
    const collectionId = await newSharedCollection(steward);
    const typeId = await newType(steward);
    const rows = ['A', 'B', 'C'].map((code) => ({ code }));
    source = await newDataSet(steward, typeId, collectionId, rows);
    target = await newDataSet(steward, typeId, collectionId, rows);
  });

  afterAll(() => database?.end());
}
