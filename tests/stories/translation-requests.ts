/** Creates crosswalks with approved mappings, and translates values. */
import { beforeAll } from 'vitest';
import { done, draft, newCrosswalk, newDataSet, newSharedCollection, newType, rowsOf } from './fixtures.ts';
import { type HttpClient, type Json, signInAs } from './http-client.ts';

export let steward: HttpClient;
export let approver: HttpClient;
export let viewer: HttpClient;
export let admin: HttpClient;
export let collectionId: number;
export let source: number;
export let target: number;

type Rows = { id: number; revision: number }[];
export const submit = async (id: number, rows: Rows): Promise<Rows> =>
  rowsOf(done(await steward.post(`/api/crosswalks/${id}/mappings/submit`, { rows })));
export const approve = async (id: number, rows: Rows): Promise<Rows> =>
  rowsOf(done(await approver.post(`/api/crosswalks/${id}/mappings/approve`, { rows })));

/** Creates a crosswalk with these pairs, and approves its definition and the pairs. */
export async function approvedCrosswalk(pairs: [string, string][]): Promise<{ id: number; rows: Rows }> {
  const id = await newCrosswalk(steward, source, target);
  const submitted = await submit(id, await draft(steward, id, pairs));
  done(await approver.post(`/api/crosswalks/${id}/approve`));
  return { id, rows: await approve(id, submitted) };
}

export const translate = async (person: HttpClient, id: number, query: string): Promise<Json> =>
  done(await person.get(`/api/crosswalks/${id}/translate?${query}`));
export const readTargets = async (person: HttpClient, id: number, query: string): Promise<string[]> =>
  (await translate(person, id, query)).results.map((each: Json) => each.targetValue);

/** Before the tests of a file, signs users in and creates the data sets of the crosswalks. */
export function prepareTranslations(): void {
  beforeAll(async () => {
    [steward, approver, viewer, admin] = await Promise.all([
      signInAs('steward'),
      signInAs('approver'),
      signInAs('viewer'),
      signInAs('admin'),
    ]);
    collectionId = await newSharedCollection(steward);
    const typeId = await newType(steward);
    source = await newDataSet(steward, typeId, collectionId, [{ code: 'de' }, { code: 'fr' }]);
    target = await newDataSet(steward, typeId, collectionId, [{ code: 'DEU' }, { code: 'FRA' }, { code: 'XXX' }]);
  });
}
