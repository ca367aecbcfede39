/** Creates crosswalks, requests values that they do not map, and ignores and reopens the missing mappings. */
import { beforeAll } from 'vitest';
import { done, draft, newCrosswalk, newDataSet, newSharedCollection, newType, rowsOf } from './fixtures.ts';
import { type HttpClient, type Json, signInAs } from './http-client.ts';

export let steward: HttpClient;
export let approver: HttpClient;
export let viewer: HttpClient;
export let collectionId: number;
let source: number;
let target: number;

/** Creates an approved crosswalk that maps `de`. */
export async function createServedCrosswalk(): Promise<number> {
  const id = await newCrosswalk(steward, source, target);
  const drafted = await draft(steward, id, [['de', 'DEU']]);
  const submitted = rowsOf(done(await steward.post(`/api/crosswalks/${id}/mappings/submit`, { rows: drafted })));
  done(await approver.post(`/api/crosswalks/${id}/approve`));
  done(await approver.post(`/api/crosswalks/${id}/mappings/approve`, { rows: submitted }));
  // Wait until the approval is projected, so that later requests use the crosswalk.
  done(await approver.get(`/api/crosswalks/${id}/translate?value=de`));
  return id;
}
export const listPath = (id: number, query = '') =>
  `/api/missing-mappings?crosswalkId=${id}&include=suggestion${query}`;

/** Requests a translation of an unmapped value; returns its missing mapping. */
export async function recordMissing(id: number, sourceValue: string): Promise<Json> {
  done(await viewer.get(`/api/crosswalks/${id}/translate?value=${sourceValue}`));
  const list = await steward.eventually(listPath(id), ({ body }) =>
    body.items.some((item: Json) => item.sourceValue === sourceValue),
  );
  return list.body.items.find((item: Json) => item.sourceValue === sourceValue);
}
export const ignore = (body: Json) => steward.post('/api/missing-mappings/ignore', { comment: 'not ours', ...body });
export const reopen = (body: Json) => steward.post('/api/missing-mappings/reopen', body);
export const outcomes = ({ results }: Json) => results.map(({ id, outcome, code }: Json) => [id, outcome, code]);

/** Creates the data sets of the crosswalks before the tests of a file. */
export function prepareCrosswalks(): void {
  beforeAll(async () => {
    [steward, approver, viewer] = await Promise.all([signInAs('steward'), signInAs('approver'), signInAs('viewer')]);
    collectionId = await newSharedCollection(steward);
    const typeId = await newType(steward, [{ name: 'Synonyms', dataType: 'string' }]);
    source = await newDataSet(steward, typeId, collectionId, [{ code: 'de', name: 'Germany' }]);
    target = await newDataSet(steward, typeId, collectionId, [
      { code: 'DEU', name: 'Germany' },
      { code: 'NLD', name: 'Netherlands', Synonyms: 'Holland; Nederland' },
    ]);
  });
}
