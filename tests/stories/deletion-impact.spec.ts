/**
 * The impact of deleting rows: the mappings and relationship values that reference the rows. Mappings and values that
 * the caller may not read are counted in one sum.
 */
import { beforeAll, expect, it } from 'vitest';
import { done, draft, newCollection, newCrosswalk, newDataSet, newType, userIds } from './fixtures.ts';
import { type HttpClient, type Json, signInAs, uniqueName } from './http-client.ts';

let steward: HttpClient;
let writer: HttpClient;
let source: number;
let target: number;
let hidden: number;
let byCode: Record<string, Json>;
let path: string;

beforeAll(async () => {
  [steward, writer] = await Promise.all([signInAs('steward'), signInAs('approver')]);
  const { approver } = await userIds(steward);
  const collectionId = await newCollection(steward, [
    { entityType: 'user', entityId: approver, permissionLevel: 'WRITE' },
  ]);
  const typeId = await newType(steward);
  source = await newDataSet(steward, typeId, collectionId, [
    { code: 'a' },
    { code: 'b' },
    { code: 'c' },
    { code: 'd' },
  ]);
  target = await newDataSet(steward, typeId, collectionId, [{ code: 'x' }]);
  hidden = done(await steward.post('/api/reference-data', { name: uniqueName('Hidden'), typeId })).id;
  path = `/api/reference-data/${source}/instances`;
  const { items } = done(await steward.get(path));
  byCode = Object.fromEntries(items.map((item: Json) => [item.key, item]));
});

const rowsOf = (...codes: string[]) => codes.map((code) => ({ id: byCode[code]?.id, revision: 1 }));

it('the impact of a deletion lists readable crosswalks and relationships, and sums up hidden references', async () => {
  const readableCrosswalk = await newCrosswalk(steward, source, target);
  await draft(steward, readableCrosswalk, [
    ['a', 'x'],
    ['b', 'x'],
    ['not a row', 'x'],
  ]);
  const reverseCrosswalk = await newCrosswalk(steward, target, source);
  await draft(steward, reverseCrosswalk, [['x', 'b']]);
  const hiddenCrosswalk = await newCrosswalk(steward, source, hidden);
  await draft(steward, hiddenCrosswalk, [['c', 'y']]);
  const { id: relationship } = done(
    await steward.post('/api/relationships', {
      name: uniqueName('Follows'),
      sourceDataSetId: source,
      targetDataSetId: source,
      sourceField: 'code',
      targetField: 'code',
      cardinality: 'MANY_TO_MANY',
      allowSelfRelationship: true,
    }),
  );
  done(
    await steward.post(`/api/relationships/${relationship}/values`, {
      rows: [
        { sourceKey: 'a', targetKey: 'b' },
        { sourceKey: 'd', targetKey: 'd' },
      ],
    }),
  );

  const impactForSteward = done(await steward.post(`${path}/deletion-impact`, { rows: rowsOf('a', 'b', 'c') }));
  expect(impactForSteward).toMatchObject({ rowCount: 3, referencedCount: 3, hidden: 0 });
  const [first, ...others] = impactForSteward.crosswalks;
  expect(first).toMatchObject({ id: readableCrosswalk, count: 2, servedCount: 0 });
  expect(new Set(others.map(({ id, count }: Json) => `${id} ${count}`))).toEqual(
    new Set([`${reverseCrosswalk} 1`, `${hiddenCrosswalk} 1`]),
  );
  // A relationship value between two selected rows counts once.
  expect(impactForSteward.relationships).toMatchObject([{ id: relationship, count: 1, servedCount: 0 }]);

  await writer.eventually(`/api/relationships/${relationship}`, ({ status }) => status === 200);
  const impactForWriter = done(await writer.post(`${path}/deletion-impact`, { rows: rowsOf('c') }));
  expect(impactForWriter).toMatchObject({
    rowCount: 1,
    referencedCount: 1,
    crosswalks: [],
    relationships: [],
    hidden: 1,
  });
});

it('the impact of a deletion is empty for rows without references', async () => {
  const id = await newDataSet(steward, await newType(steward), await newCollection(steward), [{ code: 'q' }]);
  const instancesPath = `/api/reference-data/${id}/instances`;
  const { items } = done(await steward.get(instancesPath));
  const requestBody = { rows: [{ id: items[0].id, revision: 1 }] };
  expect(done(await steward.post(`${instancesPath}/deletion-impact`, requestBody))).toEqual({
    rowCount: 1,
    referencedCount: 0,
    crosswalks: [],
    relationships: [],
    hidden: 0,
  });
});

it('the impact of a deletion covers all rows of a selection, and refuses a selection of another user', async () => {
  done(await steward.get(path));
  const { selectionId } = done(await steward.post('/api/selections', { kind: 'instances', parentId: source }));
  expect(done(await steward.post(`${path}/deletion-impact`, { selectionId }))).toMatchObject({ rowCount: 4 });
  expect(await writer.post(`${path}/deletion-impact`, { selectionId })).toMatchObject({
    status: 404,
    body: { error: 'This selection has expired: select the rows again' },
  });
});
