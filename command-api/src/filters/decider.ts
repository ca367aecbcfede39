/** Saved filters and filter configurations: what may be kept, by whom it is changed, and what a configuration may say. */
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
  personalIn,
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
  const field = personalIn(entity, view);
  if (field === null) return;
  throw new Refusal(
    'INVALID',
    `What is looked for by “${field}” names a person and is not kept under a name: share the address of the page instead`,
  );
}

/** The filter, if it is there for whoever asks: what somebody keeps to themselves does not exist for others. */
export function existingFilter(filter: SavedFilter | undefined, userId: number): SavedFilter {
  if (!filter || filter.deleted || (filter.ownerId !== userId && !filter.isShared)) {
    throw new Refusal('NOT_FOUND', 'This saved filter does not exist');
  }
  return filter;
}

/** Only its owner changes a filter: others would find theirs changed under its name. */
export function changeSavedFilter(
  filter: SavedFilter | undefined,
  { userId, ...command }: ChangeSavedFilter & { userId: number; fieldIds?: FieldIds },
  seen: number | undefined,
): Decision<SavedFilterEvent, { nameBefore: string }> {
  const current = requireExpectedRevision(existingFilter(filter, userId), seen, 'saved filter');
  if (current.ownerId !== userId) {
    throw new Refusal('FORBIDDEN', 'Only its owner changes a saved filter: save one of your own');
  }
  if (command.view) requireImpersonal(current.entity, command.view);
  const changed = changesOf(current, command);
  // The ids tell what the view's names mean: one is not said without the other.
  if (changed.view ?? changed.fieldIds) Object.assign(changed, { view: command.view, fieldIds: command.fieldIds });
  return {
    events: Object.keys(changed).length === 0 ? [] : [{ type: 'SavedFilterChanged', data: changed }],
    result: { nameBefore: current.name },
  };
}

/** Its owner deletes it; a shared one an administrator too, as owners leave. */
export function deleteSavedFilter(
  filter: SavedFilter | undefined,
  by: { userId: number; isAdmin: boolean },
  seen: number | undefined,
): Decision<SavedFilterEvent, SavedFilter> {
  const current = requireExpectedRevision(existingFilter(filter, by.userId), seen, 'saved filter');
  if (current.ownerId !== by.userId && !by.isAdmin) {
    throw new Refusal('FORBIDDEN', 'Only its owner or an administrator deletes a saved filter');
  }
  return { events: [{ type: 'SavedFilterDeleted', data: {} }], result: current };
}

/** A field of a data set that a configuration is about. */
export interface ConfiguredField {
  fieldId: number;
  dataType: FilterDataType;
}

/** Where rows hold it: a data set's fields are told by their ids, as they may be renamed. */
export const fieldPath = (fieldName: string, field: ConfiguredField | undefined): string =>
  field ? `data.${field.fieldId}` : fieldName;

/** What is left out is as it would be without a configuration. A data set's own field knows its type better than the caller. */
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
  requireSound(data);
  return decided({ type: 'FilterConfigurationCreated', data });
}

export function changeConfiguration(
  configuration: FilterConfiguration | undefined,
  command: ChangeFilterConfiguration,
  seen: number | undefined,
): Decision<FilterConfigurationEvent> {
  const current = requireExpectedRevision(existingConfiguration(configuration), seen, 'filter configuration');
  const changed = changesOf(current, command);
  if (Object.keys(changed).length === 0) return nothing();
  requireSound({ ...current, ...changed });
  return decided({ type: 'FilterConfigurationChanged', data: changed });
}

export function deleteConfiguration(
  configuration: FilterConfiguration | undefined,
  seen: number | undefined,
): Decision<FilterConfigurationEvent> {
  requireExpectedRevision(existingConfiguration(configuration), seen, 'filter configuration');
  return decided({ type: 'FilterConfigurationDeleted', data: {} });
}

export function existingConfiguration(configuration: FilterConfiguration | undefined): FilterConfiguration {
  if (!configuration || configuration.deleted) {
    throw new Refusal('NOT_FOUND', 'This filter configuration does not exist');
  }
  return configuration;
}

type Sound = Pick<
  FilterConfiguration,
  'fieldName' | 'dataType' | 'allowedOperators' | 'defaultOperator' | 'validation'
>;

function requireSound({ fieldName, dataType, allowedOperators, defaultOperator, validation }: Sound): void {
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
    throw new Refusal('INVALID', `The default operator “${defaultOperator}” is not among those chosen`);
  }
  const { minLength, maxLength, min, max } = validation ?? { minLength: null, maxLength: null, min: null, max: null };
  if ((minLength ?? 0) > (maxLength ?? Infinity) || (min ?? -Infinity) > (max ?? Infinity)) {
    throw new Refusal('INVALID', `No value of “${fieldName}” can be valid: the lower bound is above the upper one`);
  }
}

type Said<Command> = { [Name in keyof Command]?: Exclude<Command[Name], undefined> };

/** What of a command differs from what is there. */
function changesOf<Command extends object>(current: object, command: Command): Said<Command> {
  const differs = ([name, value]: [string, unknown]) =>
    value !== undefined && JSON.stringify(value) !== JSON.stringify((current as Record<string, unknown>)[name]);
  return Object.fromEntries(Object.entries(command).filter(differs)) as Said<Command>;
}
