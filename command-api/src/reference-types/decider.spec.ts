/** Specifies the commands on a reference type, and the registration of data sets and definitions that use the type. */
import type { ReferenceTypeEvent } from '@rdm/contracts';
import { describe, it } from 'vitest';
import { referenceField, registerDataSet, unregisterDataSet } from '../invariants/dependants.ts';
import { kinds } from '../runtime/stream-kinds.ts';
import { specify } from '../testing/given.ts';
import { changeDetails, changeSchema, defineType, deleteType } from './decider.ts';

const { given } = specify(kinds.referenceType);

const key = { name: 'code', dataType: 'string', isPrimaryKey: true } as const;
const label = { name: 'label', dataType: 'string', isPrimaryKey: false } as const;
const country: ReferenceTypeEvent = {
  type: 'ReferenceTypeDefined',
  data: {
    id: 7,
    name: 'Country',
    description: '',
    fields: [
      { fieldId: 1, ...key },
      { fieldId: 2, ...label },
    ],
  },
};
const used: ReferenceTypeEvent = { type: 'DataSetRegistered', data: { dataSetId: 3, keyFieldIds: [1] } };
const labelInKey: ReferenceTypeEvent = { type: 'DataSetRegistered', data: { dataSetId: 4, keyFieldIds: [1, 2] } };
const deleted: ReferenceTypeEvent = { type: 'ReferenceTypeDeleted', data: {} };
const keyReferenced: ReferenceTypeEvent = {
  type: 'FieldReferenced',
  data: { fieldId: 1, by: { kind: 'crosswalk', id: 5 } },
};

describe('defining a type', () => {
  const define = { id: 7, name: 'Country', description: '', schemas: [key, label] };

  it('numbers the fields of the type', () =>
    given()
      .when((type) => defineType(type, define))
      .then(country));
  it('is refused if the type exists', () =>
    given(country)
      .when((type) => defineType(type, define))
      .thenRefused('CONFLICT'));
  it('is refused when two fields have the same name, ignoring case', () =>
    given()
      .when((type) => defineType(type, { ...define, schemas: [key, { ...label, name: 'CODE' }] }))
      .thenRefused('INVALID', 'Two fields are named "CODE"'));
});

describe('changing name and description', () => {
  it('records only the changes', () =>
    given(country)
      .when((type) => changeDetails(type, { name: 'Land', description: '' }, 1))
      .then({ type: 'ReferenceTypeDetailsChanged', data: { name: 'Land' } }));
  it('does nothing if nothing changes', () =>
    given(country, { type: 'ReferenceTypeDetailsChanged', data: { name: 'Land' } })
      .when((type) => changeDetails(type, { name: 'Land' }, 2))
      .thenNothing());
  it('is refused with an outdated revision', () =>
    given(country, { type: 'ReferenceTypeDetailsChanged', data: { name: 'Land' } })
      .when((type) => changeDetails(type, { name: 'Pays' }, 1))
      .thenRefused('STALE'));
  it('is refused when the type is deleted', () =>
    given(country, deleted)
      .when((type) => changeDetails(type, { name: 'Land' }, undefined))
      .thenRefused('NOT_FOUND'));
});

