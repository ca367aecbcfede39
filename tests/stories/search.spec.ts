/** The search in all data that a user may read, requested over HTTP. */
import { beforeAll, describe, expect, it } from 'vitest';
import { done, newCollection, newDataSet, newType, userIds } from './fixtures.ts';
import { type HttpClient, type Json, signInAs, uniqueName } from './http-client.ts';

let steward: HttpClient;
let viewer: HttpClient;
let collectionId: number;
let grants: Json[];
let dataSetId: number;
const code = uniqueName('Code').replaceAll(' ', '-');
const path = `/api/search?q=${encodeURIComponent(code.toUpperCase())}`;

beforeAll(async () => {
  [steward, viewer] = await Promise.all([signInAs('steward'), signInAs('viewer')]);
  grants = [{ entityType: 'user', entityId: (await userIds(steward))['viewer'], permissionLevel: 'READ' }];
  collectionId = await newCollection(steward);
  dataSetId = await newDataSet(steward, await newType(steward), collectionId, [{ code, name: 'Crème brûlée' }]);
});

describe('the search', () => {
  it('finds a new row by its code, and follows changed grants', async () => {
    const { body } = await steward.eventually(path, (answer) => answer.body.codes.length === 1);
    expect(body.codes).toEqual([
      {
        code,
        label: 'Crème brûlée',
        places: [{ dataSetId, dataSetName: expect.any(String), instanceId: expect.any(Number) }],
      },
    ]);
    const emptyResult = { dataSets: [], definitions: [], codes: [], people: [], complete: expect.any(Boolean) };
    expect(done(await viewer.get(path))).toMatchObject({ codes: [] });
    done(await steward.put(`/api/collections/${collectionId}/permissions`, { permissions: grants }));
    await viewer.eventually(path, (answer) => answer.body.codes.length === 1);
    done(await steward.put(`/api/collections/${collectionId}/permissions`, { permissions: [] }));
    await viewer.eventually(path, (answer) => answer.body.codes.length === 0);
    expect(done(await viewer.get(path))).toEqual(emptyResult);
  });

  it('finds a renamed data set by the words of its name', async () => {
    const byWords = `/api/search?q=${encodeURIComponent(`renamed ${code}`)}`;
    done(await steward.patch(`/api/reference-data/${dataSetId}`, { name: `${code} renamed` }));
    const { body } = await steward.eventually(byWords, (answer) => answer.body.dataSets.length === 1);
    expect(body.dataSets).toMatchObject([{ id: dataSetId, name: `${code} renamed` }]);
  });

  it.each([
    ['an empty text', '/api/search?q=%20'],
    ['a text that is too long', `/api/search?q=${'x'.repeat(201)}`],
    ['recent data sets that are no ids', '/api/search?q=x&recent=1,x'],
    ['a time in the past', '/api/search?q=x&asOf=2026-01-01'],
  ])('refuses %s', async (_, refusedPath) => {
    expect((await steward.get(refusedPath)).status).toBe(400);
  });
});
