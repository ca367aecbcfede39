/** Deleted items: readers list them, and writers restore them. */
import { beforeAll, describe, expect, it } from 'vitest';
import {
  done,
  draft,
  newCollection,
  newCrosswalk,
  newDataSet,
  newSharedCollection,
  newType,
  rowsOf,
  userIds,
} from './fixtures.ts';
import { type HttpClient, type Json, signInAs, uniqueName } from './http-client.ts';
import { createSignedInUser } from './signed-in-user.ts';

let admin: HttpClient;
let steward: HttpClient;
let viewer: HttpClient;
let approver: HttpClient;
let collection: number;
let type: number;
let stewardId: number;

beforeAll(async () => {
  [admin, steward, viewer, approver] = await Promise.all([
    signInAs('admin'),
    signInAs('steward'),
    signInAs('viewer'),
    signInAs('approver'),
  ]);
  stewardId = done(await steward.get('/api/user')).id;
  collection = await newSharedCollection(steward);
  type = await newType(steward);
}, 60_000);

const CODES = ['a', 'b', 'c', 'd'];
const createDataSet = (collectionId = collection) =>
  newDataSet(
    steward,
    type,
    collectionId,
    CODES.map((code) => ({ code, name: `Name of ${code}` })),
  );
const LAST_DELETED_FIRST = 'tab=deleted&sort=updatedAt&order=DESC';

describe('deleted mappings', () => {
  it('have a list of their own and can be restored', async () => {
    const crosswalk = await newCrosswalk(steward, await createDataSet(), await createDataSet());
    const path = `/api/crosswalks/${crosswalk}/mappings`;
    const rows = await draft(
      steward,
      crosswalk,
      CODES.map((code) => [code, code]),
    );
    for (const row of rows.slice(0, 3)) done(await steward.delete(path, { rows: [row] }));
    const listDeleted = async (person: HttpClient, query = '') =>
      done(await person.get(`${path}?${LAST_DELETED_FIRST}${query}`));

    const { items, total } = await listDeleted(steward);
    expect(total).toBe(3);
    expect(items.map(({ sourceValue }: Json) => sourceValue)).toEqual(['c', 'b', 'a']);
    expect(items[0]).toMatchObject({ deleted: true, updatedBy: stewardId, sourceLabel: 'Name of c' });
    expect((await listDeleted(steward, '&pageSize=1&page=2')).items).toMatchObject([{ sourceValue: 'b' }]);
    expect(await listDeleted(steward, '&q=c')).toMatchObject({ total: 1, items: [{ sourceValue: 'c' }] });
    expect(done(await steward.get(`${path}/counts`))).toMatchObject({ draft: 1, deleted: 3 });
    expect(done(await steward.get(path))).toMatchObject({ total: 1, items: [{ sourceValue: 'd', deleted: false }] });
    expect((await steward.get(`/api/crosswalks/${crosswalk}/export?tab=deleted`)).status).toBe(400);

    await viewer.eventually(`${path}?${LAST_DELETED_FIRST}`, ({ body }) => body.total === 3);
    const firstRow = { rows: items.slice(0, 1).map(({ id, revision }: Json) => ({ id, revision })) };
    expect((await viewer.post(`${path}/restore`, firstRow)).status).toBe(403);
    expect(rowsOf(done(await steward.post(`${path}/restore`, firstRow)))).toHaveLength(1);
    expect(await listDeleted(steward)).toMatchObject({ total: 2 });

    const { selectionId, count } = done(
      await steward.post('/api/selections', { kind: 'mappings', parentId: crosswalk, tab: 'deleted' }),
    );
    expect(count).toBe(2);
    expect(done(await steward.post(`${path}/restore`, { selectionId }))).toMatchObject({ done: 2, refused: 0 });
    expect(done(await steward.get(`${path}/counts`))).toMatchObject({ draft: 4, deleted: 0 });
  });

  it('are restored as drafts even if they were approved', async () => {
    const crosswalk = await newCrosswalk(steward, await createDataSet(), await createDataSet());
    const path = `/api/crosswalks/${crosswalk}/mappings`;
    const drafts = await draft(steward, crosswalk, [['a', 'a']]);
    const submitted = rowsOf(done(await steward.post(`${path}/submit`, { rows: drafts })));
    const approved = rowsOf(done(await approver.post(`${path}/approve`, { rows: submitted })));
    const requested = rowsOf(done(await steward.delete(path, { rows: approved })));
    expect(done(await steward.get(`${path}?${LAST_DELETED_FIRST}`)).total).toBe(0);
    done(await approver.post(`${path}/approve`, { rows: requested }));
    const { body } = await steward.eventually(`${path}?${LAST_DELETED_FIRST}`, ({ body }) => body.total === 1);
    expect(body.items[0]).toMatchObject({ status: 'APPROVED', served: null, deletionRequested: false });
    const rows = body.items.map(({ id, revision }: Json) => ({ id, revision }));
    // A mapping is not restored while another one has the same pair.
    const [samePair] = await draft(steward, crosswalk, [['a', 'a']]);
    expect(done(await steward.post(`${path}/restore`, { rows })).results).toMatchObject([{ outcome: 'refused' }]);
    done(await steward.delete(path, { rows: [samePair] }));
    done(await steward.post(`${path}/restore`, { rows }));
    expect(done(await steward.get(path)).items).toMatchObject([{ id: rows[0].id, status: 'DRAFT', deleted: false }]);
  });

  it('are listed only for readers of both data sets', async () => {
    const ownCollection = await newCollection(steward);
    const crosswalk = await newCrosswalk(steward, await createDataSet(ownCollection), await createDataSet());
    const path = `/api/crosswalks/${crosswalk}/mappings`;
    done(await steward.delete(path, { rows: await draft(steward, crosswalk, [['a', 'a']]) }));
    expect(done(await steward.get(`${path}?${LAST_DELETED_FIRST}`)).total).toBe(1);
    expect((await viewer.get(`${path}?${LAST_DELETED_FIRST}`)).status).toBe(404);
    const selection = { kind: 'mappings', parentId: crosswalk, tab: 'deleted' };
    expect((await viewer.post('/api/selections', selection)).status).toBe(404);
  });
});

