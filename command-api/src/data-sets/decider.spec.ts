/** Specifies the rules of data sets, the reading of rows, and the rules of instances. */
import { type DataSetEvent, type InstanceBucket, type InstanceEvent, type ReferenceType, rowId } from '@rdm/contracts';
import { dataSetCreated } from '@rdm/contracts/testing/events';
import { describe, expect, it } from 'vitest';
import { registerOnDataSet, unregisterOnDataSet } from '../invariants/dependants.ts';
import { endExclusiveImport, startExclusiveImport } from '../invariants/exclusive-import.ts';
import { kinds } from '../runtime/stream-kinds.ts';
import { specify } from '../testing/given.ts';
import { abandonDataSet, changeDataSet, createDataSet, deleteDataSet } from './decider.ts';
import {
  addInstances,
  changeInstances,
  missingKeyField,
  readRow,
  removeInstances,
  restoreInstances,
} from './instances.ts';

const { given } = specify(kinds.dataSet, 1);
const country: ReferenceType = {
  id: 7,
  name: 'Country',
  description: '',
  deleted: false,
  revision: 1,
  schemaRevision: 4,
  dataSetIds: [],
  fields: [
    {
      fieldId: 1,
      name: 'code',
      dataType: 'string',
      isPrimaryKey: true,
      retired: false,
      referencedBy: [],
      keyOf: [3, 4],
    },
    {
      fieldId: 2,
      name: 'people',
      dataType: 'number',
      isPrimaryKey: false,
      retired: false,
      referencedBy: [],
      keyOf: [4],
    },
    { fieldId: 3, name: 'old', dataType: 'string', isPrimaryKey: false, retired: true, referencedBy: [] },
  ],
};
const created = dataSetCreated({ id: 3, name: 'ISO 2', typeId: 7 });
const crosswalk = { kind: 'crosswalk', id: 5 } as const;

