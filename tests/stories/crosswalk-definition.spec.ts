/** The definition of a crosswalk: its cardinality, the result for unmapped values, its attributes and its history. */
import { beforeAll, describe, expect, it } from 'vitest';
import { fieldsOf, withFieldChange } from './field-rename.ts';
import { done, draft, newDataSet, newSharedCollection, newType, rowsOf, userIds } from './fixtures.ts';
import { type HttpClient, type Json, signInAs, uniqueName } from './http-client.ts';

let steward: HttpClient;
let approver: HttpClient;
let viewer: HttpClient;
let source: number;
let target: number;

beforeAll(async () => {
  [steward, approver, viewer] = await Promise.all([signInAs('steward'), signInAs('approver'), signInAs('viewer')]);
  const collectionId = await newSharedCollection(steward);
  const typeId = await newType(steward);
  source = await newDataSet(steward, typeId, collectionId, [{ code: 'GB' }, { code: 'UK' }]);
  target = await newDataSet(steward, typeId, collectionId, [{ code: 'GBR' }, { code: 'IMN' }]);
});

const definitionOf = (overrides: Json = {}) => ({
  name: uniqueName('Crosswalk'),
  sourceSystemId: source,
  targetSystemId: target,
  sourceAttribute: 'code',
  targetAttribute: 'code',
  ...overrides,
});

/** Creates a crosswalk with these mappings, and approves its definition and the mappings. */
async function createApproved(overrides: Json, pairs: [string, string][]): Promise<number> {
  const { id } = done(await steward.post('/api/crosswalks', definitionOf(overrides)));
  const path = `/api/crosswalks/${id}`;
  const submitted = rowsOf(
    done(await steward.post(`${path}/mappings/submit`, { rows: await draft(steward, id, pairs) })),
  );
  done(await approver.post(`${path}/approve`));
  done(await approver.post(`${path}/mappings/approve`, { rows: submitted }));
  await steward.eventually(`${path}/mappings/counts`, ({ body }) => body.approved === pairs.length);
  return id;
}

const translate = async (id: number, value: string, parameters = ''): Promise<Json> =>
  done(await steward.get(`/api/crosswalks/${id}/translate?value=${encodeURIComponent(value)}${parameters}`));

