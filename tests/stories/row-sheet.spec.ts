/** Requests of the row sheet: the preview of a paste, the references of a row, and bulk deletions. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { done, draft, newCollection, newCrosswalk, newDataSet, newType, rowsOf, userIds } from './fixtures.ts';
import { type HttpClient, type Json, signInAs, uniqueName } from './http-client.ts';

let steward: HttpClient;
let viewer: HttpClient;
let collectionId: number;
let typeId: number;
let dataSetId: number;
let path: string;
beforeAll(async () => {
  steward = await signInAs('steward');
  viewer = await signInAs('viewer');
  const { viewer: viewerId } = await userIds(steward);
  const readGrant = { entityType: 'user', entityId: viewerId, permissionLevel: 'READ' };
  collectionId = await newCollection(steward, [readGrant]);
  typeId = await newType(steward, [
    { name: 'level', dataType: 'number' },
    { name: 'active', dataType: 'boolean' },
    { name: 'since', dataType: 'date' },
  ]);
  dataSetId = await newDataSet(steward, typeId, collectionId, [
    { code: '007', name: 'Bond', level: 7 },
    { code: '008', name: 'Bill', since: '2020-02-29' },
  ]);
  path = `/api/reference-data/${dataSetId}/instances`;
});

const findRow = async (code: string): Promise<Json> =>
  done(await steward.get(`${path}?key=${encodeURIComponent(code)}`)).items[0];

describe('a paste', () => {
  const preview = (fields: string[], rows: Json[]) => steward.post(`${path}/paste-preview`, { fields, rows });

  it('is divided into new, changed, unchanged and invalid rows, without writing', async () => {
    const before = done(await steward.get(path));
    const { results, counts } = done(
      await preview(
        ['code', 'name', 'level', 'since'],
        [
          { cells: ['007', 'James', '7', ''] },
          { cells: ['008', 'Bill', '', '2020-02-29'] },
          { cells: ['0009', 'two\nlines\tand a "tab"', '1e3', ''] },
          { cells: ['010', 'x', 'seven', '2021-02-29'] },
          { cells: ['', 'no key', '1', ''] },
          { cells: ['0009', 'again', '', ''] },
        ],
      ),
    );
    expect(counts).toEqual({ new: 1, changed: 1, unchanged: 1, invalid: 3 });
    const bond = await findRow('007');
    expect(results[0]).toMatchObject({
      outcome: 'changed',
      id: bond.id,
      revision: bond.revision,
      data: { name: 'James' },
      before: { name: 'Bond' },
    });
    expect(results[1]).toMatchObject({ outcome: 'unchanged', data: {} });
    expect(results[2]).toMatchObject({
      outcome: 'new',
      id: null,
      data: { code: '0009', name: 'two\nlines\tand a "tab"', level: 1000 },
    });
    expect(results[3].problems).toEqual({
      level: '"seven" is not a number',
      since: '"2021-02-29" is not a date: use YYYY-MM-DD',
    });
    expect(results[4].problems).toEqual({ code: 'code is part of the key: fill it in' });
    expect(results[5].problems).toEqual({ code: 'An earlier line of the paste has this row already' });
    expect(done(await steward.get(path)).items).toEqual(before.items);
  });

  it('with ids finds rows by id, and does not change keys', async () => {
    const { id } = await findRow('008');
    const { results } = done(
      await preview(
        ['name', 'active'],
        [
          { id, cells: ['William', 'TRUE'] },
          { id: 1, cells: ['Nobody', ''] },
        ],
      ),
    );
    expect(results[0]).toMatchObject({ outcome: 'changed', data: { name: 'William', active: true }, key: '008' });
    expect(results[1]).toMatchObject({ outcome: 'invalid', problems: { code: 'This row no longer exists' } });
    const changedKey = done(await preview(['code'], [{ id, cells: ['8'] }])).results[0];
    expect(changedKey.problems).toEqual({ code: 'The key of a row does not change: add a new row instead' });
  });

  it('is refused with an unknown or repeated column, or with too many rows', async () => {
    expect(await preview(['code', 'nope'], [{ cells: ['1', '2'] }])).toMatchObject({
      status: 400,
      body: { error: 'There is no field "nope": leave its column out' },
    });
    expect((await preview(['code', 'code'], [{ cells: ['1', '2'] }])).status).toBe(400);
    expect((await preview(['code'], Array(10_001).fill({ cells: ['1'] }))).status).toBe(400);
  });

  it('requires WRITE', async () => {
    const body = { fields: ['code'], rows: [{ cells: ['1'] }] };
    expect((await viewer.post(`${path}/paste-preview`, body)).status).toBe(403);
  });
});

describe('references of a row', () => {
  it('are listed for both rows of a mapping, for readers of both data sets', async () => {
    const targetId = await newDataSet(steward, typeId, collectionId, [{ code: 'B', name: 'Bond' }]);
    const hiddenId = done(await steward.post('/api/reference-data', { name: uniqueName('Hidden'), typeId })).id;
    const readableCrosswalk = await newCrosswalk(steward, dataSetId, targetId);
    const hiddenCrosswalk = await newCrosswalk(steward, dataSetId, hiddenId);
    const [mapping] = await draft(steward, readableCrosswalk, [['007', 'B']]);
    await draft(steward, hiddenCrosswalk, [['007', 'X']]);
    const bond = await findRow('007');

    const ownReferences = done(await steward.get(`${path}/${bond.id}/references`));
    expect(ownReferences.mappingCount).toBe(2);
    await viewer.eventually(`${path}/${bond.id}/references`, ({ body }) => body.mappingCount === 1);
    const viewerReferences = done(await viewer.get(`${path}/${bond.id}/references`));
    expect(viewerReferences.mappings).toMatchObject([
      {
        id: mapping?.id,
        crosswalkId: readableCrosswalk,
        side: 'source',
        targetValue: 'B',
        status: 'DRAFT',
        isServed: false,
      },
    ]);

    const target = done(await steward.get(`/api/reference-data/${targetId}/instances`)).items[0];
    const other = done(await steward.get(`/api/reference-data/${targetId}/instances/${target.id}/references`));
    expect(other.mappings).toMatchObject([{ id: mapping?.id, side: 'target', sourceValue: '007' }]);
  });

  it('are an empty list for a row without mappings, and 404 for an unknown row', async () => {
    const bill = await findRow('008');
    expect(done(await steward.get(`${path}/${bill.id}/references`))).toEqual({ mappings: [], mappingCount: 0 });
    expect((await steward.get(`${path}/1/references`)).status).toBe(404);
  });
});

describe('rows of a selection', () => {
  it('are deleted if their revisions match the selection, and can be restored', async () => {
    const rows = Array.from({ length: 120 }, (_, index) => ({ code: `R${index}`, name: index < 100 ? 'go' : 'stay' }));
    const id = await newDataSet(steward, typeId, collectionId, rows);
    const list = `/api/reference-data/${id}/instances`;
    const filter = JSON.stringify({
      logic: 'AND',
      conditions: [{ field: 'name', operator: 'equals', value: 'go' }],
    });
    // A selection contains only projected rows. The list is read first, because this read waits for the projection.
    const page = done(await steward.get(`${list}?filter=${encodeURIComponent(filter)}&pageSize=1`));
    expect(page.total).toBe(100);
    const { selectionId, count } = done(
      await steward.post('/api/selections', { kind: 'instances', parentId: id, filter }),
    );
    expect(count).toBe(100);
    const [first] = page.items;
    const twice = ['one', 'two'].map((name) => ({ id: first.id, revision: first.revision, data: { name } }));
    expect(await steward.patch(list, twice)).toMatchObject({
      status: 400,
      body: { error: `Row ${first.id} is named twice: name it once` },
    });
    done(await steward.patch(list, [{ id: first.id, revision: first.revision, data: { name: 'changed since' } }]));

    const answer = done(await steward.delete(list, { selectionId }));
    expect([answer.done, answer.refused]).toEqual([99, 1]);
    expect(answer.results.find((row: Json) => row.outcome === 'refused')).toMatchObject({
      id: first.id,
      code: 'STALE',
    });
    expect(done(await steward.get(list)).total).toBe(21);
    expect(done(await steward.post(`${list}/restore`, { rows: rowsOf(answer) })).done).toBe(99);
    expect(done(await steward.get(list)).total).toBe(120);
  });

  it('are not deleted by an unknown selection, or a selection of another user or data set', async () => {
    const id = await newDataSet(steward, typeId, collectionId, [{ code: '1' }]);
    const list = `/api/reference-data/${id}/instances`;
    const selectRows = async (person: HttpClient, parentId: number) =>
      done(await person.post('/api/selections', { kind: 'instances', parentId })).selectionId;
    await steward.get(list);
    expect((await steward.delete(list, { selectionId: await selectRows(steward, dataSetId) })).status).toBe(404);
    const admin = await signInAs('admin');
    expect((await steward.delete(list, { selectionId: await selectRows(admin, id) })).status).toBe(404);
    expect((await steward.delete(list, { selectionId: randomUUID() })).status).toBe(404);
    expect(done(await steward.get(list)).total).toBe(1);
  });
});
