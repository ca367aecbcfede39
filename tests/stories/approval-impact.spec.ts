/** Tests the impact of a bulk approval, which the server sums over the items that the caller may approve. */
import { beforeAll, describe, expect, it } from 'vitest';
import { done, draft, newCrosswalk, newDataSet, newSharedCollection, newType, rowsOf } from './fixtures.ts';
import { type HttpClient, type Json, signInAs } from './http-client.ts';

let steward: HttpClient;
let approver: HttpClient;
let viewer: HttpClient;
let source: number;
let target: number;

beforeAll(async () => {
  [steward, approver, viewer] = await Promise.all([signInAs('steward'), signInAs('approver'), signInAs('viewer')]);
  const collectionId = await newSharedCollection(steward);
  const typeId = await newType(steward);
  const rows = (...codes: string[]) => codes.map((code) => ({ code, name: code }));
  source = await newDataSet(steward, typeId, collectionId, rows('a', 'b', 'c', 'd'));
  target = await newDataSet(steward, typeId, collectionId, rows('A1', 'A2', 'B1', 'C1', 'D1'));
});

const readImpact = async (person: HttpClient, body: object): Promise<Json> =>
  done(await person.post('/api/approvals/impact', body));

/**
 * Creates a crosswalk that serves targets for `a` and `c`. Three changes are under review: a new target for `a`, the
 * first target for `b` and the deletion of the mapping of `c`.
 */
async function createCrosswalkUnderReview() {
  const id = await newCrosswalk(steward, source, target);
  const path = `/api/crosswalks/${id}/mappings`;
  const drafted = await draft(steward, id, [
    ['a', 'A1'],
    ['c', 'C1'],
  ]);
  const submitted = rowsOf(done(await steward.post(`${path}/submit`, { rows: drafted })));
  done(await approver.post(`/api/crosswalks/${id}/approve`));
  const [a, c] = rowsOf(done(await approver.post(`${path}/approve`, { rows: submitted })));
  const edited = rowsOf(done(await steward.patch(path, { rows: [{ ...a, targetValue: 'A2' }] })));
  const [b] = await draft(steward, id, [['b', 'B1']]);
  done(await steward.post(`${path}/submit`, { rows: [...edited, b] }));
  done(await steward.delete(path, { rows: [c] }));
  for (const value of ['a', 'a', 'a', 'c', 'b'])
    done(await viewer.get(`/api/crosswalks/${id}/translate?value=${value}`));
  const conditions = [{ field: 'parent', operator: 'equals', value: `crosswalk:${id}` }];
  const filter = JSON.stringify({ logic: 'AND', conditions });
  const list = `/api/approvals?filter=${encodeURIComponent(filter)}`;
  // The requests above are counted about a second later.
  const { body } = await approver.eventually(
    list,
    ({ body }) =>
      body.total === 3 && body.items.reduce((sum: number, each: Json) => sum + each.impact.requests, 0) === 5,
  );
  const items = body.items.map(({ kind, parentId, id }: Json) => ({ kind, parentId, id }));
  return { id, filter, items };
}

describe('the impact of a bulk approval', () => {
  it('sums the changed translations and their requests, and lists the most requested values first', async () => {
    const { id, items, filter } = await createCrosswalkUnderReview();
    const impact = await readImpact(approver, { items });
    expect(impact).toMatchObject({
      asked: 3,
      weighed: 3,
      bounded: false,
      effects: { starts: 1, changes: 1, stops: 1, same: 0 },
      requests: 5,
      valuesAsked: 3,
      others: { crosswalk: 0, relationship: 0, 'relationship-value': 0 },
    });
    expect(impact.top[0]).toMatchObject({
      parentId: id,
      sourceValue: 'a',
      before: 'A1',
      after: 'A2',
      effect: 'CHANGES',
      requests: 3,
      lastRequestedAt: expect.any(String),
    });
    expect(impact.top).toContainEqual(
      expect.objectContaining({ sourceValue: 'c', before: 'C1', after: null, effect: 'STOPS', requests: 1 }),
    );
    // A selection of all matching items has the same impact.
    const { selectionId } = done(await approver.post('/api/selections', { kind: 'approvals', tab: 'review', filter }));
    const { position: _, ...impactOfSelection } = await readImpact(approver, { selectionId });
    expect(impactOfSelection).toMatchObject({ asked: 3, weighed: 3, effects: impact.effects, requests: 5 });
    expect((await steward.post('/api/approvals/impact', { selectionId })).status).toBe(404);
  });

  it('covers only items that the caller may approve', async () => {
    const { items } = await createCrosswalkUnderReview();
    // The author may approve none of these items, so the answer contains no figures about them.
    expect(await readImpact(steward, { items })).toMatchObject({ asked: 3, weighed: 0, requests: 0, top: [] });
    const unknown = [{ kind: 'mapping', parentId: 999_999, id: 64 }];
    expect(await readImpact(approver, { items: unknown })).toMatchObject({ asked: 1, weighed: 0, requests: 0 });
    expect((await viewer.post('/api/approvals/impact', { items })).status).toBe(403);
    expect((await approver.post('/api/approvals/impact', { items: [] })).status).toBe(400);
  });
});
