/** Schema changes of types that have data, previews of schema changes, and keys of data sets. */
import { connectEventStore, type EventStore } from '@rdm/platform';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { fieldsOf, filterRows, renameField, withFieldChange } from './field-rename.ts';
import { done, newCollection, newCrosswalk, newDataSet, newType, userIds } from './fixtures.ts';
import { type HttpClient, type Json, signInAs, uniqueName } from './http-client.ts';
import { LONG } from './stack.ts';

let steward: HttpClient;
let viewer: HttpClient;
let store: EventStore;
let collection: number;

beforeAll(async () => {
  [steward, viewer] = await Promise.all([signInAs('steward'), signInAs('viewer')]);
  store = connectEventStore(inject('eventStoreUrl'));
  const ids = await userIds(steward);
  collection = await newCollection(steward, [{ entityType: 'user', entityId: ids['viewer'], permissionLevel: 'READ' }]);
}, 60_000);
afterAll(() => store.close());

describe('a renamed field of a large data set', () => {
  const ROWS = LONG ? 20_000 : 2_000;
  const ROWS_PER_REQUEST = ROWS / 2;
  let type: number;
  let dataSet: number;

  beforeAll(async () => {
    type = await newType(steward);
    dataSet = await newDataSet(steward, type, collection);
    for (let start = 0; start < ROWS; start += ROWS_PER_REQUEST) {
      const rows = Array.from({ length: ROWS_PER_REQUEST }, (_, index) => ({
        data: { code: `C${start + index}`, name: `Name ${start + index}` },
      }));
      done(await steward.post(`/api/reference-data/${dataSet}/instances`, { rows }));
    }
    await steward.eventually(`/api/reference-data/${dataSet}`, ({ body }) => body.instanceCount === ROWS);
  }, 120_000);

  it('causes no row event and is read under its new name', async () => {
    const fields = withFieldChange(await fieldsOf(steward, type), 'name', { name: 'title' });
    const preview = done(await steward.post(`/api/reference-types/${type}/schema-preview`, { schemas: fields }));
    expect(preview).toMatchObject({ problems: [], broken: 0, retired: 0, datasets: [] });
    expect(preview.steps).toEqual([{ kind: 'renamed', field: 'name', from: 'name', to: 'title' }]);
    const row = { key: `C${ROWS - 1}`, value: `Name ${ROWS - 1}` };
    await renameField({ person: steward, store, type, dataSet, from: 'name', to: 'title', row });
  });

  it('is refused under its old name', async () => {
    const response = await filterRows(steward, dataSet, 'name', 'Name 777');
    expect(response).toMatchObject({ status: 400, body: { error: expect.stringContaining('name') } });
    const refusal = await steward.post(`/api/reference-data/${dataSet}/instances`, {
      data: { code: 'new', name: 'x' },
    });
    expect(refusal).toMatchObject({ status: 400, body: { error: expect.stringContaining('has no field "name"') } });
  });
});

it('each field of a new type needs a name and a data type', async () => {
  const create = async (field: Json) => {
    const schemas = [{ name: 'code', dataType: 'string', isPrimaryKey: true, ...field }];
    const { status, body } = await steward.post('/api/reference-types', { name: uniqueName('Type'), schemas });
    return [status, body.error];
  };
  expect(await create({ name: undefined })).toEqual([400, 'Name is required']);
  for (const dataType of [undefined, 'text'])
    expect(await create({ dataType })).toEqual([400, 'Data type is required']);
});

it('a refused new type leaves its name free', async () => {
  const name = uniqueName('Type');
  const code = { name: 'code', dataType: 'string', isPrimaryKey: true };
  expect((await steward.post('/api/reference-types', { name, schemas: [code, code] })).status).toBe(400);
  done(await steward.post('/api/reference-types', { name, schemas: [code] }));
});