describe('deleted relationship values', () => {
  it('have a list of their own and can be restored', async () => {
    // The counts cover all relationships that the user can read: `reader` can read only this one.
    const { id: readerId, person: reader } = await createSignedInUser(admin, 2);
    const { viewer: viewerId } = await userIds(steward);
    const readGrant = (entityId: number | undefined) => ({ entityType: 'user', entityId, permissionLevel: 'READ' });
    const [sourceDataSetId, targetDataSetId] = [
      await createDataSet(await newCollection(steward, [readGrant(readerId), readGrant(viewerId)])),
      await createDataSet(await newCollection(steward, [readGrant(readerId)])),
    ];
    const { id } = done(
      await steward.post('/api/relationships', {
        name: uniqueName('leads to'),
        sourceDataSetId,
        targetDataSetId,
        sourceField: 'code',
        targetField: 'code',
        cardinality: 'MANY_TO_MANY',
      }),
    );
    const path = `/api/relationships/${id}/values`;
    const pairs = CODES.map((code) => ({ sourceKey: code, targetKey: 'a' }));
    const rows = rowsOf(done(await steward.post(path, { rows: pairs })));
    for (const row of rows.slice(0, 3)) done(await steward.delete(path, { rows: [row] }));

    const { items } = done(await steward.get(`${path}?${LAST_DELETED_FIRST}`));
    expect(items.map(({ sourceKey }: Json) => sourceKey)).toEqual(['c', 'b', 'a']);
    expect(items[0]).toMatchObject({ deleted: true, updatedBy: stewardId, sourceLabel: 'Name of c' });
    expect(done(await steward.get(`${path}?${LAST_DELETED_FIRST}&pageSize=1&page=3`)).items).toMatchObject([
      { sourceKey: 'a' },
    ]);
    expect(done(await steward.get(`${path}/counts`))).toMatchObject({ draft: 1, deleted: 3 });
    expect(done(await steward.get(path)).total).toBe(1);
    expect((await steward.get(`/api/relationships/${id}/export?tab=deleted`)).status).toBe(400);
    const allPath = '/api/relationships/values';
    expect(done(await reader.get(`${allPath}/counts`))).toMatchObject({ draft: 1, deleted: 3 });
    const filter = JSON.stringify({ conditions: [{ field: 'relationshipId', operator: 'equals', value: id }] });
    const ownFilter = `filter=${encodeURIComponent(filter)}`;
    expect(done(await steward.get(`${allPath}?${LAST_DELETED_FIRST}&${ownFilter}`)).total).toBe(3);
    expect((await viewer.get(`${path}?${LAST_DELETED_FIRST}`)).status).toBe(404);

    const { selectionId, count, parents } = done(
      await steward.post('/api/selections', { kind: 'relationship-values', tab: 'deleted', filter }),
    );
    expect({ count, parents }).toEqual({ count: 3, parents: [id] });
    expect(done(await steward.post(`${path}/restore`, { selectionId }))).toMatchObject({ done: 3, refused: 0 });
    expect(done(await steward.get(`${path}/counts`))).toMatchObject({ draft: 4, deleted: 0 });
  });
});

