/** Specifies saved filters and filter configurations. */
import type {
  ChangeFilterConfiguration,
  ChangeSavedFilter,
  CreateFilterConfiguration,
  FieldIds,
  FilterConfiguration,
  FilterConfigurationEvent,
  SavedFilter,
  SavedFilterEvent,
} from '@rdm/contracts';
import { describe, it } from 'vitest';
import { kinds } from '../runtime/stream-kinds.ts';
import { specify } from '../testing/given.ts';
import {
  changeConfiguration,
  changeSavedFilter,
  createConfiguration,
  createSavedFilter,
  deleteConfiguration,
  deleteSavedFilter,
} from './decider.ts';

const OWNER = 4;
const OTHER = 5;
const view = {
  filter: { logic: 'AND' as const, conditions: [{ field: 'code', operator: 'starts_with' as const, value: '0' }] },
  q: null,
  sort: 'code',
  order: 'DESC' as const,
  columns: ['code'],
};
const command = { name: 'Leading zeros', entity: 'data-set:12', view, fieldIds: { code: 3 }, isShared: false };

const saved = (isShared = false): SavedFilterEvent => ({
  type: 'SavedFilterCreated',
  data: { ...command, id: 7, ownerId: OWNER, isShared },
});
const deleted: SavedFilterEvent = { type: 'SavedFilterDeleted', data: {} };
const filters = specify(kinds.savedFilter);

describe('saving a filter', () => {
  it('stores the view of the list', () =>
    filters
      .given()
      .when((filter) => createSavedFilter(filter, { ...command, id: 7, ownerId: OWNER }))
      .then(saved()));

  const viewBy = (field: string) => ({
    ...view,
    filter: {
      logic: 'OR' as const,
      conditions: [
        { field: 'id', operator: 'equals' as const, value: 1 },
        { logic: 'AND' as const, conditions: [{ field, operator: 'equals' as const, value: 'ada@example.com' }] },
      ],
    },
  });

  it.each([
    ['users', viewBy('email')],
    ['login-attempts', viewBy('username')],
    ['audit', viewBy('ipAddress')],
    ['users', { ...view, filter: null, q: 'ada' }],
  ])('of the list %s is refused if the view filters by personal data', (entity, personalView) =>
    filters
      .given()
      .when((filter) => createSavedFilter(filter, { ...command, entity, view: personalView, id: 7, ownerId: OWNER }))
      .thenRefused('INVALID'),
  );

  it('of a list with personal data is allowed if the filter uses no personal field', () => {
    const impersonal = { ...command, entity: 'audit', view: viewBy('severity') };
    return filters
      .given()
      .when((filter) => createSavedFilter(filter, { ...impersonal, id: 7, ownerId: OWNER }))
      .then({ type: 'SavedFilterCreated', data: { ...impersonal, id: 7, ownerId: OWNER } });
  });

  it('is refused if the filter exists already', () =>
    filters
      .given(saved())
      .when((filter) => createSavedFilter(filter, { ...command, id: 7, ownerId: OWNER }))
      .thenRefused('CONFLICT'));
});

describe('changing a saved filter', () => {
  const change =
    (body: ChangeSavedFilter & { fieldIds?: FieldIds }, expectedRevision?: number, userId = OWNER) =>
    (filter: SavedFilter | undefined) =>
      changeSavedFilter(filter, { ...body, userId }, expectedRevision);

  it('records only the changes', () =>
    filters
      .given(saved())
      .when(change({ name: 'Zeros', view, isShared: true }))
      .then({ type: 'SavedFilterChanged', data: { name: 'Zeros', isShared: true } }));

  it('records field ids and view together, also if only the ids change', () => {
    const other = { ...view, sort: 'name' };
    filters
      .given(saved())
      .when(change({ view: other, fieldIds: { code: 3, name: 4 } }))
      .then({ type: 'SavedFilterChanged', data: { view: other, fieldIds: { code: 3, name: 4 } } });
    filters
      .given(saved())
      .when(change({ view, fieldIds: { code: 9 } }))
      .then({ type: 'SavedFilterChanged', data: { view, fieldIds: { code: 9 } } });
    filters
      .given(saved())
      .when(change({ view, fieldIds: { code: 3 } }))
      .thenNothing();
  });

  it('does nothing if nothing changes', () =>
    filters
      .given(saved(), { type: 'SavedFilterChanged', data: { name: 'Zeros' } })
      .when(change({ name: 'Zeros' }))
      .thenNothing());

  it('is refused with an outdated revision', () =>
    filters
      .given(saved(), { type: 'SavedFilterChanged', data: { isShared: true } })
      .when(change({ name: 'Zeros' }, 1))
      .thenRefused('STALE'));

  it('is refused to other users', () => {
    filters
      .given(saved(true))
      .when(change({ name: 'Mine now' }, undefined, OTHER))
      .thenRefused('FORBIDDEN');
    filters
      .given(saved())
      .when(change({ name: 'Mine now' }, undefined, OTHER))
      .thenRefused('NOT_FOUND');
  });

  it('is refused once the filter was deleted', () =>
    filters
      .given(saved(), deleted)
      .when(change({ name: 'Zeros' }))
      .thenRefused('NOT_FOUND'));
});