describe('the preview of a schema change', () => {
  let type: number;
  let shared: number;
  let hidden: number;
  const rows = [
    { code: '1', name: 'one', size: '10', since: '2020-01-31' },
    { code: '2', name: 'two', size: 'large', since: 'long ago' },
    { code: '3', name: 'three' },
  ];

  beforeAll(async () => {
    type = await newType(steward, [
      { name: 'size', dataType: 'string' },
      { name: 'since', dataType: 'string' },
    ]);
    shared = await newDataSet(steward, type, collection, rows);
    hidden = await newDataSet(steward, type, await newCollection(steward), rows.slice(0, 2));
    await steward.eventually(`/api/reference-data/${hidden}`, ({ body }) => body.instanceCount === 2);
  });

  const preview = async (person: HttpClient, schemas: Json[], path = `reference-types/${type}`) =>
    done(await person.post(`/api/${path}/schema-preview`, { schemas }));

  it('counts the values that do not fit a new data type, and stores nothing', async () => {
    const fields = await fieldsOf(steward, type);
    const changedFields = withFieldChange(withFieldChange(fields, 'size', { dataType: 'number' }), 'since', {
      dataType: 'date',
    });
    const impact = await preview(steward, changedFields);
    // Stored texts are not converted: "10" becomes a number only when a user enters it as a number. Dates are stored as
    // text, so "2020-01-31" fits.
    expect(impact).toMatchObject({ problems: [], broken: 6, retired: 0, others: { untouched: 0, hidden: 0 } });
    const [first] = impact.datasets.filter(({ id }: Json) => id === shared);
    expect(first.issues).toEqual([
      {
        field: 'size',
        kind: 'TYPE',
        rule: expect.stringContaining('not a number'),
        count: 2,
        examples: [
          { instanceId: expect.any(Number), key: expect.any(String), value: expect.any(String) },
          { instanceId: expect.any(Number), key: expect.any(String), value: expect.any(String) },
        ],
      },
      {
        field: 'since',
        kind: 'TYPE',
        rule: expect.stringContaining('not a date'),
        count: 1,
        examples: [{ instanceId: expect.any(Number), key: '2', value: 'long ago' }],
      },
    ]);
    expect(await fieldsOf(steward, type)).toEqual(fields);
  });

  it('names the data sets that the caller may read, and only counts hidden data sets', async () => {
    const changedFields = withFieldChange(await fieldsOf(steward, type), 'size', { dataType: 'number' });
    const impact = await preview(viewer, changedFields);
    expect(impact.datasets.map(({ id }: Json) => id)).toEqual([shared]);
    expect(impact).toMatchObject({ broken: 4, others: { hidden: 1, hiddenCells: 2 } });
    const one = await preview(viewer, changedFields, `reference-data/${shared}`);
    expect(one).toMatchObject({ broken: 2, others: { hidden: 0 }, datasets: [{ id: shared }] });
    const foreign = await viewer.post(`/api/reference-data/${hidden}/schema-preview`, { schemas: changedFields });
    expect(foreign.status).toBe(404);
  });

  it('counts the values of a field that is retired', async () => {
    const impact = await preview(steward, withFieldChange(await fieldsOf(steward, type), 'size', undefined));
    expect(impact).toMatchObject({ problems: [], broken: 0, retired: 4, steps: [{ kind: 'retired', field: 'size' }] });
  });

  it('lists the crosswalks that lock a field, and only counts crosswalks that the caller may not read', async () => {
    const target = await newDataSet(steward, type, collection, rows.slice(0, 1));
    const crosswalk = done(
      await steward.post('/api/crosswalks', {
        name: uniqueName('Crosswalk'),
        sourceSystemId: shared,
        targetSystemId: target,
        sourceAttribute: 'name',
        targetAttribute: 'name',
      }),
    ).id;
    await steward.get(`/api/crosswalks/${crosswalk}`);
    const changedFields = withFieldChange(await fieldsOf(steward, type), 'name', undefined);
    const impact = await preview(steward, changedFields);
    expect(impact.problems).toMatchObject([
      { code: 'FIELD_LOCKED', field: 'name', usedBy: [{ kind: 'crosswalk', id: crosswalk }], hidden: 0 },
    ]);
    const refusal = await steward.put(`/api/reference-types/${type}/schemas`, { schemas: changedFields });
    expect(refusal).toMatchObject({ status: 400, body: { code: 'FIELD_LOCKED', error: impact.problems[0].message } });
    // The viewer may not read the source of this second crosswalk, so the crosswalk is only counted.
    await newCrosswalk(steward, hidden, target);
    await steward.get('/api/crosswalks');
    const key = await preview(viewer, withFieldChange(await fieldsOf(steward, type), 'code', { dataType: 'number' }));
    expect(key.problems).toMatchObject([{ code: 'FIELD_LOCKED', field: 'code', usedBy: [], hidden: 1 }]);
  });
});

