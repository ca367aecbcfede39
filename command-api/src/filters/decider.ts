/**
 * Rules of saved filters and filter configurations: which filters users may save and change, and which configurations
 * are valid.
 */
import {
  type ChangeFilterConfiguration,
  type ChangeSavedFilter,
  type CreateFilterConfiguration,
  type CreateSavedFilter,
  type FieldIds,
  type FilterConfiguration,
  type FilterConfigurationEvent,
  type FilterDataType,
  type ListView,
  OPERATORS_OF,
  personalFieldIn,
  Refusal,
  type SavedFilter,
  type SavedFilterEvent,
} from '@rdm/contracts';
import { type Decision, decided, nothing } from '../runtime/decision.ts';
import { requireExpectedRevision } from '../runtime/expected-revision.ts';

export function createSavedFilter(
  filter: SavedFilter | undefined,
  {
    id,
    ownerId,
    name,
    entity,
    view,
    fieldIds,
    isShared,
  }: CreateSavedFilter & { id: number; ownerId: number; fieldIds: FieldIds },
): Decision<SavedFilterEvent> {
  if (filter) throw new Refusal('CONFLICT', 'This saved filter exists already');
  requireImpersonal(entity, view);
  return decided({ type: 'SavedFilterCreated', data: { id, name, entity, view, fieldIds, isShared, ownerId } });
}

function requireImpersonal(entity: string, view: ListView): void {
  const field = personalFieldIn(entity, view);
  if (field === null) return;
  const value = field === 'q' ? 'The search text may name' : `The value of “${field}” names`;
  throw new Refusal(
    'INVALID',
    `${value} a person, and saved filters must not contain such names: share the address of the page instead`,
  );
}

/** Returns the filter. Throws NOT_FOUND if it is missing or deleted, or is a private filter of another user. */
export function existingFilter(filter: SavedFilter | undefined, userId: number): SavedFilter {
  if (!filter || filter.deleted || (filter.ownerId !== userId && !filter.isShared)) {
    throw new Refusal('NOT_FOUND', 'This saved filter does not exist');
  }
  return filter;
}

/** Changes a filter. Only the owner may change it: a change of a shared filter would surprise its other users. */
export function changeSavedFilter(
  filter: SavedFilter | undefined,
  { userId, ...command }: ChangeSavedFilter & { userId: number; fieldIds?: FieldIds },
  expectedRevision: number | undefined,
): Decision<SavedFilterEvent, { nameBefore: string }> {
  const current = requireExpectedRevision(existingFilter(filter, userId), expectedRevision, 'saved filter');
  if (current.ownerId !== userId) {
    throw new Refusal('FORBIDDEN', 'Only the owner can change a saved filter: save your own filter instead');
  }
  if (command.view) requireImpersonal(current.entity, command.view);
  const changed = changesOf(current, command);
  // The field ids belong to the view, so both are stored together.
  if (changed.view ?? changed.fieldIds) Object.assign(changed, { view: command.view, fieldIds: command.fieldIds });
  return {
    events: Object.keys(changed).length === 0 ? [] : [{ type: 'SavedFilterChanged', data: changed }],
    result: { nameBefore: current.name },
  };
}

/**
 * Deletes a filter for its owner. Administrators may delete shared filters of other users, because owners can leave.
 */
export function deleteSavedFilter(
  filter: SavedFilter | undefined,
  by: { userId: number; isAdmin: boolean },
  expectedRevision: number | undefined,
): Decision<SavedFilterEvent, SavedFilter> {
  const current = requireExpectedRevision(existingFilter(filter, by.userId), expectedRevision, 'saved filter');
  if (current.ownerId !== by.userId && !by.isAdmin) {
    throw new Refusal('FORBIDDEN', 'Only the owner or an administrator can delete a saved filter');
  }
  return { events: [{ type: 'SavedFilterDeleted', data: {} }], result: current };
}

/** A field of a data set that a configuration applies to. */
export interface ConfiguredField {
  fieldId: number;
  dataType: FilterDataType;
}

/** The path of the field in a row. A data set's field is addressed by id, because its name can change. */
export const fieldPath = (fieldName: string, field: ConfiguredField | undefined): string =>
  field ? `data.${field.fieldId}` : fieldName;