describe('changing the schema', () => {
  const same = [
    { fieldId: 1, ...key },
    { fieldId: 2, ...label },
  ];

  it('adds new fields and retires missing ones', () =>
    given(country)
      .when((type) =>
        changeSchema(
          type,
          {
            schemas: [
              { fieldId: 1, ...key },
              { ...label, name: 'note' },
            ],
          },
          1,
        ),
      )
      .then(
        { type: 'FieldRetired', data: { fieldId: 2 } },
        { type: 'FieldAdded', data: { fieldId: 3, ...label, name: 'note' } },
      ));
  it('never reuses the id of a retired field', () =>
    given(country, { type: 'FieldRetired', data: { fieldId: 2 } })
      .when((type) => changeSchema(type, { schemas: [{ fieldId: 1, ...key }, label] }, undefined))
      .then({ type: 'FieldAdded', data: { fieldId: 3, ...label } }));
  it('renames a field although a data set and a crosswalk use it', () =>
    given(country, used, keyReferenced)
      .when((type) =>
        changeSchema(type, { schemas: [{ fieldId: 1, ...key, name: 'id' }, same[1] as never] }, undefined),
      )
      .then({ type: 'FieldRenamed', data: { fieldId: 1, name: 'id' } }));
  it('does nothing when nothing changed', () =>
    given(country)
      .when((type) => changeSchema(type, { schemas: same }, 1))
      .thenNothing());
  it('refuses to change the data type of a key field that a crosswalk uses', () =>
    given(country, keyReferenced)
      .when((type) => changeSchema(type, { schemas: [{ fieldId: 1, ...key, dataType: 'number' }, label] }, undefined))
      .thenRefused('FIELD_LOCKED'));
  it('refuses to retire a field that a crosswalk uses', () =>
    given(country, keyReferenced)
      .when((type) => changeSchema(type, { schemas: [{ fieldId: 2, ...label, isPrimaryKey: true }] }, undefined))
      .thenRefused('FIELD_LOCKED'));
  it('refuses to change the key while data sets use it', () =>
    given(country, used)
      .when((type) =>
        changeSchema(
          type,
          {
            schemas: [
              { fieldId: 1, ...key },
              { ...label, isPrimaryKey: true },
            ],
          },
          undefined,
        ),
      )
      .thenRefused(
        'FIELD_LOCKED',
        'The field "label" is locked: the key of a type cannot be changed while data sets use it',
      ));
  it('refuses to retire or retype a field that is in the key of a data set but not of its type', () => {
    given(country, labelInKey)
      .when((type) => changeSchema(type, { schemas: [{ fieldId: 1, ...key }] }, undefined))
      .thenRefused('FIELD_LOCKED', 'The field "label" is locked: it is part of the key of data sets of this type');
    given(country, labelInKey)
      .when((type) =>
        changeSchema(
          type,
          {
            schemas: [
              { fieldId: 1, ...key },
              { fieldId: 2, ...label, dataType: 'number' },
            ],
          },
          undefined,
        ),
      )
      .thenRefused('FIELD_LOCKED');
  });
  it('retires a key field of a data set after the data set is deleted', () =>
    given(country, labelInKey, { type: 'DataSetUnregistered', data: { dataSetId: 4 } })
      .when((type) => changeSchema(type, { schemas: [{ fieldId: 1, ...key }] }, undefined))
      .then({ type: 'FieldRetired', data: { fieldId: 2 } }));
  it('is refused for a field that the type never had', () =>
    given(country)
      .when((type) => changeSchema(type, { schemas: [{ fieldId: 9, ...key }] }, undefined))
      .thenRefused('INVALID'));
});

describe('deleting a type', () => {
  it('is possible while nothing uses it', () =>
    given(country)
      .when((type) => deleteType(type, 1))
      .then(deleted));
  it('is refused while a data set uses it', () =>
    given(country, used)
      .when((type) => deleteType(type, undefined))
      .thenRefused(
        'TYPE_IN_USE',
        'This reference type has associated datasets. You must delete all datasets that use this type before you can delete it.',
      ));
  it('is possible again when the last data set is deleted', () =>
    given(country, used, { type: 'DataSetUnregistered', data: { dataSetId: 3 } })
      .when((type) => deleteType(type, undefined))
      .then(deleted));
  it('is refused if the type is already deleted', () =>
    given(country, deleted)
      .when((type) => deleteType(type, undefined))
      .thenRefused('NOT_FOUND'));
});

describe('registering dependants of a type', () => {
  it('registers a data set once', () => {
    given(country)
      .when((type) => registerDataSet(type, 3))
      .then(used);
    given(country, used)
      .when((type) => registerDataSet(type, 3))
      .thenNothing();
  });
  it('registers the chosen key, in the order of the fields', () =>
    given(country)
      .when((type) => registerDataSet(type, 4, ['label', 'code']))
      .then(labelInKey));
  it('refuses a key field that the type does not have', () =>
    given(country)
      .when((type) => registerDataSet(type, 4, ['nothing']))
      .thenRefused('INVALID', '"Country" has no field "nothing": choose one of code, label'));
  it('refuses a data set of a deleted type', () =>
    given(country, deleted)
      .when((type) => registerDataSet(type, 3))
      .thenRefused('NOT_FOUND'));
  it('unregisters only registered dependants', () => {
    given(country, used)
      .when((type) => unregisterDataSet(type, 3))
      .then({ type: 'DataSetUnregistered', data: { dataSetId: 3 } });
    given(country)
      .when((type) => unregisterDataSet(type, 3))
      .thenNothing();
  });
  it('refuses references to a retired field', () =>
    given(country, { type: 'FieldRetired', data: { fieldId: 2 } })
      .when((type) => referenceField(type, 2, { kind: 'crosswalk', id: 5 }))
      .thenRefused('CONFLICT'));
});
