/**
 * Tests the reports of broken data: cells with a value of another data type, and mappings and relationship values
 * without a source or target row.
 */
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
} from './fixtures.ts';
import { type HttpClient, type Json, signInAs, uniqueName } from './http-client.ts';

let steward: HttpClient;
let viewer: HttpClient;
let collection: number;

beforeAll(async () => {
  [steward, viewer] = await Promise.all([signInAs('steward'), signInAs('viewer')]);
  collection = await newSharedCollection(steward);
}, 60_000);

const issuesOf = async (person: HttpClient, dataSet: number, query = ''): Promise<Json> =>
  done(await person.get(`/api/reference-data/${dataSet}/integrity${query}`));

async function rowOf(dataSet: number, code: string): Promise<{ id: number; revision: number }> {
  const [row] = done(await steward.get(`/api/reference-data/${dataSet}/instances?key=${code}`)).items;
  return { id: row.id, revision: row.revision };
}

async function changeDataType(type: number, name: string, dataType: string): Promise<void> {
  const fields = done(await steward.get(`/api/reference-types/${type}/schemas`));
  const schemas = fields.map((field: Json) => ({
    fieldId: field.fieldId,
    name: field.name,
    dataType: field.name === name ? dataType : field.dataType,
    isPrimaryKey: field.isPrimaryKey,
  }));
  done(await steward.put(`/api/reference-types/${type}/schemas`, { schemas }));
}

describe('cells with a value of another type', () => {
  it('are reported until a user enters a value of the right type', async () => {
    const type = await newType(steward, [{ name: 'size', dataType: 'string' }]);
    const dataSet = await newDataSet(steward, type, collection, [
      { code: 'a', size: '10' },
      { code: 'b', size: 'large' },
      { code: 'c' },
    ]);
    expect((await issuesOf(steward, dataSet)).counts).toEqual({
      WRONG_TYPE: 0,
      BROKEN_SOURCE: 0,
      BROKEN_TARGET: 0,
      BROKEN_RELATIONSHIP: 0,
    });

    await changeDataType(type, 'size', 'number');
    const broken = await issuesOf(steward, dataSet, '?sort=key');
    expect(broken).toMatchObject({ total: 2, counts: { WRONG_TYPE: 2 } });
    const a = await rowOf(dataSet, 'a');
    expect(broken.items[0]).toEqual({
      id: expect.any(String),
      kind: 'WRONG_TYPE',
      instanceId: a.id,
      key: 'a',
      field: 'size',
      value: '10',
      expected: 'number',
      parent: null,
      parentId: null,
      parentName: null,
      valueId: null,
      sourceValue: null,
      status: null,
    });
    const empty = JSON.stringify({ logic: 'AND', conditions: [{ field: 'size', operator: 'is_null' }] });
    expect(
      done(await steward.get(`/api/reference-data/${dataSet}/instances?filter=${encodeURIComponent(empty)}`)).total,
    ).toBe(3);

    done(await steward.patch(`/api/reference-data/${dataSet}/instances`, [{ ...a, data: { size: 10 } }]));
    const remaining = await issuesOf(steward, dataSet);
    expect(remaining).toMatchObject({ total: 1, counts: { WRONG_TYPE: 1 }, items: [{ key: 'b' }] });
    expect((await issuesOf(steward, dataSet, '?q=LARGE')).total).toBe(1);
    expect((await issuesOf(steward, dataSet, '?kind=BROKEN_TARGET')).total).toBe(0);

    // When the data type is changed back to a string, the number that was entered meanwhile does not match.
    await changeDataType(type, 'size', 'string');
    expect((await issuesOf(steward, dataSet)).items).toMatchObject([{ key: 'a', value: '10', expected: 'string' }]);
    expect((await steward.get(`/api/reference-data/${dataSet}/integrity?asOf=seq:1`)).status).toBe(400);
  });
});

