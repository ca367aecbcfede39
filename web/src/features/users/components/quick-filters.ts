/** The most common filters of the list of users: by role, by provider, and by state. */
import type { FilterCondition, FilterGroup } from '@rdm/contracts/lists/filter';

export const STATES = {
  active: { label: 'Active', field: 'isActive', value: true },
  inactive: { label: 'Inactive', field: 'isActive', value: false },
  locked: { label: 'Locked', field: 'isLocked', value: true },
  mustChangePassword: { label: 'Must change password', field: 'requirePasswordChange', value: true },
  erased: { label: 'Erased', field: 'isErased', value: true },
} as const;
export type StateName = keyof typeof STATES;

const STATE_FIELDS: readonly string[] = Object.values(STATES).map(({ field }) => field);

const conditionsOf = (filter: FilterGroup | undefined): readonly FilterCondition[] =>
  filter?.logic === 'AND' ? filter.conditions.filter((each): each is FilterCondition => 'field' in each) : [];

/** The value that a field must equal in all results; undefined if no top-level condition requires one. */
export const chosenValue = (filter: FilterGroup | undefined, field: string): unknown =>
  conditionsOf(filter).find((each) => each.field === field && each.operator === 'equals')?.value;

export const chosenState = (filter: FilterGroup | undefined): StateName | undefined =>
  (Object.keys(STATES) as StateName[]).find((name) => chosenValue(filter, STATES[name].field) === STATES[name].value);

/**
 * Replaces the top-level conditions for these fields by the given condition. The remaining conditions become a nested
 * group if OR joins several.
 */
function withConditions(
  filter: FilterGroup | undefined,
  fields: readonly string[],
  condition: { field: string; value: string | boolean } | undefined,
): FilterGroup | undefined {
  const others = (filter?.conditions ?? []).filter((each) => !('field' in each && fields.includes(each.field)));
  const otherConditions: FilterGroup['conditions'] =
    filter === undefined || filter.logic === 'AND' || others.length < 2
      ? others
      : [{ logic: filter.logic, conditions: others }];
  const conditions: FilterGroup['conditions'] =
    condition === undefined
      ? otherConditions
      : [...otherConditions, { field: condition.field, operator: 'equals', value: condition.value }];
  return conditions.length === 0 ? undefined : { logic: 'AND', conditions };
}

export const withValue = (filter: FilterGroup | undefined, field: string, value: string | undefined) =>
  withConditions(filter, [field], value === undefined ? undefined : { field, value });

export const withState = (filter: FilterGroup | undefined, name: StateName | undefined) =>
  withConditions(filter, STATE_FIELDS, name === undefined ? undefined : STATES[name]);
