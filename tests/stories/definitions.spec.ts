/**
 * Bulk actions on crosswalks and relationships: users select, submit, decide, delete and restore them, with a result
 * for each item.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { fieldsOf, withFieldChange } from './field-rename.ts';
import {
  done,
  draft,
  newCollection,
  newCrosswalk,
  newDataSet,
  newSharedCollection,
  newType,
  rowsOf,
} from './fixtures.ts';
import { type HttpClient, type Json, signInAs, uniqueName } from './http-client.ts';

let steward: HttpClient;
let approver: HttpClient;
let viewer: HttpClient;
let collection: number;
let type: number;
let source: number;
let target: number;
let stewardId: number;

beforeAll(async () => {
  [steward, approver, viewer] = await Promise.all([signInAs('steward'), signInAs('approver'), signInAs('viewer')]);
  stewardId = done(await steward.get('/api/user')).id;
  collection = await newSharedCollection(steward);
  type = await newType(steward);
  source = await newDataSet(steward, type, collection, [{ code: 'a' }, { code: 'b' }]);
  target = await newDataSet(steward, type, collection, [{ code: 'a' }, { code: 'b' }]);
}, 60_000);

const crosswalksPath = '/api/crosswalks';
const relationshipsPath = '/api/relationships';

interface RowRevision {
  id: number;
  revision: number;
}

/** Creates `count` crosswalks or relationships with a common name prefix. */
async function createSeveral(path: string, count: number, targetId = target): Promise<{ name: string; ids: number[] }> {
  const name = uniqueName('Several');
  const ends =
    path === crosswalksPath
      ? { sourceSystemId: source, targetSystemId: targetId, sourceAttribute: 'code', targetAttribute: 'code' }
      : { sourceDataSetId: source, targetDataSetId: targetId, sourceField: 'code', targetField: 'code' };
  const ids: number[] = [];
  for (let place = 1; place <= count; place++) {
    ids.push(done(await steward.post(path, { name: `${name} ${place}`, ...ends })).id);
  }
  return { name, ids };
}

const readRevisions = async (path: string, ids: readonly number[]): Promise<RowRevision[]> =>
  Promise.all(ids.map(async (id) => ({ id, revision: done(await steward.get(`${path}/${id}`)).revision })));

const list = async (person: HttpClient, path: string, name: string, more = ''): Promise<Json[]> =>
  done(await person.get(`${path}?sort=id&q=${encodeURIComponent(name)}${more}`)).items;

const freeze = async (person: HttpClient, kind: string, q: string, tab?: string): Promise<Json> =>
  done(await person.post('/api/selections', { kind, q, tab }));

const outcomes = ({ results }: Json) => results.map(({ outcome, code }: Json) => code ?? outcome);

