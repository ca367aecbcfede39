/** Creates collections, types, data sets, rows and crosswalks for tests. */
import { type HttpClient, type Json, uniqueName } from './http-client.ts';

/** Returns the body of a successful answer; throws for other answers. */
export function done(answer: { status: number; body: Json }): Json {
  if (answer.status >= 300) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** Returns the ids of the sample users steward, approver and viewer, by username. */
export async function userIds(person: HttpClient): Promise<Record<string, number>> {
  const ids: Record<string, number> = {};
  for (const username of ['steward', 'approver', 'viewer']) {
    const { users } = done(await person.get(`/api/users/directory?q=${username}`));
    ids[username] = users.find((user: Json) => user.username === username).id;
  }
  return ids;
}

export async function newType(steward: HttpClient, fields: Json[] = []): Promise<number> {
  const schemas = [
    { name: 'code', dataType: 'string', isPrimaryKey: true },
    { name: 'name', dataType: 'string' },
    ...fields,
  ];
  return done(await steward.post('/api/reference-types', { name: uniqueName('Type'), schemas })).id;
}

export async function newCollection(steward: HttpClient, grants: Json[] = []): Promise<number> {
  const { id } = done(await steward.post('/api/collections', { name: uniqueName('Collection') }));
  if (grants.length > 0) done(await steward.put(`/api/collections/${id}/permissions`, { permissions: grants }));
  return id;
}

/** Creates a collection of the steward where the approver may decide and the viewer may read. */
export async function newSharedCollection(steward: HttpClient): Promise<number> {
  const ids = await userIds(steward);
  return newCollection(steward, [
    { entityType: 'user', entityId: ids['approver'], permissionLevel: 'APPROVER' },
    { entityType: 'user', entityId: ids['viewer'], permissionLevel: 'READ' },
  ]);
}

export async function newDataSet(
  steward: HttpClient,
  typeId: number,
  collectionId: number,
  rows: Json[] = [],
): Promise<number> {
  const { id } = done(
    await steward.post('/api/reference-data', { name: uniqueName('Data set'), typeId, collectionId }),
  );
  if (rows.length > 0) {
    done(await steward.post(`/api/reference-data/${id}/instances`, { rows: rows.map((data) => ({ data })) }));
  }
  return id;
}

export async function newCrosswalk(
  steward: HttpClient,
  sourceSystemId: number,
  targetSystemId: number,
): Promise<number> {
  return done(
    await steward.post('/api/crosswalks', {
      name: uniqueName('Crosswalk'),
      sourceSystemId,
      targetSystemId,
      sourceAttribute: 'code',
      targetAttribute: 'code',
    }),
  ).id;
}

/** Drafts mappings of these pairs; returns their ids and revisions for the next command. */
export async function draft(
  steward: HttpClient,
  crosswalkId: number,
  pairs: [source: string, target: string][],
): Promise<{ id: number; revision: number }[]> {
  const rows = pairs.map(([sourceValue, targetValue]) => ({ sourceValue, targetValue }));
  return rowsOf(done(await steward.post(`/api/crosswalks/${crosswalkId}/mappings`, { rows })));
}

/** Returns the id and the new revision of each row that a bulk answer reports as done. */
export const rowsOf = (body: Json): { id: number; revision: number }[] =>
  body.results.filter((row: Json) => row.outcome === 'done').map(({ id, revision }: Json) => ({ id, revision }));

type RowsTarget = { crosswalkId: number } | { relationshipId: number };

/** Returns the form of an upload of rows for a crosswalk or a relationship. */
export function rowsForm(target: RowsTarget, content: string): FormData {
  const parts = new FormData();
  for (const [name, id] of Object.entries(target)) parts.set(name, String(id));
  parts.set('file', new Blob([content]), 'rows.csv');
  return parts;
}

/** Uploads a file of rows for a crosswalk or a relationship; returns the id of the file. */
export const uploadRows = async (person: HttpClient, target: RowsTarget, content: string): Promise<string> =>
  done(await person.post('/api/imports', rowsForm(target, content))).id;

/** Waits until a job has ended; returns the job. */
export const endOfJob = async (person: HttpClient, jobId: number): Promise<Json> =>
  (
    await person.eventually(
      `/api/jobs/${jobId}`,
      ({ status, body }) => status === 200 && ['DONE', 'FAILED', 'CANCELLED'].includes(body.status),
      60_000,
    )
  ).body;