describe('an unmapped value', () => {
  it('has no result and no fallback by default', async () => {
    const id = await createApproved({}, [['GB', 'GBR']]);
    const answer = await translate(id, 'FR');
    expect(answer).toMatchObject({ value: 'FR', results: [] });
    expect(answer).not.toHaveProperty('fallback');
  });
  it.each([
    [{ yields: 'SOURCE_VALUE' }, { targetValue: 'F"R', yields: 'SOURCE_VALUE' }],
    [
      { yields: 'FIXED', value: 'ZZZ' },
      { targetValue: 'ZZZ', yields: 'FIXED' },
    ],
  ])('has the fallback %o, and is recorded as missing', async (unmapped, fallback) => {
    const id = await createApproved({ unmapped }, [['GB', 'GBR']]);
    // The second translation finds the crosswalk in the cache.
    for (const _ of [1, 2]) {
      expect(await translate(id, 'F"R')).toMatchObject({ value: 'F"R', results: [], fallback });
      const mapped = await translate(id, 'GB');
      expect(mapped.results).toMatchObject([{ targetValue: 'GBR' }]);
      expect(mapped).not.toHaveProperty('fallback');
    }
    const bulkAnswer = await steward.post(`/api/crosswalks/${id}/translate`, { values: ['F"R', 'GB', ''] });
    expect(done(bulkAnswer).map((each: Json) => [each.value, each.results.length, each.fallback?.targetValue])).toEqual(
      [
        ['F"R', 0, fallback.targetValue],
        ['GB', 1, undefined],
        ['', 0, undefined],
      ],
    );
    expect(await translate(id, 'F"R', `&asOf=${new Date().toISOString()}`)).toMatchObject({ fallback });
    // A reverse translation uses no fallback.
    expect(await translate(id, 'XXX', '&reverse=true')).not.toHaveProperty('fallback');
    await steward.eventually(`/api/missing-mappings?crosswalkId=${id}`, ({ body }) => body.total === 1);
  });
  it('has a changed fallback only after the change is approved', async () => {
    const id = await createApproved({}, [['GB', 'GBR']]);
    const path = `/api/crosswalks/${id}`;
    done(await steward.patch(path, { unmapped: { yields: 'SOURCE_VALUE' } }));
    expect(done(await steward.get(path))).toMatchObject({ approvalStatus: 'DRAFT', isServed: true });
    expect(await translate(id, 'FR')).not.toHaveProperty('fallback');
    done(await steward.post(`${path}/submit`));
    expect((await steward.patch(path, { unmapped: { yields: 'NOTHING' } })).status).toBe(409);
    done(await approver.post(`${path}/approve`));
    await approver.get(path);
    await steward.eventually(`${path}/translate?value=FR`, ({ body }) => body.fallback?.targetValue === 'FR');
  });
  it('has no changed fallback after the change is discarded', async () => {
    const id = await createApproved({}, [['GB', 'GBR']]);
    const path = `/api/crosswalks/${id}`;
    done(await steward.patch(path, { unmapped: { yields: 'SOURCE_VALUE' } }));
    expect((await steward.delete(path)).body).toMatchObject({ code: 'CONFLICT', details: { code: 'CANDIDATE' } });
    const refusal = await approver.post(`${path}/discard`);
    expect([refusal.status, refusal.body.details?.code]).toEqual([409, 'NOT_EDITOR']);
    const { commandId } = done(await steward.post(`${path}/discard`, { comment: 'Not needed' }));
    const approvedState = { approvalStatus: 'APPROVED', isServed: true, unmapped: { yields: 'NOTHING' } };
    expect(done(await steward.get(path))).toMatchObject(approvedState);
    expect(await translate(id, 'FR')).not.toHaveProperty('fallback');
    // Undoing the discard restores the changed fallback as a draft.
    done(await steward.post(`/api/batches/${commandId}/undo`, {}));
    expect(done(await steward.get(path))).toMatchObject({
      approvalStatus: 'DRAFT',
      isServed: true,
      unmapped: { yields: 'SOURCE_VALUE' },
    });
    done(await steward.post(`${path}/discard`));
    expect((await steward.post(`${path}/discard`)).body).toMatchObject({ details: { code: 'NO_CANDIDATE' } });
    expect(done(await steward.delete(path))).toMatchObject({ approvalStatus: 'PENDING' });
  });
  it('cannot have an invalid fallback', async () => {
    for (const unmapped of [{ yields: 'FIXED' }, { yields: 'FIXED', value: '' }, { yields: 'GUESS' }, 'NOTHING']) {
      expect((await steward.post('/api/crosswalks', definitionOf({ unmapped }))).status).toBe(400);
    }
  });
});

describe('the history of a crosswalk', () => {
  it('lists changes, decisions and the deletion, with users and comments', async () => {
    const { id } = done(await steward.post('/api/crosswalks', definitionOf()));
    const path = `/api/crosswalks/${id}`;
    done(await steward.post(`${path}/submit`, { comment: 'please' }));
    done(await approver.post(`${path}/reject`, { comment: 'not like this' }));
    done(await steward.patch(path, { unmapped: { yields: 'SOURCE_VALUE' }, sourceAttribute: 'name' }));
    done(await steward.post(`${path}/submit`));
    done(await approver.post(`${path}/approve`, { comment: 'better' }));
    done(await steward.delete(path, { comment: 'unused' }));
    const current = done(await viewer.get(`${path}/history`));
    done(await approver.post(`${path}/approve`, { comment: 'indeed' }));
    const { body } = await viewer.eventually(`${path}/history`, ({ body }) => body.items?.[0]?.newStatus === 'DELETED');
    const oldestFirst = body.items.toReversed();
    const ids = await userIds(steward);
    const summaryOf = ({ type, prevStatus, newStatus, userId, comment }: Json) => [
      type.replace('Crosswalk', ''),
      prevStatus,
      newStatus,
      userId === ids['approver'],
      comment,
    ];
    expect(oldestFirst.map(summaryOf)).toEqual([
      ['Defined', null, 'DRAFT', false, undefined],
      ['Submitted', 'DRAFT', 'PENDING', false, 'please'],
      ['Rejected', 'PENDING', 'REJECTED', true, 'not like this'],
      ['AttributesChanged', 'REJECTED', 'DRAFT', false, undefined],
      ['UnmappedChanged', 'DRAFT', 'DRAFT', false, undefined],
      ['Submitted', 'DRAFT', 'PENDING', false, undefined],
      ['Approved', 'PENDING', 'APPROVED', true, 'better'],
      ['DeletionRequested', 'APPROVED', 'PENDING', false, 'unused'],
      ['Approved', 'PENDING', 'DELETED', true, 'indeed'],
    ]);
    expect(oldestFirst.map(({ changes }: Json) => changes).filter(Boolean)).toEqual([
      { sourceAttribute: { from: 'code', to: 'name' } },
      { unmapped: { from: { yields: 'NOTHING' }, to: { yields: 'SOURCE_VALUE' } } },
    ]);
    expect(body.items[0]).toMatchObject({ ofDeletion: true, revision: 9 });
    expect((await viewer.get(path)).status).toBe(404);
    // The history as of a time before the deletion ends at that time.
    const before = done(await viewer.get(`${path}/history?asOf=seq:${current.items[0].seq}`));
    expect(before).toMatchObject({ items: current.items, total: current.total });
    expect((await steward.get('/api/crosswalks/999999/history')).status).toBe(404);
  });
});

