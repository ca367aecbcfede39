/** Missing mappings: requests record them, users map, ignore and reopen them, and an approved mapping removes them. */
import { describe, expect, it } from 'vitest';
import { newKey } from './api-key-client.ts';
import { done, rowsOf } from './fixtures.ts';
import { type Answer, signInAs, uniqueName } from './http-client.ts';
import {
  approver,
  collectionId,
  createServedCrosswalk,
  ignore,
  listPath,
  outcomes,
  prepareCrosswalks,
  recordMissing,
  reopen,
  steward,
  viewer,
} from './missing-mapping-requests.ts';
import { createSignedInUser } from './signed-in-user.ts';

prepareCrosswalks();

describe('a missing mapping', () => {
  it('does not exist for users who may not read its crosswalk', async () => {
    const { id } = await recordMissing(await createServedCrosswalk(), 'Sealand');
    const { person: outsider } = await createSignedInUser(await signInAs('admin'), 2);
    for (const [verb, body] of [
      ['ignore', { comment: 'Not ours' }],
      ['reopen', {}],
      ['map', { targetValue: 'DEU' }],
    ] as const) {
      const [hidden, nonexistent] = await Promise.all(
        [id, 999_999_999].map((target) => outsider.post(`/api/missing-mappings/${target}/${verb}`, body)),
      );
      const withoutRequestId = ({ status, body: { requestId: _, ...rest } }: Answer) => ({ status, ...rest });
      expect(withoutRequestId(hidden as Answer), verb).toEqual(withoutRequestId(nonexistent as Answer));
      expect(hidden?.status, verb).toBe(404);
    }
  });

  it('names its last requester and a target that is suggested by a synonym', async () => {
    const row = await recordMissing(await createServedCrosswalk(), 'Holland');
    expect(row).toMatchObject({
      requestCount: 1,
      requestUsername: 'viewer',
      requestContext: 'UI',
      suggestion: { targetValue: 'NLD', reason: 'The target is also called “Holland”' },
    });
  });

  it('names the API key and the context of the last request', async () => {
    const id = await createServedCrosswalk();
    const admin = await signInAs('admin');
    const { client: system, name } = await newKey(admin, [[collectionId, 'translate']]);
    const path = `/api/crosswalks/${id}/translate`;
    await recordMissing(id, 'Holland');
    await system.eventually(`${path}?value=Holland&context=%20invoicing%20`, ({ status }) => status === 200);
    const lastRequest = {
      requestCount: 2,
      requestApiKeyName: name,
      requestUsername: 'admin',
      requestContext: 'invoicing',
    };
    const waitForCount = (count: number) =>
      steward
        .eventually(listPath(id), ({ body }) => body.items[0]?.requestCount === count)
        .then(({ body }) => body.items);
    expect(await waitForCount(2)).toMatchObject([lastRequest]);
    const keyFilter = { logic: 'AND', conditions: [{ field: 'requester', operator: 'equals', value: name }] };
    expect(
      done(await steward.get(listPath(id, `&filter=${encodeURIComponent(JSON.stringify(keyFilter))}`))).total,
    ).toBe(1);
    done(await system.post(path, { values: ['Holland'], context: 'nightly returns' }));
    expect(await waitForCount(3)).toMatchObject([{ requestApiKeyName: name, requestContext: 'nightly returns' }]);
    done(await system.post(path, { values: ['Holland'], context: ' ' }));
    expect(await waitForCount(4)).toMatchObject([{ requestContext: 'API' }]);
    done(
      await steward.post('/api/missing-mappings', { crosswalkId: id, sourceValue: 'Holland', requestContext: 'desk' }),
    );
    const requestOfUser = { requestApiKeyName: null, requestUsername: 'steward', requestContext: 'desk' };
    expect(await waitForCount(5)).toMatchObject([requestOfUser]);
    done(await steward.post('/api/missing-mappings', { crosswalkId: id, sourceValue: 'Holland', context: 'phone' }));
    expect(await waitForCount(6)).toMatchObject([{ requestContext: 'phone' }]);
    expect((await system.get(`${path}?value=x&context=${'c'.repeat(201)}`)).status).toBe(400);
    expect((await system.post(path, { values: ['x'], context: 'c'.repeat(201) })).status).toBe(400);
    expect((await system.post(path, { values: ['x'], context: uniqueName('\0') })).status).toBe(400);
  });

  it('needs a source value', async () => {
    const crosswalkId = await createServedCrosswalk();
    for (const wrong of [{}, { sourceValue: '' }]) {
      const { status, body } = await steward.post('/api/missing-mappings', { crosswalkId, ...wrong });
      expect([status, body.error]).toEqual([400, 'Source value is required']);
    }
  });

  it('is mapped as a draft, and is removed when the draft is approved', async () => {
    const id = await createServedCrosswalk();
    const row = await recordMissing(id, 'Holland');
    const path = `/api/missing-mappings/${row.id}/map`;
    expect((await viewer.post(path, { targetValue: 'NLD' })).status).toBe(403);
    const mapped = await steward.post(path, { targetValue: 'NLD' });
    expect(mapped).toMatchObject({ status: 201, body: { id: expect.any(Number), revision: 1 } });
    const drafts = done(await steward.get(`/api/crosswalks/${id}/mappings?tab=draft`));
    expect(drafts.items).toMatchObject([{ sourceValue: 'Holland', targetValue: 'NLD', confidence: 100 }]);
    // Until the approval, the missing mapping is listed with the proposed mapping.
    const expectedProposal = (status: string) => ({ total: 1, items: [{ proposed: { targetValue: 'NLD', status } }] });
    expect(done(await steward.get(listPath(id)))).toMatchObject(expectedProposal('DRAFT'));
    const rows = [{ id: mapped.body.id, revision: mapped.body.revision }];
    const submitted = rowsOf(done(await steward.post(`/api/crosswalks/${id}/mappings/submit`, { rows })));
    expect(done(await steward.get(listPath(id)))).toMatchObject(expectedProposal('PENDING'));
    done(await approver.post(`/api/crosswalks/${id}/mappings/approve`, { rows: submitted }));
    const { results } = done(await approver.get(`/api/crosswalks/${id}/translate?value=Holland`));
    expect(results).toMatchObject([{ targetValue: 'NLD' }]);
    expect(done(await approver.get(listPath(id))).total).toBe(0);
  });

  it('is ignored with a comment, and reopened', async () => {
    const id = await createServedCrosswalk();
    const row = await recordMissing(id, 'Atlantis');
    const path = `/api/missing-mappings/${row.id}`;
    expect((await steward.post(`${path}/ignore`, {})).status).toBe(400);
    done(await steward.post(`${path}/ignore`, { comment: 'it sank' }));
    expect(done(await steward.get(listPath(id))).total).toBe(0);
    expect(done(await steward.get(listPath(id, '&ignored=true'))).items).toMatchObject([{ ignoreReason: 'it sank' }]);
    expect((await viewer.post(`${path}/reopen`, {})).status).toBe(403);
    done(await steward.post(`${path}/reopen`, {}));
    expect(done(await steward.get(listPath(id))).items).toMatchObject([{ sourceValue: 'Atlantis', ignored: false }]);
  });
});