describe('the key of a data set', () => {
  it('is the key of the type by default, and may consist of several fields', async () => {
    const type = await newType(steward, [{ name: 'year', dataType: 'number' }]);
    const create = (more: Json) =>
      steward.post('/api/reference-data', {
        name: uniqueName('Keyed'),
        typeId: type,
        collectionId: collection,
        ...more,
      });
    const defaultKeyed = done(await create({})).id;
    const composite = done(await create({ keyFields: ['year', 'code'] })).id;
    expect(done(await steward.get(`/api/reference-data/${defaultKeyed}`))).toMatchObject({ primaryKeyField: 'code' });
    expect(done(await steward.get(`/api/reference-data/${composite}`))).toMatchObject({
      primaryKeyField: null,
      primaryKeyFields: ['code', 'year'],
    });

    const add = (data: Json) => steward.post(`/api/reference-data/${composite}/instances`, { data });
    done(await add({ code: 'A', year: 2024 }));
    done(await add({ code: 'A', year: 2025 }));
    expect(await add({ code: 'A', year: 2025 })).toMatchObject({ status: 409, body: { code: 'DUPLICATE_KEY' } });
    expect(await add({ code: 'B' })).toMatchObject({ status: 400, body: { error: expect.stringContaining('"year"') } });
    const found = done(
      await steward.get(`/api/reference-data/${composite}/instances?key=${encodeURIComponent('["A","2025"]')}`),
    );
    expect(found.items).toMatchObject([{ key: 'A · 2025' }]);

    // The field is locked because it is part of a key.
    const fields = await fieldsOf(steward, type);
    for (const changedFields of [
      withFieldChange(fields, 'year', undefined),
      withFieldChange(fields, 'year', { dataType: 'string' }),
    ]) {
      const refused = await steward.put(`/api/reference-types/${type}/schemas`, { schemas: changedFields });
      expect(refused).toMatchObject({
        status: 400,
        body: { code: 'FIELD_LOCKED', error: expect.stringContaining('key of data sets') },
      });
    }
    done(
      await steward.put(`/api/reference-types/${type}/schemas`, {
        schemas: withFieldChange(fields, 'year', { name: 'edition' }),
      }),
    );
    expect(done(await steward.get(`/api/reference-data/${composite}`)).primaryKeyFields).toEqual(['code', 'edition']);
    // The field is no longer locked after the data set is deleted.
    done(await steward.delete(`/api/reference-data/${composite}`));
    done(
      await steward.put(`/api/reference-types/${type}/schemas`, {
        schemas: withFieldChange(fields, 'year', undefined),
      }),
    );
  });

  it('is refused without fields, with an unknown field or with a repeated field', async () => {
    const type = await newType(steward);
    const create = (keyFields: Json) =>
      steward.post('/api/reference-data', { name: uniqueName('Keyed'), typeId: type, keyFields });
    expect(await create(['nothing'])).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('has no field "nothing"') },
    });
    expect(await create(['code', 'code'])).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('named twice') },
    });
    expect((await create([])).status).toBe(400);
    // The refused requests did not create a data set that would prevent the deletion of the type.
    done(await steward.delete(`/api/reference-types/${type}`));
  });
});