describe('a data set', () => {
  it('has the key fields that its type has registered for it', () => {
    given()
      .when((state) =>
        createDataSet(state, { id: 3, name: 'ISO 2', description: '', typeId: 7, isPublic: false }, country),
      )
      .then(created);
    given()
      .when((state) =>
        createDataSet(state, { id: 4, name: 'ISO 2', description: '', typeId: 7, isPublic: false }, country),
      )
      .then({ type: 'DataSetCreated', data: { ...created.data, id: 4, keyFieldIds: [1, 2] } as never });
  });
  it('is published at its creation if requested', () => {
    given()
      .when((state) =>
        createDataSet(state, { id: 3, name: 'ISO 2', description: '', typeId: 7, isPublic: true }, country),
      )
      .then(created, { type: 'DataSetPublished', data: {} });
  });
  it('cannot be created after it was abandoned, nor abandoned after it was created', () => {
    given()
      .when((state) => abandonDataSet(state, 3, 7))
      .then({ type: 'DataSetAbandoned', data: { id: 3, typeId: 7 } });
    given({ type: 'DataSetAbandoned', data: { id: 3, typeId: 7 } })
      .when((state) =>
        createDataSet(state, { id: 3, name: 'ISO 2', description: '', typeId: 7, isPublic: false }, country),
      )
      .thenRefused('CONFLICT');
    expect(
      given(created)
        .when((state) => abandonDataSet(state, 3, 7))
        .result(),
    ).toEqual({ abandoned: false });
  });
  it('records only the details that differ, and the publication as an event of its own', () =>
    given(created)
      .when((state) => changeDataSet(state, { name: 'ISO 2', description: 'two letters', isPublic: true }, 1, country))
      .then(
        { type: 'DataSetDetailsChanged', data: { description: 'two letters' } },
        { type: 'DataSetPublished', data: {} },
      ));
  it('has a label field that can be chosen and reset, and that is a current field of its type', () => {
    given()
      .when((state) =>
        createDataSet(
          state,
          { id: 3, name: 'ISO 2', description: '', typeId: 7, isPublic: false, labelField: 'people' },
          country,
        ),
      )
      .then({ type: 'DataSetCreated', data: { ...created.data, labelFieldId: 2 } as never });
    given()
      .when((state) =>
        createDataSet(
          state,
          { id: 3, name: 'ISO 2', description: '', typeId: 7, isPublic: false, labelField: null },
          country,
        ),
      )
      .then(created);
    given(created)
      .when((state) => changeDataSet(state, { labelField: 'people' }, 1, country))
      .then({ type: 'DataSetDetailsChanged', data: { labelFieldId: 2 } });
    const labelled: DataSetEvent = { type: 'DataSetDetailsChanged', data: { labelFieldId: 2 } };
    given(created, labelled)
      .when((state) => changeDataSet(state, { labelField: 'people' }, 2, country))
      .then();
    given(created, labelled)
      .when((state) => changeDataSet(state, { labelField: null }, 2, country))
      .then({ type: 'DataSetDetailsChanged', data: { labelFieldId: null } });
    for (const labelField of ['old', 'nothing'])
      given(created)
        .when((state) => changeDataSet(state, { labelField }, 1, country))
        .thenRefused('INVALID');
  });
  it('refuses a change with an outdated revision', () =>
    given(created, { type: 'DataSetPublished', data: {} })
      .when((state) => changeDataSet(state, { name: 'x' }, 1, country))
      .thenRefused('STALE'));
  it('is not deleted while a crosswalk uses it', () => {
    const registered: DataSetEvent = { type: 'CrosswalkRegistered', data: { id: 5 } };
    given(created)
      .when((state) => registerOnDataSet(state, crosswalk))
      .then(registered);
    given(created, registered)
      .when((state) => registerOnDataSet(state, crosswalk))
      .thenNothing();
    given(created, registered)
      .when((state) => deleteDataSet(state, undefined))
      .thenRefused('IN_USE');
    given(created, registered)
      .when((state) => unregisterOnDataSet(state, crosswalk))
      .then({ type: 'CrosswalkUnregistered', data: { id: 5 } });
    given(created, registered, { type: 'CrosswalkUnregistered', data: { id: 5 } })
      .when((state) => deleteDataSet(state, undefined))
      .then({ type: 'DataSetDeleted', data: {} });
  });
  it('refuses new dependants once it is deleted', () =>
    given(created, { type: 'DataSetDeleted', data: {} })
      .when((state) => registerOnDataSet(state, crosswalk))
      .thenRefused('NOT_FOUND'));
  it('is locked by one exclusive import at a time', () => {
    const importStarted: DataSetEvent = { type: 'ExclusiveImportStarted', data: { jobId: 8 } };
    given(created)
      .when((state) => startExclusiveImport(state, 8))
      .then(importStarted);
    given(created, importStarted)
      .when((state) => startExclusiveImport(state, 8))
      .thenNothing();
    given(created, importStarted)
      .when((state) => startExclusiveImport(state, 9))
      .thenRefused('EXCLUSIVE_IMPORT');
    given(created, importStarted)
      .when((state) => endExclusiveImport(state, 8))
      .then({ type: 'ExclusiveImportEnded', data: { jobId: 8 } });
    given(created)
      .when((state) => endExclusiveImport(state, 8))
      .thenNothing();
  });
});

describe('reading a row', () => {
  it('accepts only values of the type of their field, and only current fields', () => {
    expect(readRow(country, { code: '007', people: 5 })).toEqual({ ok: true, values: { 1: '007', 2: 5 } });
    expect(readRow(country, { people: '5' })).toMatchObject({ ok: false, field: 'people' });
    expect(readRow(country, { nope: 'x' })).toMatchObject({ ok: false, field: 'nope' });
    expect(readRow(country, { old: 'x' })).toMatchObject({ ok: false, field: 'old' });
  });
  it('refuses a cell if its field was renamed or retired after the user entered the value', () => {
    expect(readRow(country, { people: 5 }, { people: 2 })).toEqual({ ok: true, values: { 2: 5 } });
    expect(readRow(country, { people: 5 }, { people: 7 })).toMatchObject({ ok: false, field: 'people' });
    expect(readRow(country, { old: 'x' }, { old: 3 })).toMatchObject({
      reason: expect.stringContaining('renamed or removed'),
    });
  });
  it('names the empty key field', () => {
    expect(missingKeyField(country, [1], { 2: 5 })).toBe('code');
    expect(missingKeyField(country, [1], { 1: 'DE' })).toBeNull();
  });
});