describe('many missing mappings', () => {
  it('are ignored and reopened across crosswalks, with a result for each', async () => {
    const crosswalks = [await createServedCrosswalk(), await createServedCrosswalk()] as const;
    const [a, b] = [await recordMissing(crosswalks[0], 'Atlantis'), await recordMissing(crosswalks[1], 'Avalon')];
    expect((await steward.post('/api/missing-mappings/ignore', { ids: [a.id] })).status).toBe(400);
    const first = done(await ignore({ ids: [a.id, b.id, a.id, 999_999_999] }));
    expect(first).toMatchObject({ done: 2, refused: 1, commandId: expect.any(String) });
    expect(outcomes(first)).toEqual([
      [a.id, 'done', undefined],
      [b.id, 'done', undefined],
      [999_999_999, 'refused', 'NOT_FOUND'],
    ]);
    expect(done(await steward.get(listPath(crosswalks[1], '&ignored=true'))).items).toMatchObject([
      { sourceValue: 'Avalon', ignoreReason: 'not ours' },
    ]);
    expect(outcomes(done(await ignore({ ids: [a.id] })))).toEqual([[a.id, 'refused', 'IGNORED']]);
    const resultOfViewer = done(await viewer.post('/api/missing-mappings/reopen', { ids: [a.id] }));
    expect(outcomes(resultOfViewer)).toEqual([[a.id, 'refused', 'FORBIDDEN']]);
    expect(done(await reopen({ ids: [a.id, b.id] })).done).toBe(2);
    expect(outcomes(done(await reopen({ ids: [a.id] })))).toEqual([[a.id, 'refused', 'LISTED']]);
    for (const id of crosswalks) expect(done(await steward.get(listPath(id))).total).toBe(1);
  });
});
