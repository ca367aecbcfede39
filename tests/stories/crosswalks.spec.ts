/** Crosswalks: one user drafts mappings, another user approves them, and users with READ translate with them. */
import { describe, expect, it } from 'vitest';
import {
  admin,
  approvedCrosswalk,
  approver,
  collectionId,
  prepareCrosswalkEnds,
  source,
  steward,
  target,
  translate,
  viewer,
} from './approved-crosswalks.ts';
import { done, draft, newCollection, newCrosswalk, newDataSet, newType, rowsOf } from './fixtures.ts';
import type { Json } from './http-client.ts';

prepareCrosswalkEnds();

describe('the fields that a crosswalk uses', () => {
  const readReferencedFields = async (typeId: number): Promise<string[]> =>
    done(await steward.get(`/api/reference-types/${typeId}/schemas`))
      .filter((field: Json) => field.isReferenced)
      .map((field: Json) => field.name);
  const newCrosswalkOfNewTypes = async () => {
    const types = [await newType(steward), await newType(steward)] as const;
    const [from, to] = [
      await newDataSet(steward, types[0], collectionId),
      await newDataSet(steward, types[1], collectionId),
    ];
    return { types, id: await newCrosswalk(steward, from, to) };
  };

  it('are locked only while the crosswalk uses them', async () => {
    const { types, id } = await newCrosswalkOfNewTypes();
    done(await steward.patch(`/api/crosswalks/${id}`, { sourceAttribute: 'name' }));
    expect(await readReferencedFields(types[0])).toEqual(['name']);
    expect(await readReferencedFields(types[1])).toEqual(['code']);
  });
  it('are not locked by a change that is refused', async () => {
    const { types, id } = await newCrosswalkOfNewTypes();
    await draft(steward, id, [['de', 'DEU']]);
    const refused = await steward.patch(`/api/crosswalks/${id}`, { sourceAttribute: 'name' });
    expect(refused).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
    // Reads wait for this later write, and so for all writes before it.
    done(await steward.patch(`/api/crosswalks/${id}`, { description: 'still by code' }));
    expect(await readReferencedFields(types[0])).toEqual(['code']);
  });
});

