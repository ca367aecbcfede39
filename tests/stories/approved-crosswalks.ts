/** Creates approved crosswalks between two data sets, and translates values. */
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

export const translate = async (person: HttpClient, crosswalkId: number, value: string, asOf = ''): Promise<string[]> =>
  done(
    await person.get(`/api/crosswalks/${crosswalkId}/translate?value=${value}${asOf && `&asOf=${asOf}`}`),
  ).results.map((each: Json) => each.targetValue);

/** Creates a crosswalk and approves its definition and pairs. */
export async function approvedCrosswalk(
  pairs: [string, string][],
): Promise<{ id: number; rows: { id: number; revision: number }[] }> {
  const id = await newCrosswalk(steward, source, target);
  const drafted = await draft(steward, id, pairs);
  const submitted = rowsOf(done(await steward.post(`/api/crosswalks/${id}/mappings/submit`, { rows: drafted })));
  done(await approver.post(`/api/crosswalks/${id}/approve`));
  const approved = rowsOf(done(await approver.post(`/api/crosswalks/${id}/mappings/approve`, { rows: submitted })));
  await viewer.eventually(`/api/crosswalks/${id}/mappings?tab=approved`, ({ body }) => body.total === pairs.length);
  return { id, rows: approved };
}

/** Signs users in and creates the two data sets before the tests of a file. */
export function prepareCrosswalkEnds(): void {
  beforeAll(async () => {
    [steward, approver, viewer, admin] = await Promise.all([
      signInAs('steward'),
      signInAs('approver'),
      signInAs('viewer'),
      signInAs('admin'),
    ]);
    collectionId = await newSharedCollection(steward);
    const typeId = await newType(steward);
    source = await newDataSet(steward, typeId, collectionId, [
      { code: 'de', name: 'Germany' },
      { code: 'fr', name: 'France' },
      { code: 'it', name: 'Italy' },
      { code: '007', name: 'Nowhere' },
    ]);
    target = await newDataSet(steward, typeId, collectionId, [
      { code: 'DEU', name: 'Germany' },
      { code: 'FRA', name: 'France' },
      { code: 'ITA', name: 'Italy' },
    ]);
  });
}