describe('crosswalks', () => {
  it('are submitted and approved in bulk, and the approval is undone as a batch', async () => {
    const { name, ids } = await createSeveral(crosswalksPath, 3);
    const [first, second, third] = (await readRevisions(crosswalksPath, ids)) as [
      RowRevision,
      RowRevision,
      RowRevision,
    ];
    done(await steward.patch(`${crosswalksPath}/${third.id}`, { name: `${name} 3 renamed` }));
    const rows = [first, second, third, { id: 999_999, revision: 1 }, first];
    const answer = done(await steward.post(`${crosswalksPath}/submit`, { rows, comment: 'please' }));
    expect(answer).toMatchObject({ done: 2, refused: 2 });
    expect(outcomes(answer)).toEqual(['done', 'done', 'STALE', 'NOT_FOUND']);
    expect(answer.results[2]).toMatchObject({ id: third.id, key: `${name} 3 renamed`, changedBy: stewardId });
    // A second submission changes nothing.
    expect(outcomes(done(await steward.post(`${crosswalksPath}/submit`, { rows: rowsOf(answer) })))).toEqual([
      'NOT_DRAFT',
      'NOT_DRAFT',
    ]);

    const ownSelection = await freeze(steward, 'crosswalks', name);
    expect(ownSelection.count).toBe(3);
    const ownDecision = done(
      await steward.post(`${crosswalksPath}/approve`, { selectionId: ownSelection.selectionId }),
    );
    expect(outcomes(ownDecision).toSorted()).toEqual(['FOUR_EYES', 'FOUR_EYES', 'NOT_PENDING']);
    // A selection can be used only by its owner.
    expect((await approver.post(`${crosswalksPath}/approve`, { selectionId: ownSelection.selectionId })).status).toBe(
      404,
    );
    await approver.eventually(
      `${crosswalksPath}?q=${encodeURIComponent(name)}`,
      ({ body }) => body.items.filter(({ approvalStatus }: Json) => approvalStatus === 'PENDING').length === 2,
    );
    const approverSelection = await freeze(approver, 'crosswalks', name);
    const approved = done(
      await approver.post(`${crosswalksPath}/approve`, { selectionId: approverSelection.selectionId }),
    );
    expect(approved).toMatchObject({ done: 2, refused: 1 });
    expect((await list(approver, crosswalksPath, name)).map(({ isServed }) => isServed)).toEqual([true, true, false]);

    const undone = done(await approver.post(`/api/batches/${approved.commandId}/undo`, {}));
    expect(undone).toMatchObject({ done: 2, refused: 0 });
    expect((await list(approver, crosswalksPath, name)).map(({ approvalStatus }) => approvalStatus)).toEqual([
      'PENDING',
      'PENDING',
      'DRAFT',
    ]);
    const revisionsAfterUndo = await readRevisions(crosswalksPath, [first.id, second.id]);
    expect((await approver.post(`${crosswalksPath}/reject`, { rows: revisionsAfterUndo })).status).toBe(400);
    expect(
      done(await approver.post(`${crosswalksPath}/reject`, { rows: revisionsAfterUndo, comment: 'no' })).done,
    ).toBe(2);
  });

  it('are not deleted, submitted or restored by users with too low a level', async () => {
    const { ids } = await createSeveral(crosswalksPath, 1);
    const hidden = await newCrosswalk(steward, await newDataSet(steward, type, await newCollection(steward)), target);
    const rows = await readRevisions(crosswalksPath, [...ids, hidden]);
    expect(outcomes(done(await approver.delete(crosswalksPath, { rows })))).toEqual(['LEVEL', 'NOT_FOUND']);
    expect(outcomes(done(await viewer.post(`${crosswalksPath}/submit`, { rows })))).toEqual(['LEVEL', 'NOT_FOUND']);
    expect(outcomes(done(await viewer.post(`${crosswalksPath}/restore`, { rows })))).toEqual(['LEVEL', 'NOT_FOUND']);
  });

  it('are deleted in bulk, and restored with their mappings by an undo', async () => {
    const { name, ids } = await createSeveral(crosswalksPath, 2);
    const [draftId, servedId] = ids as [number, number];
    const mappings = await draft(steward, draftId, [['a', 'a']]);
    await draft(steward, draftId, [['b', 'b']]);
    done(await steward.post(`${crosswalksPath}/${draftId}/mappings/submit`, { rows: mappings }));
    // The submission of the first mappings submitted the crosswalk too.
    done(await steward.post(`${crosswalksPath}/${draftId}/recall`));
    done(await steward.post(`${crosswalksPath}/${servedId}/submit`));
    done(await approver.post(`${crosswalksPath}/${servedId}/approve`));
    const before = done(await steward.get(`${crosswalksPath}/${draftId}`));

    const deleted = done(await steward.delete(crosswalksPath, { rows: await readRevisions(crosswalksPath, ids) }));
    expect(deleted).toMatchObject({ done: 2, refused: 0 });
    expect((await steward.get(`${crosswalksPath}/${draftId}`)).status).toBe(404);
    expect((await steward.get(`${crosswalksPath}/${draftId}/mappings`)).status).toBe(404);
    expect(await list(steward, crosswalksPath, name)).toMatchObject([
      { id: servedId, deletionRequested: true, deleted: false },
    ]);
    expect(await list(steward, crosswalksPath, name, '&deleted=true')).toMatchObject([
      { id: draftId, deleted: true, updatedBy: stewardId, counts: { draft: 1, pending: 1 } },
    ]);
    // While the crosswalk is deleted, the approvals do not list its mappings under review.
    const countPendingMappings = async () => {
      const conditions = [{ field: 'parentId', operator: 'equals', value: draftId }];
      const filter = encodeURIComponent(JSON.stringify({ logic: 'AND', conditions }));
      const { items } = done(await approver.get(`/api/approvals?tab=review&filter=${filter}`));
      return items.filter(({ parentId, kind }: Json) => kind === 'mapping' && parentId === draftId).length;
    };
    expect(await countPendingMappings()).toBe(0);

    const batch = done(await steward.get(`/api/batches/${deleted.commandId}`));
    expect(batch.undo).toMatchObject({ possible: true, count: 2, laterCount: 0 });
    expect((await approver.post(`/api/batches/${deleted.commandId}/undo`, {})).body.results).toMatchObject([
      { outcome: 'refused', code: 'LEVEL' },
      { outcome: 'refused', code: 'LEVEL' },
    ]);
    expect(done(await steward.post(`/api/batches/${deleted.commandId}/undo`, {}))).toMatchObject({ done: 2 });
    const after = done(await steward.get(`${crosswalksPath}/${draftId}`));
    expect(after).toMatchObject({ approvalStatus: 'DRAFT', deleted: false, counts: before.counts });
    expect(done(await steward.get(`${crosswalksPath}/${draftId}/mappings?sort=sourceValue`)).items).toMatchObject([
      { sourceValue: 'a', status: 'PENDING' },
      { sourceValue: 'b', status: 'DRAFT' },
    ]);
    expect(done(await steward.get(`${crosswalksPath}/${servedId}`))).toMatchObject({ approvalStatus: 'APPROVED' });
    await approver.get(`${crosswalksPath}/${draftId}`);
    await expect.poll(countPendingMappings).toBe(1);
    const history = done(await steward.get(`${crosswalksPath}/${draftId}/history`)).items.toReversed();
    expect(history.map(({ newStatus }: Json) => newStatus).slice(-3)).toEqual(['DRAFT', 'DELETED', 'DRAFT']);
    // Before the event of its deletion, the crosswalk is not listed as deleted.
    const deletedAt = history.at(-2).seq;
    expect(await list(steward, crosswalksPath, name, `&deleted=true&asOf=seq:${deletedAt}`)).toMatchObject([
      { id: draftId },
    ]);
    expect(await list(steward, crosswalksPath, name, `&deleted=true&asOf=seq:${deletedAt - 1}`)).toEqual([]);
  });

  it('are restored by selection, and then protect their data sets from deletion', async () => {
    const ownTarget = await newDataSet(steward, type, collection);
    const { name, ids } = await createSeveral(crosswalksPath, 2, ownTarget);
    done(await steward.delete(crosswalksPath, { rows: await readRevisions(crosswalksPath, ids) }));
    const { selectionId, count } = await freeze(steward, 'crosswalks', name, 'deleted');
    expect(count).toBe(2);
    expect(done(await steward.post(`${crosswalksPath}/restore`, { selectionId }))).toMatchObject({ done: 2 });
    expect((await list(steward, crosswalksPath, name)).map(({ id }) => id)).toEqual(ids);
    expect((await steward.delete(`/api/reference-data/${ownTarget}`)).status).toBe(409);
    expect((await steward.post('/api/selections', { kind: 'crosswalks', tab: 'draft' })).status).toBe(400);
    expect((await steward.post('/api/selections', { kind: 'crosswalks', parentId: 1 })).status).toBe(400);
  });

  it('are not restored after their mapped field was removed', async () => {
    const ownType = await newType(steward, [{ name: 'other', dataType: 'string' }]);
    const dataSet = await newDataSet(steward, ownType, collection);
    const body = { sourceSystemId: dataSet, targetSystemId: target, targetAttribute: 'code' };
    const createFrom = async (sourceAttribute: string) =>
      done(await steward.post(crosswalksPath, { ...body, name: uniqueName('Crosswalk'), sourceAttribute }))
        .id as number;
    const ids = [await createFrom('other'), await createFrom('name')];
    const { results } = done(await steward.delete(crosswalksPath, { rows: await readRevisions(crosswalksPath, ids) }));
    const removeField = async (name: string) => {
      const schemas = withFieldChange(await fieldsOf(steward, ownType), name, undefined);
      return steward.put(`/api/reference-types/${ownType}/schemas`, { schemas });
    };
    done(await removeField('other'));
    const rows = rowsOf({ results });
    const answer = done(await steward.post(`${crosswalksPath}/restore`, { rows }));
    expect(outcomes(answer)).toEqual(['CONFLICT', 'done']);
    expect(answer.results[0].message).toContain('retired');
    expect((await removeField('name')).body.error).toContain('crosswalk');
    // The refused crosswalk has no locks. Only the restored crosswalk protects the data set.
    done(await steward.delete(`${crosswalksPath}/${ids[1]}`));
    done(await steward.delete(`/api/reference-data/${dataSet}`));
    expect((await steward.post(`${crosswalksPath}/${ids[1]}/restore`)).status).toBe(404);
  });

  it('are served again after a reviewed deletion only when their restoration is approved', async () => {
    const { ids } = await createSeveral(crosswalksPath, 1);
    const path = `${crosswalksPath}/${ids[0]}`;
    const drafts = await draft(steward, ids[0] as number, [['a', 'b']]);
    const submitted = rowsOf(done(await steward.post(`${path}/mappings/submit`, { rows: drafts })));
    done(await approver.post(`${path}/approve`));
    done(await approver.post(`${path}/mappings/approve`, { rows: submitted }));
    done(await steward.delete(path));
    const { commandId } = done(await approver.post(`${path}/approve`));
    expect((await approver.get(path)).status).toBe(404);

    // An undo returns the deletion to review. The crosswalk is served until the deletion is decided.
    done(await approver.post(`/api/batches/${commandId}/undo`, {}));
    expect(done(await approver.get(path))).toMatchObject({ approvalStatus: 'PENDING', deletionRequested: true });
    const targetOf = ({ body }: { body: Json }) => body.results?.[0]?.targetValue;
    await approver.eventually(`${path}/translate?value=a`, (answer) => targetOf(answer) === 'b');
    done(await approver.post(`${path}/approve`));

    expect((await approver.post(`${path}/restore`)).status).toBe(403);
    done(await steward.post(`${path}/restore`, { comment: 'needed after all' }));
    expect(done(await steward.get(path))).toMatchObject({
      approvalStatus: 'DRAFT',
      isServed: false,
      counts: { served: 1 },
    });
    expect(done(await steward.get(`${path}/translate?value=a`)).results).toEqual([]);
    done(await steward.post(`${path}/submit`));
    expect((await steward.post(`${path}/approve`)).status).toBe(409);
    done(await approver.post(`${path}/approve`));
    await approver.eventually(`${path}/translate?value=a`, (answer) => targetOf(answer) === 'b');
  });
});