describe('broken mappings', () => {
  let source: number;
  let target: number;
  let crosswalk: number;
  let type: number;

  beforeAll(async () => {
    type = await newType(steward);
    const rows = [
      { code: 'a', name: 'one' },
      { code: 'b', name: 'two' },
    ];
    source = await newDataSet(steward, type, collection, rows);
    target = await newDataSet(steward, type, collection, rows);
    crosswalk = await newCrosswalk(steward, source, target);
    await draft(steward, crosswalk, [
      ['a', 'a'],
      ['b', 'b'],
    ]);
  });

  const readBrokenTab = async () => done(await steward.get(`/api/crosswalks/${crosswalk}/mappings?tab=broken`));
  const readTabCount = async () => done(await steward.get(`/api/crosswalks/${crosswalk}/mappings/counts`)).broken;

  it('are in the tab Broken target and listed for both data sets until the row is restored', async () => {
    expect(await readBrokenTab()).toMatchObject({ total: 0 });
    const deletedRow = await rowOf(target, 'b');
    const [removed] = rowsOf(
      done(await steward.delete(`/api/reference-data/${target}/instances`, { rows: [deletedRow] })),
    );

    expect((await readBrokenTab()).items).toMatchObject([
      {
        sourceValue: 'b',
        targetValue: 'b',
        status: 'DRAFT',
        targetLabel: null,
        sourceMissing: false,
        targetMissing: true,
      },
    ]);
    expect(await readTabCount()).toBe(1);
    const rows = (await readBrokenTab()).items.map(({ id, revision }: Json) => ({ id, revision }));
    const refused = done(await steward.post(`/api/crosswalks/${crosswalk}/mappings/submit`, { rows })).results;
    const message = 'The row “b” was deleted: map to another target, or restore the row';
    expect(refused).toMatchObject([{ outcome: 'refused', message }]);
    const twice = [...rows, ...rows].map((row: Json) => ({ ...row, targetValue: 'a' }));
    const answer = await steward.patch(`/api/crosswalks/${crosswalk}/mappings`, { rows: twice });
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining('is named twice') } });
    for (const dataSet of [source, target]) {
      const { counts, items } = await issuesOf(steward, dataSet);
      expect(counts).toEqual({ WRONG_TYPE: 0, BROKEN_SOURCE: 0, BROKEN_TARGET: 1, BROKEN_RELATIONSHIP: 0 });
      expect(items).toMatchObject([
        {
          kind: 'BROKEN_TARGET',
          parent: 'crosswalk',
          parentId: crosswalk,
          field: 'code',
          value: 'b',
          sourceValue: 'b',
          status: 'DRAFT',
        },
      ]);
    }
    const summary = done(await steward.get(`/api/integrity?ids=${source},${target}`));
    expect(summary.items.sort((a: Json, b: Json) => a.id - b.id)).toEqual([
      { id: source, count: 1 },
      { id: target, count: 1 },
    ]);

    done(await steward.post(`/api/reference-data/${target}/instances/restore`, { rows: [removed] }));
    expect(await readBrokenTab()).toMatchObject({ total: 0 });
    expect(await readTabCount()).toBe(0);
    expect((await issuesOf(steward, source)).total).toBe(0);
    expect(done(await steward.get(`/api/integrity?ids=${source},${target}`)).items).toEqual([]);
  });

  it('are reported as broken sources if the source row is deleted', async () => {
    const deletedRow = await rowOf(source, 'a');
    const [removed] = rowsOf(
      done(await steward.delete(`/api/reference-data/${source}/instances`, { rows: [deletedRow] })),
    );
    expect(await issuesOf(steward, source)).toMatchObject({
      counts: { WRONG_TYPE: 0, BROKEN_SOURCE: 1, BROKEN_TARGET: 0 },
      items: [{ kind: 'BROKEN_SOURCE', value: 'a' }],
    });
    expect(await readBrokenTab()).toMatchObject({ total: 0 });
    done(await steward.post(`/api/reference-data/${source}/instances/restore`, { rows: [removed] }));
  });

  it('are marked in the list, the statistics and the comparison', async () => {
    const approver = await signInAs('approver');
    const ownCrosswalk = await newCrosswalk(steward, source, target);
    await draft(steward, ownCrosswalk, [
      ['a', 'a'],
      ['b', 'a'],
    ]);
    const list = async () =>
      done(await steward.get(`/api/crosswalks/${ownCrosswalk}/mappings?sort=sourceValue`)).items as {
        id: number;
        revision: number;
      }[];
    const rows = rowsOf(
      done(await steward.post(`/api/crosswalks/${ownCrosswalk}/mappings/submit`, { rows: await list() })),
    );
    done(await approver.post(`/api/crosswalks/${ownCrosswalk}/approve`, {}));
    done(await approver.post(`/api/crosswalks/${ownCrosswalk}/mappings/approve`, { rows }));
    const readComparison = async () => {
      const path = `/api/crosswalk/comparison/${target}`;
      const cells = (body: Json) => body.items.find(({ targetValue }: Json) => targetValue === 'a')?.cells ?? [];
      const cellOf = (body: Json) => cells(body).find(({ dataSetId }: Json) => dataSetId === source);
      return cellOf(done(await steward.eventually(path, ({ body }) => cellOf(body)?.mappings.length === 2)));
    };
    expect(await readComparison()).toMatchObject({
      state: 'agree',
      mappings: [{ sourceMissing: false }, { sourceMissing: false }],
    });
    const readSourceMissing = async () => (await list()).map((row) => (row as unknown as Json).sourceMissing);
    expect(await readSourceMissing()).toEqual([false, false]);

    const path = `/api/reference-data/${source}/instances`;
    const [deletedB] = rowsOf(done(await steward.delete(path, { rows: [await rowOf(source, 'b')] })));
    expect(await readSourceMissing()).toEqual([false, true]);
    expect(done(await steward.get(`/api/crosswalks/${ownCrosswalk}/statistics`))).toMatchObject({
      brokenSources: 1,
      brokenTargets: 0,
    });
    expect(await readComparison()).toMatchObject({
      state: 'agree',
      mappings: [
        { sourceValue: 'a', sourceMissing: false },
        { sourceValue: 'b', sourceMissing: true },
      ],
    });
    const [deletedA] = rowsOf(done(await steward.delete(path, { rows: [await rowOf(source, 'a')] })));
    expect(await readComparison()).toMatchObject({ state: 'broken' });
    const exported = done(await steward.get(`/api/crosswalk/comparison/${target}/export?format=json`)) as Json[];
    const exportedOfA = exported.filter(({ targetValue, crosswalk }) => targetValue === 'a' && crosswalk !== null);
    expect(exportedOfA.map(({ sourceValue, state }) => [sourceValue, state])).toEqual([
      ['a', 'broken'],
      ['b', 'broken'],
    ]);
    done(await steward.post(`${path}/restore`, { rows: [deletedB, deletedA] }));
    expect(await readComparison()).toMatchObject({ state: 'agree' });
    done(
      await approver.post(`/api/crosswalks/${ownCrosswalk}/mappings/revoke`, { rows: await list(), comment: 'Over' }),
    );
    await steward.eventually(`/api/crosswalks/${ownCrosswalk}/statistics`, ({ body }) => body.counts.served === 0);
  });

  it('are also found if the crosswalk uses fields that are not the key', async () => {
    const crosswalkByName = done(
      await steward.post('/api/crosswalks', {
        name: uniqueName('By name'),
        sourceSystemId: source,
        targetSystemId: target,
        sourceAttribute: 'name',
        targetAttribute: 'name',
      }),
    ).id;
    await draft(steward, crosswalkByName, [
      ['one', 'one'],
      ['two', 'three'],
    ]);
    const { items } = done(await steward.get(`/api/crosswalks/${crosswalkByName}/mappings?tab=broken`));
    expect(items).toMatchObject([{ sourceValue: 'two', targetValue: 'three' }]);
    expect((await issuesOf(steward, target)).items).toMatchObject([
      { parentId: crosswalkByName, field: 'name', value: 'three' },
    ]);
    done(await steward.delete(`/api/crosswalks/${crosswalkByName}`));
    expect((await issuesOf(steward, target)).total).toBe(0);
  });

  it('do not include rejected mappings that were never served', async () => {
    const approver = await signInAs('approver');
    const ownCrosswalk = await newCrosswalk(steward, source, target);
    const rejected = rowsOf(
      done(
        await steward.post(`/api/crosswalks/${ownCrosswalk}/mappings/submit`, {
          rows: await draft(steward, ownCrosswalk, [['a', 'never there']]),
        }),
      ),
    );
    expect((await issuesOf(steward, source)).counts.BROKEN_TARGET).toBe(1);
    done(
      await approver.post(`/api/crosswalks/${ownCrosswalk}/mappings/reject`, { rows: rejected, comment: 'Nowhere' }),
    );
    await steward.eventually(`/api/reference-data/${source}/integrity`, ({ body }) => body.counts.BROKEN_TARGET === 0);
  });

  it('are reported only to readers of both data sets', async () => {
    const hidden = await newDataSet(steward, type, await newCollection(steward), [{ code: 'a' }]);
    const crosswalkToHidden = await newCrosswalk(steward, source, hidden);
    await draft(steward, crosswalkToHidden, [['a', 'nowhere']]);
    expect((await issuesOf(steward, source)).counts.BROKEN_TARGET).toBe(1);
    const dataSet = `/api/reference-data/${source}`;
    const { body: own } = await steward.eventually(dataSet, ({ body }) => body.crosswalkCount > 1);
    expect(done(await viewer.get(dataSet)).crosswalkCount).toBe(own.crosswalkCount - 1);
    expect(await issuesOf(viewer, source)).toMatchObject({ total: 0, counts: { BROKEN_TARGET: 0 } });
    expect(done(await viewer.get(`/api/integrity?ids=${source},${hidden}`)).items).toEqual([]);
    expect((await viewer.get(`/api/reference-data/${hidden}/integrity`)).status).toBe(404);
    expect((await viewer.get('/api/integrity?ids=all')).status).toBe(400);
  });
});

