/** Tests the folds of saved filters and filter configurations, including repeated events. */
import type { FilterConfigurationEvent, SavedFilterEvent } from '@rdm/contracts';
import { describe, expect, it } from 'vitest';
import type { NumberedEvent } from '../engine/numbered-event.ts';
import type { FoldedTable, Row } from '../tables/folded-table.ts';
import { configurationRows } from './filter-configurations.ts';
import { savedFilterRows } from './saved-filters.ts';

const AT = '2026-01-01T00:00:00.000Z';
const LATER = '2026-01-02T00:00:00.000Z';
const view = { filter: null, q: 'euro', sort: 'code', order: null, columns: ['code'] };

function folded<R extends Row, E extends SavedFilterEvent | FilterConfigurationEvent>(
  table: FoldedTable<R, E>,
  ...events: E[]
): R | undefined {
  let row: R | undefined;
  events.forEach((event, index) => {
    const occurredAt = index === 0 ? AT : LATER;
    const numberedEvent = { ...event, entityId: 7, seq: index + 1, metadata: { occurredAt, actorId: 4 } };
    [row] = table.fold(numberedEvent as unknown as NumberedEvent<E>, [row]) as [R | undefined];
  });
  return row;
}

const saved: SavedFilterEvent = {
  type: 'SavedFilterCreated',
  data: { id: 7, name: 'Euro', entity: 'data-set:12', view, fieldIds: { code: 3 }, isShared: false, ownerId: 4 },
};
const configured: FilterConfigurationEvent = {
  type: 'FilterConfigurationCreated',
  data: {
    id: 7,
    entityType: 'audit',
    fieldName: 'action',
    fieldPath: 'action',
    fieldId: null,
    dataType: 'string',
    allowedOperators: ['equals', 'in'],
    defaultOperator: 'in',
    validation: null,
    displayName: '',
    description: '',
    isActive: true,
  },
};

describe('a saved filter', () => {
  it('is stored with its list and the subject of the list', () =>
    expect(folded(savedFilterRows, saved)).toEqual({
      id: 7,
      name: 'Euro',
      entity: 'data-set:12',
      list: 'data-set',
      subject_id: 12,
      view,
      field_ids: { code: 3 },
      is_shared: false,
      owner_id: 4,
      revision: 1,
      created_at: AT,
      updated_at: AT,
    }));

  it('keeps fields that a change does not name', () =>
    expect(folded(savedFilterRows, saved, { type: 'SavedFilterChanged', data: { isShared: true } })).toMatchObject({
      name: 'Euro',
      view,
      is_shared: true,
      revision: 2,
      created_at: AT,
      updated_at: LATER,
    }));

  it('ignores repeated events', () => {
    expect(folded(savedFilterRows, saved, saved)).toMatchObject({ id: 7, revision: 1 });
    const deleted: SavedFilterEvent = { type: 'SavedFilterDeleted', data: {} };
    expect(folded(savedFilterRows, saved, deleted)).toBeUndefined();
    expect(folded(savedFilterRows, saved, deleted, deleted)).toBeUndefined();
  });
});

describe('a filter configuration', () => {
  it('is stored with its list and its fields', () =>
    expect(folded(configurationRows, configured)).toMatchObject({
      entity_type: 'audit',
      list: 'audit',
      subject_id: null,
      field_name: 'action',
      allowed_operators: ['equals', 'in'],
      default_operator: 'in',
      revision: 1,
    }));

  it('keeps fields that a change does not name, until it is deleted', () => {
    const changed: FilterConfigurationEvent = { type: 'FilterConfigurationChanged', data: { isActive: false } };
    expect(folded(configurationRows, configured, changed)).toMatchObject({
      is_active: false,
      allowed_operators: ['equals', 'in'],
      revision: 2,
    });
    const deleted: FilterConfigurationEvent = { type: 'FilterConfigurationDeleted', data: {} };
    expect(folded(configurationRows, configured, changed, deleted, deleted)).toBeUndefined();
  });
});