describe('a crosswalk', () => {
  it('suggests targets by their labels when the codes differ', async () => {
    const id = await newCrosswalk(steward, source, target);
    const { items } = done(await steward.get(`/api/crosswalks/${id}/suggestions`));
    const best = Object.fromEntries(items.map((item: Json) => [item.sourceValue, item.candidates[0]?.targetValue]));
    expect(best).toMatchObject({ de: 'DEU', fr: 'FRA', it: 'ITA' });
  });

  it('is not decided if the id and the parent id of the item differ', async () => {
    const id = await newCrosswalk(steward, source, target);
    done(await steward.post(`/api/crosswalks/${id}/submit`));
    const item = { kind: 'crosswalk', id: id + 1_000, parentId: id, revision: 2 };
    const { results } = done(await approver.post('/api/approvals/decide', { decision: 'approve', items: [item] }));
    expect(results).toMatchObject([{ id: item.id, outcome: 'refused', code: 'NOT_FOUND' }]);
  });

  it('serves a mapping only after another user has approved the mapping and the crosswalk', async () => {
    const id = await newCrosswalk(steward, source, target);
    const drafted = await draft(steward, id, [['de', 'DEU']]);
    const submitted = rowsOf(done(await steward.post(`/api/crosswalks/${id}/mappings/submit`, { rows: drafted })));

    const ownDecision = done(await steward.post(`/api/crosswalks/${id}/mappings/approve`, { rows: submitted }));
    expect(ownDecision.results[0]).toMatchObject({ outcome: 'refused', code: 'FOUR_EYES' });
    const ownDefinitionDecision = await steward.post(`/api/crosswalks/${id}/approve`);
    expect(ownDefinitionDecision).toMatchObject({
      status: 409,
      body: { error: 'Submitted changes must be reviewed by a different user' },
    });

    done(await approver.post(`/api/crosswalks/${id}/mappings/approve`, { rows: submitted }));
    expect(await translate(approver, id, 'de')).toEqual([]);
    done(await approver.post(`/api/crosswalks/${id}/approve`));
    expect(await translate(approver, id, 'de')).toEqual(['DEU']);
  });

  it('returns a result for each row of a bulk decision', async () => {
    const id = await newCrosswalk(steward, source, target);
    const [de, fr] = await draft(steward, id, [
      ['de', 'DEU'],
      ['fr', 'FRA'],
    ]);
    if (!de || !fr) throw new Error('Fewer than two rows were drafted');
    const submitted = rowsOf(done(await steward.post(`/api/crosswalks/${id}/mappings/submit`, { rows: [de] })));
    const { results } = done(
      await approver.post(`/api/crosswalks/${id}/mappings/approve`, {
        rows: [...submitted, fr, { id: 1, revision: 1 }],
      }),
    );
    expect(results).toMatchObject([
      { id: de.id, outcome: 'done', revision: 3 },
      { id: fr.id, outcome: 'refused', code: 'NOT_PENDING' },
      { id: 1, outcome: 'refused', code: 'NOT_FOUND' },
    ]);
  });

  it('serves the approved value until an edit is approved, and translates as of an earlier time', async () => {
    const { id, rows } = await approvedCrosswalk([['de', 'DEU']]);
    const row = rows[0];
    if (!row) throw new Error('No row was approved');
    const before = new Date().toISOString();
    const mappings = `/api/crosswalks/${id}/mappings`;
    const edited = rowsOf(done(await steward.patch(mappings, { rows: [{ ...row, targetValue: 'XXX' }] })));
    expect(await translate(steward, id, 'de')).toEqual(['DEU']);
    const submitted = rowsOf(done(await steward.post(`${mappings}/submit`, { rows: edited })));
    const approved = rowsOf(done(await approver.post(`${mappings}/approve`, { rows: submitted })));
    expect(await translate(approver, id, 'de')).toEqual(['XXX']);
    done(await approver.post(`${mappings}/revoke`, { rows: approved, comment: 'no such code' }));
    expect(await translate(approver, id, 'de')).toEqual([]);
    expect(await translate(approver, id, 'de', before)).toEqual(['DEU']);
  });

  it('requires a comment for the revocation of a mapping', async () => {
    const { id, rows } = await approvedCrosswalk([['fr', 'FRA']]);
    const refused = await approver.post(`/api/crosswalks/${id}/mappings/revoke`, { rows });
    expect(refused).toMatchObject({ status: 400, body: { error: 'A reason is required' } });
  });

  it('records a missing mapping for an unmapped value, and counts the requests', async () => {
    const { id } = await approvedCrosswalk([['de', 'DEU']]);
    await translate(viewer, id, '007');
    await translate(viewer, id, '007');
    const missing = await steward.eventually('/api/missing-mappings?pageSize=1000', ({ body }) =>
      body.items.some((item: Json) => item.crosswalkId === id && item.requestCount === 2),
    );
    expect(missing.body.items.find((item: Json) => item.crosswalkId === id)).toMatchObject({ sourceValue: '007' });
  });

  it('translates many values in one request', async () => {
    const { id } = await approvedCrosswalk([
      ['de', 'DEU'],
      ['fr', 'FRA'],
    ]);
    const answer = await viewer.post(`/api/crosswalks/${id}/translate`, { values: ['fr', 'nope', 'de'] });
    const answers = Array.isArray(answer.body) ? answer.body : answer.body.items;
    expect(answers.map((each: Json) => [each.value, each.results[0]?.targetValue])).toEqual([
      ['fr', 'FRA'],
      ['nope', undefined],
      ['de', 'DEU'],
    ]);
  });

  it('is hidden from users who may read only one end', async () => {
    const elsewhere = await newCollection(steward);
    const hidden = await newDataSet(steward, await newType(steward), elsewhere, [{ code: 'x' }]);
    const id = await newCrosswalk(steward, source, hidden);
    expect((await viewer.get(`/api/crosswalks/${id}`)).status).toBe(404);
    expect((await viewer.post(`/api/crosswalks/${id}/mappings`, { sourceValue: 'de', targetValue: 'x' })).status).toBe(
      404,
    );
    const list = done(await viewer.get('/api/crosswalks?pageSize=1000'));
    expect(list.items.some((item: Json) => item.id === id)).toBe(false);
  });

  it('protects its source data set from deletion', async () => {
    await newCrosswalk(steward, source, target);
    expect((await steward.delete(`/api/reference-data/${source}`)).body.code).toBe('IN_USE');
  });
});