describe('instances', () => {
  const rows = specify(kinds.instances);
  const schema = { schemaRevision: 4, keyFieldIds: [1] };
  const id = rowId(10, '["DE"]');
  const added: InstanceEvent = {
    type: 'InstancesAdded',
    data: { ...schema, rows: [{ id, values: { 1: 'DE', 2: 80 } }] },
  };
  const removed: InstanceEvent = { type: 'InstancesRemoved', data: { ids: [id] } };
  const add = (sequence: number, code: string) => (state: InstanceBucket) =>
    addInstances(state, [{ index: 0, sequence, values: { 1: code, 2: 80 } }], schema);

  it('are added under an id that contains their bucket', () => rows.given().when(add(10, 'DE')).then(added));
  it('report the display key of a duplicate', () => {
    const twice = [10, 11].map((sequence, index) => ({ index, sequence, values: { 1: 'DE', 2: 80 } }));
    const { result } = addInstances(kinds.instances.initial(), twice, { ...schema, keyFieldIds: [1, 2] });
    expect(result[1]).toMatchObject({ message: 'The key "DE · 80" exists already', key: 'DE · 80' });
  });
  it('have unique keys, also within one request', () => {
    rows.given(added).when(add(11, 'DE')).then().refusing(0, 'DUPLICATE_KEY');
    const twice = [
      { index: 0, sequence: 10, values: { 1: 'DE', 2: 80 } },
      { index: 1, sequence: 11, values: { 1: 'DE', 2: 81 } },
    ];
    rows
      .given()
      .when((state) => addInstances(state, twice, schema))
      .then(added)
      .refusing(1, 'DUPLICATE_KEY');
  });
  it('change only at their current revision, and never change their key', () => {
    const change = (revision: number, values: Record<string, string | number>) => (state: InstanceBucket) =>
      changeInstances(state, [{ id, revision, values }], schema);
    rows
      .given(added)
      .when(change(1, { 2: 83 }))
      .then({ type: 'InstancesChanged', data: { schemaRevision: 4, rows: [{ id, values: { 2: 83 } }] } });
    rows
      .given(added)
      .when(change(1, { 2: 80 }))
      .thenNothing();
    rows
      .given(added)
      .when(change(2, { 2: 83 }))
      .then()
      .refusing(id, 'STALE');
    rows
      .given(added)
      .when(change(1, { 1: 'FR' }))
      .then()
      .refusing(id, 'KEY_IMMUTABLE');
    rows
      .given(added, removed)
      .when(change(2, { 2: 83 }))
      .then()
      .refusing(id, 'DELETED');
  });
  it('refuse a second change or removal in the same request as stale', () => {
    const row = { id, revision: 1 };
    const changed = rows.given(added).when((state) =>
      changeInstances(
        state,
        [
          { ...row, values: { 2: 83 } },
          { ...row, values: { 2: 84 } },
        ],
        schema,
      ),
    );
    changed.then({ type: 'InstancesChanged', data: { schemaRevision: 4, rows: [{ id, values: { 2: 83 } }] } });
    expect(changed.result()).toMatchObject([{ outcome: 'done', revision: 2 }, { code: 'STALE' }]);
    const removal = rows.given(added).when((state) => removeInstances(state, [row, row]));
    removal.then(removed);
    expect(removal.result()).toMatchObject([{ outcome: 'done', revision: 2 }, { code: 'STALE' }]);
  });
  it('are removed once, and restored while their key is unused', () => {
    rows
      .given(added)
      .when((state) => removeInstances(state, [{ id, revision: 1 }]))
      .then(removed);
    rows
      .given(added, removed)
      .when((state) => removeInstances(state, [{ id, revision: 2 }]))
      .then()
      .refusing(id, 'DELETED');
    rows
      .given(added, removed)
      .when((state) => restoreInstances(state, [{ id, revision: 2 }]))
      .then({ type: 'InstancesRestored', data: { ids: [id] } });
    const other = rowId(11, '["DE"]');
    rows
      .given(added, removed, {
        type: 'InstancesAdded',
        data: { ...schema, rows: [{ id: other, values: { 1: 'DE' } }] },
      })
      .when((state) => restoreInstances(state, [{ id, revision: 2 }]))
      .then()
      .refusing(id, 'DUPLICATE_KEY');
  });
});