describe('relationship values of deleted rows', () => {
  it('are listed for both data sets until the row is restored', async () => {
    const type = await newType(steward);
    const [source, target] = [
      await newDataSet(steward, type, collection, [{ code: 'a' }]),
      await newDataSet(steward, type, collection, [{ code: 'x' }, { code: 'y' }]),
    ];
    const relationship = done(
      await steward.post('/api/relationships', {
        name: uniqueName('Leads'),
        sourceDataSetId: source,
        targetDataSetId: target,
        sourceField: 'code',
        targetField: 'code',
      }),
    ).id;
    const deletedRow = await rowOf(target, 'x');
    const [from, to] = [(await rowOf(source, 'a')).id, deletedRow.id];
    done(
      await steward.post(`/api/relationships/${relationship}/values`, {
        rows: [{ sourceInstanceId: from, targetInstanceId: to }],
      }),
    );
    expect((await issuesOf(steward, target)).total).toBe(0);
    const graph = done(await steward.get(`/api/reference-data/${source}/graph`));
    expect(graph.edges).toMatchObject([{ kind: 'relationship', id: relationship, counts: { draft: 1, served: 0 } }]);

    const [removed] = rowsOf(
      done(await steward.delete(`/api/reference-data/${target}/instances`, { rows: [deletedRow] })),
    );
    for (const dataSet of [source, target]) {
      const { counts, items } = await issuesOf(steward, dataSet);
      expect(counts).toEqual({ WRONG_TYPE: 0, BROKEN_SOURCE: 0, BROKEN_TARGET: 0, BROKEN_RELATIONSHIP: 1 });
      expect(items).toMatchObject([
        {
          kind: 'BROKEN_RELATIONSHIP',
          parent: 'relationship',
          parentId: relationship,
          field: 'target',
          value: 'x',
          sourceValue: 'a',
          status: 'DRAFT',
        },
      ]);
    }
    // The relationship lists the same values in its tab Broken.
    expect(done(await steward.get(`/api/relationships/${relationship}/values?tab=broken`)).total).toBe(1);
    done(await steward.post(`/api/reference-data/${target}/instances/restore`, { rows: [removed] }));
    expect((await issuesOf(steward, source)).total).toBe(0);
    expect(done(await steward.get(`/api/integrity?ids=${source},${target}`)).items).toEqual([]);
  });
});
