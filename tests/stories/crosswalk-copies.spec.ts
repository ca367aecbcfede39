/** Copies of crosswalks: a duplicate under another name, or a reversed crosswalk. The mappings of a copy are drafts. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  done,
  newCollection,
  newCrosswalk,
  newDataSet,
  newSharedCollection,
  newType,
  rowsOf,
  userIds,
} from './fixtures.ts';
import { type HttpClient, type Json, signInAs, uniqueName } from './http-client.ts';

let steward: HttpClient;
let approver: HttpClient;
let viewer: HttpClient;
let source: number;
let target: number;
let id: number;

beforeAll(async () => {
  [steward, approver, viewer] = await Promise.all([signInAs('steward'), signInAs('approver'), signInAs('viewer')]);
  const collectionId = await newSharedCollection(steward);
  const typeId = await newType(steward);
  source = await newDataSet(steward, typeId, collectionId, [{ code: 'GB' }, { code: 'UK' }, { code: '007' }]);
  target = await newDataSet(steward, typeId, collectionId, [{ code: 'GBR' }, { code: 'IMN' }]);
  id = await newCrosswalk(steward, source, target);
  const path = `/api/crosswalks/${id}/mappings`;
  const pairs = [
    ['GB', 'GBR', 90],
    ['GB', 'IMN', 40],
    ['UK', 'GBR', 100],
    ['007', 'IMN', 10],
  ] as const;
  const rows = pairs.map(([sourceValue, targetValue, confidence]) => ({ sourceValue, targetValue, confidence }));
  const drafted = rowsOf(done(await steward.post(path, { rows })));
  const submitted = rowsOf(done(await steward.post(`${path}/submit`, { rows: drafted })));
  done(await approver.post(`${path}/approve`, { rows: submitted.slice(0, 3) }));
  done(await approver.post(`${path}/reject`, { rows: submitted.slice(3), comment: 'nobody knows' }));
});

async function mappingsOf(crosswalkId: number): Promise<[string, string, number, string][]> {
  const { items } = done(await steward.get(`/api/crosswalks/${crosswalkId}/mappings?sort=sourceValue&pageSize=1000`));
  return items.map((row: Json) => [row.sourceValue, row.targetValue, row.confidence, row.status]);
}

describe('a duplicate', () => {
  it('copies the definition, and the mappings only on request', async () => {
    const name = uniqueName('Copy');
    const created = done(await steward.post(`/api/crosswalks/${id}/duplicate`, { name }));
    expect(created).toMatchObject({ copied: 0, left: 0, revision: 1 });
    const original = done(await steward.get(`/api/crosswalks/${id}`));
    const { sourceSystemId, targetSystemId, sourceFieldId, targetFieldId, similarityThreshold } = original;
    expect(done(await steward.get(`/api/crosswalks/${created.id}`))).toMatchObject({
      ...{ name, sourceSystemId, targetSystemId, sourceFieldId, targetFieldId, similarityThreshold },
      approvalStatus: 'DRAFT',
      isServed: false,
    });
    // The attributes of the copy can be changed while it has no mappings.
    done(await steward.patch(`/api/crosswalks/${created.id}`, { sourceAttribute: 'name' }));
  });
  it('copies the mappings as drafts, and reports the mappings that it leaves out', async () => {
    const path = `/api/crosswalks/${id}/duplicate`;
    const preview = done(await steward.post(path, { name: uniqueName('Copy'), mappings: true, preview: true }));
    expect(preview).toMatchObject({
      id: null,
      copied: 3,
      ambiguous: 1,
      left: 1,
      leftBehind: [{ sourceValue: '007', targetValue: 'IMN', message: 'It was rejected' }],
    });
    const created = done(await steward.post(path, { name: uniqueName('Copy'), mappings: true }));
    expect(created).toMatchObject({ copied: 3, left: 1 });
    expect(await mappingsOf(created.id)).toEqual([
      ['GB', 'GBR', 90, 'DRAFT'],
      ['GB', 'IMN', 40, 'DRAFT'],
      ['UK', 'GBR', 100, 'DRAFT'],
    ]);
  });
  it('is created once when its request is sent several times', async () => {
    const body = { name: uniqueName('Once'), mappings: true };
    const key = randomUUID();
    const path = `/api/crosswalks/${id}/duplicate`;
    const answers = await Promise.all([1, 2, 3].map(() => steward.post(path, body, { key })));
    const later = await steward.post(path, body, { key });
    expect(new Set([...answers, later].map(({ body: created }) => created.id)).size).toBe(1);
    const { total } = done(await steward.get(`/api/crosswalks?q=${encodeURIComponent(body.name)}`));
    expect(total).toEqual(1);
    expect(await mappingsOf(later.body.id)).toHaveLength(3);
  });
  it('requires a name, and WRITE on the source', async () => {
    const path = `/api/crosswalks/${id}/duplicate`;
    expect(await steward.post(path, {})).toMatchObject({ status: 400, body: { error: 'Mapping name is required' } });
    expect((await viewer.post(path, { name: uniqueName('Copy') })).status).toBe(403);
  });
});

describe('a reversed copy', () => {
  it('maps from the former target to the former source', async () => {
    const created = done(await steward.post(`/api/crosswalks/${id}/reverse`, { name: uniqueName('Back') }));
    expect(created).toMatchObject({ copied: 3, ambiguous: 1, left: 1 });
    expect(done(await steward.get(`/api/crosswalks/${created.id}`))).toMatchObject({
      sourceSystemId: target,
      targetSystemId: source,
    });
    expect(await mappingsOf(created.id)).toEqual([
      ['GBR', 'GB', 90, 'DRAFT'],
      ['GBR', 'UK', 100, 'DRAFT'],
      ['IMN', 'GB', 40, 'DRAFT'],
    ]);
    const secondReverse = done(
      await steward.post(`/api/crosswalks/${created.id}/reverse`, { name: uniqueName('There') }),
    );
    expect((await mappingsOf(secondReverse.id)).map(([from, to]) => `${from} ${to}`)).toEqual([
      'GB GBR',
      'GB IMN',
      'UK GBR',
    ]);
  });
  it('requires WRITE on its new source, and only READ on its target', async () => {
    const ids = await userIds(steward);
    const createCollectionFor = (permissionLevel: string) =>
      newCollection(steward, [{ entityType: 'user', entityId: ids['viewer'], permissionLevel }]);
    const typeId = await newType(steward);
    const readableDataSet = await newDataSet(steward, typeId, await createCollectionFor('READ'), [{ code: 'a' }]);
    const writableDataSet = await newDataSet(steward, typeId, await createCollectionFor('WRITE'), [{ code: 'b' }]);
    const path = (crosswalkId: number) => `/api/crosswalks/${crosswalkId}/reverse`;
    const fromReadable = await newCrosswalk(steward, readableDataSet, writableDataSet);
    expect((await viewer.post(path(fromReadable), { name: uniqueName('Back') })).status).toBe(201);
    const fromWritable = await newCrosswalk(steward, writableDataSet, readableDataSet);
    expect((await viewer.post(path(fromWritable), { name: uniqueName('Back') })).status).toBe(403);
  });
});