describe('relationships', () => {
  it('are deleted in bulk, and restored with their values by an undo or by selection', async () => {
    const { name, ids } = await createSeveral(relationshipsPath, 2);
    const valuesPath = `${relationshipsPath}/${ids[0]}/values`;
    done(await steward.post(valuesPath, { rows: [{ sourceKey: 'a', targetKey: 'b' }] }));
    const deleted = done(
      await steward.delete(relationshipsPath, { rows: await readRevisions(relationshipsPath, ids) }),
    );
    expect(deleted).toMatchObject({ done: 2, refused: 0 });
    expect(await list(steward, relationshipsPath, name)).toEqual([]);
    expect((await steward.get(valuesPath)).status).toBe(404);
    expect(await list(steward, relationshipsPath, name, '&deleted=true')).toMatchObject([
      { id: ids[0], deleted: true, deletionDecided: false, updatedBy: stewardId, counts: { draft: 1 } },
      { id: ids[1] },
    ]);
    expect(done(await steward.post(`/api/batches/${deleted.commandId}/undo`, {}))).toMatchObject({ done: 2 });
    expect(done(await steward.get(valuesPath)).items).toMatchObject([{ approvalStatus: 'DRAFT' }]);

    done(await steward.delete(relationshipsPath, { rows: await readRevisions(relationshipsPath, ids) }));
    const { selectionId, count } = await freeze(steward, 'relationships', name, 'deleted');
    expect(count).toBe(2);
    expect(done(await steward.post(`${relationshipsPath}/restore`, { selectionId }))).toMatchObject({ done: 2 });
    expect((await list(steward, relationshipsPath, name)).map(({ id }) => id)).toEqual(ids);
    const history = done(await steward.get(`${relationshipsPath}/${ids[0]}/history`)).items.toReversed();
    expect(history.map(({ newStatus }: Json) => newStatus).slice(-2)).toEqual(['DELETED', 'APPROVED']);
  });

  it('with approved values are deleted after a review, and restored only by an undo', async () => {
    const { name, ids } = await createSeveral(relationshipsPath, 2);
    for (const id of ids) {
      const path = `${relationshipsPath}/${id}/values`;
      const drafts = rowsOf(done(await steward.post(path, { rows: [{ sourceKey: 'a', targetKey: 'b' }] })));
      const submitted = rowsOf(done(await steward.post(`${path}/submit`, { rows: drafts })));
      done(await approver.post(`${path}/approve`, { rows: submitted }));
    }
    const requested = done(
      await steward.delete(relationshipsPath, { rows: await readRevisions(relationshipsPath, ids) }),
    );
    expect((await list(steward, relationshipsPath, name)).map(({ deletionRequested }) => deletionRequested)).toEqual([
      true,
      true,
    ]);
    expect(outcomes(done(await steward.post(`${relationshipsPath}/approve`, { rows: rowsOf(requested) })))).toEqual([
      'FOUR_EYES',
      'FOUR_EYES',
    ]);
    const decided = done(await approver.post(`${relationshipsPath}/approve`, { rows: rowsOf(requested) }));
    expect(decided).toMatchObject({ done: 2 });
    await steward.eventually(
      `${relationshipsPath}?deleted=true&q=${encodeURIComponent(name)}`,
      ({ body }) => body.total === 2 && body.items[0].deletionDecided === true,
    );
    const restored = done(await steward.post(`${relationshipsPath}/restore`, { rows: rowsOf(decided) }));
    expect(outcomes(restored)).toEqual(['FINAL', 'FINAL']);
    expect((await steward.post(`${relationshipsPath}/${ids[0]}/restore`)).status).toBe(409);
    expect(done(await approver.post(`/api/batches/${decided.commandId}/undo`, {}))).toMatchObject({ done: 2 });
    expect(await list(approver, relationshipsPath, name)).toMatchObject([
      { deletionRequested: true, counts: { served: 1 } },
      { deletionRequested: true, counts: { served: 1 } },
    ]);
    const restoredItems = await list(approver, relationshipsPath, name);
    const rows = restoredItems.map(({ id, revision }) => ({ id, revision }));
    expect(done(await steward.post(`${relationshipsPath}/recall`, { rows }))).toMatchObject({ done: 2, refused: 0 });
  });
});