describe('deleted rows', () => {
  it('are listed with their last values and can be restored', async () => {
    const id = await createDataSet();
    const path = `/api/reference-data/${id}/instances`;
    const rows = done(await steward.get(`${path}?sort=code`)).items as Json[];
    for (const { id, revision } of rows.slice(0, 3)) done(await steward.delete(path, { rows: [{ id, revision }] }));
    const listPath = `${path}?deleted=true&sort=updatedAt&order=DESC`;
    const { items, total } = done(await steward.get(listPath));
    expect(total).toBe(3);
    expect(items.map(({ key }: Json) => key)).toEqual(['c', 'b', 'a']);
    expect(items[0]).toMatchObject({ data: { code: 'c', name: 'Name of c' }, updatedBy: stewardId, revision: 2 });
    for (const [page, key] of [
      [1, 'c'],
      [2, 'b'],
      [3, 'a'],
      [2, 'b'],
    ]) {
      expect(done(await steward.get(`${listPath}&pageSize=1&page=${page}`))).toMatchObject({
        total: 3,
        items: [{ key }],
      });
    }
    expect(done(await steward.get(`${listPath}&q=name of b`))).toMatchObject({ total: 1, items: [{ key: 'b' }] });
    expect(done(await steward.get(`${listPath}&key=b`))).toMatchObject({ total: 1, items: [{ key: 'b' }] });
    expect(done(await steward.get(path))).toMatchObject({ total: 1, items: [{ key: 'd' }] });
    expect((await steward.get(`${path}?deleted=perhaps`)).status).toBe(400);

    await viewer.eventually(listPath, ({ body }) => body.total === 3);
    const firstRow = { rows: items.slice(0, 1).map(({ id, revision }: Json) => ({ id, revision })) };
    expect((await viewer.post(`${path}/restore`, firstRow)).status).toBe(403);
    expect(rowsOf(done(await steward.post(`${path}/restore`, firstRow)))).toHaveLength(1);

    // A new row takes the key of one deleted row, so this deleted row cannot be restored.
    done(await steward.post(path, { data: { code: 'a' } }));
    const selection = { kind: 'instances', parentId: id, tab: 'deleted' };
    const { selectionId, count } = done(await steward.post('/api/selections', selection));
    expect(count).toBe(2);
    expect(done(await steward.post(`${path}/restore`, { selectionId })).results).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({ outcome: 'done' }),
        expect.objectContaining({
          outcome: 'refused',
          code: 'DUPLICATE_KEY',
          message: 'The key a was taken by another row meanwhile',
        }),
      ]),
    );
    expect(done(await steward.get(listPath))).toMatchObject({ total: 1, items: [{ key: 'a' }] });
    expect((await steward.post('/api/selections', { ...selection, tab: 'draft' })).status).toBe(400);
  });

  it('are listed only for readers of the data set', async () => {
    const id = await createDataSet(await newCollection(steward));
    const path = `/api/reference-data/${id}/instances`;
    const [row] = done(await steward.get(`${path}?key=a`)).items;
    done(await steward.delete(path, { rows: [{ id: row.id, revision: row.revision }] }));
    expect(done(await steward.get(`${path}?deleted=true`)).total).toBe(1);
    expect((await viewer.get(`${path}?deleted=true`)).status).toBe(404);
    const selection = { kind: 'instances', parentId: id, tab: 'deleted' };
    expect((await viewer.post('/api/selections', selection)).status).toBe(404);
    const { selectionId } = done(await steward.post('/api/selections', selection));
    // A selection is valid for its own data set only.
    const other = await createDataSet();
    const foreign = await steward.post(`/api/reference-data/${other}/instances/restore`, { selectionId });
    expect(foreign.status).toBe(404);
  });
});