/**
 * Creates a configuration with defaults for omitted values. The data type of a data set's field overrides the data type
 * of the command.
 */
export function createConfiguration(
  configuration: FilterConfiguration | undefined,
  command: CreateFilterConfiguration & { id: number },
  field: ConfiguredField | undefined,
): Decision<FilterConfigurationEvent> {
  if (configuration) throw new Refusal('CONFLICT', 'This filter configuration exists already');
  const dataType = field?.dataType ?? command.dataType;
  const data = {
    id: command.id,
    entityType: command.entityType,
    fieldName: command.fieldName,
    fieldPath: fieldPath(command.fieldName, field),
    fieldId: field?.fieldId ?? null,
    dataType,
    allowedOperators: command.allowedOperators ?? [...OPERATORS_OF[dataType]],
    defaultOperator: command.defaultOperator ?? null,
    validation: command.validation ?? null,
    displayName: command.displayName ?? '',
    description: command.description ?? '',
    isActive: command.isActive ?? true,
  };
  requireValid(data);
  return decided({ type: 'FilterConfigurationCreated', data });
}

export function changeConfiguration(
  configuration: FilterConfiguration | undefined,
  command: ChangeFilterConfiguration,
  expectedRevision: number | undefined,
): Decision<FilterConfigurationEvent> {
  const current = requireExpectedRevision(
    existingConfiguration(configuration),
    expectedRevision,
    'filter configuration',
  );
  const changed = changesOf(current, command);
  if (Object.keys(changed).length === 0) return nothing();
  requireValid({ ...current, ...changed });
  return decided({ type: 'FilterConfigurationChanged', data: changed });
}

export function deleteConfiguration(
  configuration: FilterConfiguration | undefined,
  expectedRevision: number | undefined,
): Decision<FilterConfigurationEvent> {
  requireExpectedRevision(existingConfiguration(configuration), expectedRevision, 'filter configuration');
  return decided({ type: 'FilterConfigurationDeleted', data: {} });
}

export function existingConfiguration(configuration: FilterConfiguration | undefined): FilterConfiguration {
  if (!configuration || configuration.deleted) {
    throw new Refusal('NOT_FOUND', 'This filter configuration does not exist');
  }
  return configuration;
}

type ValidatedProperties = Pick<
  FilterConfiguration,
  'fieldName' | 'dataType' | 'allowedOperators' | 'defaultOperator' | 'validation'
>;

function requireValid({
  fieldName,
  dataType,
  allowedOperators,
  defaultOperator,
  validation,
}: ValidatedProperties): void {
  if (allowedOperators.length === 0) {
    throw new Refusal('INVALID', `Choose at least one operator for “${fieldName}”, or make the configuration inactive`);
  }
  const unsuited = allowedOperators.find((operator) => !OPERATORS_OF[dataType].includes(operator));
  if (unsuited !== undefined) {
    throw new Refusal(
      'INVALID',
      `“${unsuited}” does not apply to “${fieldName}”: for ${dataType} choose from ${OPERATORS_OF[dataType].join(', ')}`,
    );
  }
  if (defaultOperator !== null && !allowedOperators.includes(defaultOperator)) {
    throw new Refusal(
      'INVALID',
      `The default operator “${defaultOperator}” is not among the allowed operators: choose another one`,
    );
  }
  const { minLength, maxLength, min, max } = validation ?? { minLength: null, maxLength: null, min: null, max: null };
  if ((minLength ?? 0) > (maxLength ?? Infinity) || (min ?? -Infinity) > (max ?? Infinity)) {
    throw new Refusal('INVALID', `No value of “${fieldName}” can be valid: the lower bound is above the upper one`);
  }
}

type Changes<Command> = { [Name in keyof Command]?: Exclude<Command[Name], undefined> };

/** The properties of a command that differ from the current state. */
function changesOf<Command extends object>(current: object, command: Command): Changes<Command> {
  const differs = ([name, value]: [string, unknown]) =>
    value !== undefined && JSON.stringify(value) !== JSON.stringify((current as Record<string, unknown>)[name]);
  return Object.fromEntries(Object.entries(command).filter(differs)) as Changes<Command>;
}
