/** Specifies how events and states become paths and values, and which entities the values name. */
import { describe, expect, it } from 'vitest';
import { flatten, namedAt, namedByPath } from './named-values.ts';

describe('a state as paths', () => {
  it('contains every non-empty leaf value by its path', () => {
    expect(flatten({ name: 'Country', fields: [{ id: 1, key: false }], tags: [], owner: null, note: '' })).toEqual({
      name: 'Country',
      'fields[0].id': '1',
      'fields[0].key': 'false',
    });
  });

  it('contains the cells of an imported row by field', () => {
    expect(flatten({ fieldIds: [1, 2], rows: [[64, 'DE', 'Germany']] })).toMatchObject({
      'rows[0].id': '64',
      'rows[0].values.1': 'DE',
      'rows[0].values.2': 'Germany',
    });
  });

  it('is empty before the entity exists', () => {
    expect(flatten(null)).toEqual({});
    expect(flatten(undefined)).toEqual({});
  });
});

describe('a value', () => {
  const named = (value: unknown) => {
    const flat = flatten(value);
    return Object.keys(flat).map((path) => namedAt(flat, path));
  };

  it.each([
    [{ typeId: 5 }, 'referenceType:5'],
    [{ value: { sourceSystemId: 5 } }, 'dataSet:5'],
    [{ keyFieldIds: [2] }, 'field:2'],
    [{ targetFieldId: 2 }, 'targetField:2'],
    [{ authors: [3] }, 'user:3'],
    [{ entityId: 3 }, undefined],
    [{ revision: 3 }, undefined],
    // A count of an import has the same name as the list of members that an event removes from a group.
    [{ removed: 3 }, undefined],
    [{ request: { columns: { typeId: 3 } } }, undefined],
  ])('of %j names %s', (value, expected) => {
    expect(named(value)).toEqual([expected]);
  });

  it('names an entity whose kind is in the same object or in the value itself', () => {
    expect(named({ granted: [{ entityType: 'group', entityId: 3 }] })).toEqual([undefined, 'group:3']);
    expect(named({ fieldId: 1, by: { kind: 'crosswalk', id: 3 } })).toEqual(['field:1', undefined, 'crosswalk:3']);
    expect(named({ fields: [{ referencedBy: ['relationship:4'] }] })).toEqual(['relationship:4']);
  });
});

it('names the field, attribute or grantee in a path', () => {
  expect(namedByPath('rows[0].values.1')).toBe('field:1');
  expect(namedByPath('value.attributes.2')).toBe('attribute:2');
  expect(namedByPath('grants.user:3')).toBe('user:3');
  expect(namedByPath('value.sourceValue')).toBeUndefined();
});