describe('a crosswalk', () => {
  it('is submitted together with its first mappings', async () => {
    const id = await newCrosswalk(steward, source, target);
    const refusal = done(
      await steward.post(`/api/crosswalks/${id}/mappings/submit`, { rows: [{ id: 999_999, revision: 1 }] }),
    );
    expect(refusal).toMatchObject({ done: 0, refused: 1 });
    expect(done(await steward.get(`/api/crosswalks/${id}`)).approvalStatus).toBe('DRAFT');
    const rows = await draft(steward, id, [['with', 'it']]);
    done(await steward.post(`/api/crosswalks/${id}/mappings/submit`, { rows }));
    await steward.eventually(`/api/crosswalks/${id}`, ({ body }) => body.approvalStatus === 'PENDING');
  });
});

describe('the approvals dashboard', () => {
  it('decides items of several crosswalks in one request', async () => {
    const first = await newCrosswalk(steward, source, target);
    const second = await newCrosswalk(steward, target, source);
    for (const [id, pair] of [
      [first, ['it', 'ITA']],
      [second, ['ITA', 'it']],
    ] as [number, [string, string]][]) {
      done(await steward.post(`/api/crosswalks/${id}/mappings/submit`, { rows: await draft(steward, id, [pair]) }));
    }
    const conditions = [
      { field: 'parentId', operator: 'in', value: [first, second] },
      { field: 'kind', operator: 'in', value: ['crosswalk', 'mapping'] },
    ];
    const filterQuery = `filter=${encodeURIComponent(JSON.stringify({ logic: 'AND', conditions }))}`;
    const pendingItems = await approver.eventually(`/api/approvals?tab=review&${filterQuery}`, ({ body }) =>
      [first, second].every((id) => body.items.filter((item: Json) => item.parentId === id).length === 2),
    );
    const items = pendingItems.body.items.map(({ kind, id, parentId, revision }: Json) => ({
      kind,
      id,
      parentId,
      revision,
    }));
    const { results } = done(await approver.post('/api/approvals/decide', { decision: 'approve', items }));
    expect(results.map((row: Json) => row.outcome)).toEqual(['done', 'done', 'done', 'done']);
    expect(await translate(approver, first, 'it')).toEqual(['ITA']);
    await approver.eventually(`/api/approvals?tab=decided&${filterQuery}`, ({ body }) =>
      body.items.some((item: Json) => item.parentId === second && item.status === 'APPROVED'),
    );
  });
  it('refuses a reader', async () => {
    expect((await viewer.get('/api/approvals?tab=review')).status).toBe(403);
  });
});

describe('the audit log', () => {
  it('lists the changes of a crosswalk, and replays the changes of one mapping', async () => {
    const { id, rows } = await approvedCrosswalk([['de', 'DEU']]);
    const mapping = rows[0]?.id;
    const isApproval = (item: Json) => item.action === 'MappingsApproved' && item.recordIds?.includes(mapping);
    const logs = await admin.eventually('/api/audit-logs?pageSize=1000&sort=seq&order=DESC', ({ body }) =>
      body.items.some(isApproval),
    );
    expect(logs.body.items.find(isApproval)).toMatchObject({ severity: 'INFO', sourceType: 'UI' });
    const actions = logs.body.items.filter((item: Json) => item.entityId === id).map((item: Json) => item.action);
    expect(actions).toEqual(expect.arrayContaining(['CrosswalkDefined', 'CrosswalkSubmitted', 'MappingsDrafted']));
    const steps = done(await admin.get(`/api/audit-logs/replay?entity=mapping:${id}:${mapping}`));
    const list = Array.isArray(steps) ? steps : steps.items;
    expect(list.map((step: Json) => step.type)).toEqual(['MappingsDrafted', 'MappingsSubmitted', 'MappingsApproved']);
    expect(list.at(-1).state).toMatchObject({ approvalStatus: 'APPROVED', served: { targetValue: 'DEU' } });
  });
  it('has an intact hash chain', async () => {
    const verified = done(await admin.get('/api/audit-logs/verify'));
    expect(verified).toMatchObject({ intact: true, brokenAt: null });
    expect(verified.verified).toBeGreaterThan(100);
  });
  it('requires an administrator', async () => {
    expect((await steward.get('/api/audit-logs')).status).toBe(403);
  });
});