describe('discarding changed attributes', () => {
  it('unlocks the discarded field, and locks the restored field', async () => {
    const typeId = await newType(steward, [{ name: 'other', dataType: 'string' }]);
    const collectionId = await newSharedCollection(steward);
    const dataSetId = await newDataSet(steward, typeId, collectionId, []);
    const { id } = done(
      await steward.post('/api/crosswalks', definitionOf({ sourceSystemId: dataSetId, sourceAttribute: 'name' })),
    );
    const path = `/api/crosswalks/${id}`;
    done(await steward.post(`${path}/submit`));
    done(await approver.post(`${path}/approve`));
    done(await steward.patch(path, { sourceAttribute: 'other' }));
    done(await steward.post(`${path}/discard`));
    expect(done(await steward.get(path))).toMatchObject({ sourceAttribute: 'name', approvalStatus: 'APPROVED' });
    const fields = await fieldsOf(steward, typeId);
    const removeField = (name: string) =>
      steward.put(`/api/reference-types/${typeId}/schemas`, { schemas: withFieldChange(fields, name, undefined) });
    expect((await removeField('name')).body.error).toContain('crosswalk');
    done(await removeField('other'));
  });
});

describe('the cardinality', () => {
  it('does not refuse deviating mappings, which the statistics count', async () => {
    const pairs: [string, string][] = [
      ['GB', 'GBR'],
      ['GB', 'IMN'],
      ['UK', 'GBR'],
    ];
    const id = await createApproved({ cardinality: 'ONE_TO_ONE' }, pairs);
    expect(done(await steward.get(`/api/crosswalks/${id}`))).toMatchObject({ cardinality: 'ONE_TO_ONE' });
    expect(done(await steward.get(`/api/crosswalks/${id}/statistics`))).toMatchObject({
      ambiguousSources: 1,
      ambiguousTargets: 1,
    });
    done(await steward.patch(`/api/crosswalks/${id}`, { cardinality: 'MANY_TO_MANY' }));
    expect(done(await steward.get(`/api/crosswalks/${id}`))).toMatchObject({
      cardinality: 'MANY_TO_MANY',
      approvalStatus: 'APPROVED',
    });
  });
  it('is many to one by default, and one to many in the reversed crosswalk', async () => {
    const { id } = done(
      await steward.post('/api/crosswalks', definitionOf({ unmapped: { yields: 'FIXED', value: 'Z' } })),
    );
    const copy = async (operation: string) => {
      const copied = done(await steward.post(`/api/crosswalks/${id}/${operation}`, { name: uniqueName('Copy') }));
      return done(await steward.get(`/api/crosswalks/${copied.id}`));
    };
    expect(await copy('duplicate')).toMatchObject({
      cardinality: 'MANY_TO_ONE',
      unmapped: { yields: 'FIXED', value: 'Z' },
    });
    // A fallback is a target value. The reversed crosswalk has other targets, so it has no fallback.
    expect(await copy('reverse')).toMatchObject({ cardinality: 'ONE_TO_MANY', unmapped: { yields: 'NOTHING' } });
  });
});