describe('deleting a saved filter', () => {
  const remove =
    (userId: number, isAdmin = false) =>
    (filter: SavedFilter | undefined) =>
      deleteSavedFilter(filter, { userId, isAdmin }, undefined);

  it('is allowed to the owner, and to administrators if the filter is shared', () => {
    filters.given(saved()).when(remove(OWNER)).then(deleted);
    filters.given(saved(true)).when(remove(OTHER, true)).then(deleted);
  });

  it('is refused to other users, and to administrators if the filter is private', () => {
    filters.given(saved(true)).when(remove(OTHER)).thenRefused('FORBIDDEN');
    filters.given(saved()).when(remove(OTHER, true)).thenRefused('NOT_FOUND');
  });

  it('is refused if the filter is already deleted', () =>
    filters.given(saved(), deleted).when(remove(OWNER)).thenRefused('NOT_FOUND'));
});

const configuration: CreateFilterConfiguration = {
  entityType: 'data-set:12',
  fieldName: 'code',
  dataType: 'string',
  allowedOperators: ['equals', 'starts_with'],
  defaultOperator: 'starts_with',
};
const configured: FilterConfigurationEvent = {
  type: 'FilterConfigurationCreated',
  data: {
    id: 3,
    entityType: 'data-set:12',
    fieldName: 'code',
    fieldPath: 'code',
    fieldId: null,
    dataType: 'string',
    allowedOperators: ['equals', 'starts_with'],
    defaultOperator: 'starts_with',
    validation: null,
    displayName: '',
    description: '',
    isActive: true,
  },
};
const configurations = specify(kinds.filterConfiguration);
const create = (more: Partial<CreateFilterConfiguration> = {}, field?: Parameters<typeof createConfiguration>[2]) =>
  configurations.given().when((state) => createConfiguration(state, { ...configuration, ...more, id: 3 }, field));

describe('configuring a field', () => {
  it('records the offered operators', () => create().then(configured));

  it('offers all operators of the data set field’s data type by default', () => {
    const { allowedOperators: _, defaultOperator: __, ...plain } = configuration;
    configurations
      .given()
      .when((state) => createConfiguration(state, { ...plain, id: 3 }, { fieldId: 9, dataType: 'boolean' }))
      .then({
        ...configured,
        data: {
          ...configured.data,
          fieldPath: 'data.9',
          fieldId: 9,
          dataType: 'boolean',
          allowedOperators: ['equals', 'not_equals', 'in', 'not_in', 'is_null', 'is_not_null'],
          defaultOperator: null,
        },
      } as FilterConfigurationEvent);
  });

  it('is refused with an operator that the data type does not have', () =>
    create({ dataType: 'boolean', allowedOperators: ['regex'], defaultOperator: null }).thenRefused(
      'INVALID',
      '“regex” does not apply to “code”: for boolean choose from equals, not_equals, in, not_in, is_null, is_not_null',
    ));

  it('is refused with inconsistent operators or bounds', () => {
    create({ allowedOperators: [], defaultOperator: null }).thenRefused('INVALID');
    create({ defaultOperator: 'regex' }).thenRefused('INVALID');
    create({ validation: { minLength: 5, maxLength: 4, min: null, max: null } }).thenRefused('INVALID');
    create({ validation: { minLength: null, maxLength: null, min: 2, max: 1 } }).thenRefused('INVALID');
  });
});

describe('changing a configuration', () => {
  const change =
    (body: ChangeFilterConfiguration, expectedRevision?: number) => (state: FilterConfiguration | undefined) =>
      changeConfiguration(state, body, expectedRevision);

  it('records only the changes, and nothing if nothing changes', () => {
    configurations
      .given(configured)
      .when(change({ isActive: false, displayName: '' }))
      .then({ type: 'FilterConfigurationChanged', data: { isActive: false } });
    configurations
      .given(configured, { type: 'FilterConfigurationChanged', data: { isActive: false } })
      .when(change({ isActive: false }))
      .thenNothing();
  });

  it('is refused with an invalid default operator or an outdated revision', () => {
    configurations
      .given(configured)
      .when(change({ allowedOperators: ['equals'] }))
      .thenRefused(
        'INVALID',
        'The default operator “starts_with” is not among the allowed operators: choose another one',
      );
    configurations
      .given(configured)
      .when(change({ displayName: 'Code' }, 9))
      .thenRefused('STALE');
  });
});

describe('deleting a configuration', () => {
  const removed: FilterConfigurationEvent = { type: 'FilterConfigurationDeleted', data: {} };
  const remove = (state: FilterConfiguration | undefined) => deleteConfiguration(state, undefined);

  it('removes the configuration, and is refused if there is none', () => {
    configurations.given(configured).when(remove).then(removed);
    configurations.given(configured, removed).when(remove).thenRefused('NOT_FOUND');
  });
});
