/** The 16 filter operators with their labels, field types and values, and the problems of conditions. */
import type { FilterCondition, FilterField, FilterGroup } from '@rdm/contracts/lists/filter';
import type { FilterDataType, FilterOperator } from '@rdm/contracts/lists/filter-operators';
import { OPERATORS_OF } from '@rdm/contracts/lists/filter-operators';

export const OPERATOR_WORDS: Record<FilterOperator, string> = {
  equals: 'is',
  not_equals: 'is not',
  contains: 'contains',
  not_contains: 'does not contain',
  starts_with: 'starts with',
  ends_with: 'ends with',
  greater_than: 'is greater than',
  less_than: 'is less than',
  greater_than_or_equal: 'is at least',
  less_than_or_equal: 'is at most',
  in: 'is one of',
  not_in: 'is none of',
  is_null: 'is empty',
  is_not_null: 'is not empty',
  between: 'is between',
  regex: 'matches (regex)',
};

/** The configured operators of the field; by default all operators of its type. */
export const operatorsFor = ({ dataType, operators }: FilterField): readonly FilterOperator[] =>
  operators ?? OPERATORS_OF[dataType];

export type ValueShape = 'none' | 'one' | 'two' | 'many';

export function valueShape(operator: FilterOperator, dataType?: FilterDataType): ValueShape {
  if (operator === 'is_null' || operator === 'is_not_null') return 'none';
  if (operator === 'between') return 'two';
  // On an array, these operators compare the whole list of values.
  const isWhole = dataType === 'array' && (operator === 'equals' || operator === 'not_equals');
  return operator === 'in' || operator === 'not_in' || isWhole ? 'many' : 'one';
}

type Part = FilterCondition | FilterGroup;

export const isGroup = (part: Part): part is FilterGroup => 'conditions' in part;

const isValue = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

/** Why a condition cannot be applied: it is incomplete, or the list lacks its field; otherwise undefined. */
export function problemOf(
  { field: name, operator, value }: FilterCondition,
  fields: readonly FilterField[],
): string | undefined {
  const field = fields.find((each) => each.name === name);
  if (field === undefined) return `“${name}” is not a filter field of this list: remove this condition`;
  const values: unknown[] = Array.isArray(value) ? value : [];
  switch (valueShape(operator, field.dataType)) {
    case 'none':
      return undefined;
    case 'one':
      if (isValue(value)) return undefined;
      return field.dataType === 'boolean' ? 'Choose true or false' : 'Enter a value';
    case 'two':
      if (isValue(values[0])) return isValue(values[1]) ? undefined : 'Enter the end';
      return isValue(values[1]) ? 'Enter the start' : 'Enter the start and the end';
    case 'many':
      return values.length > 0 ? undefined : 'Enter at least one value';
  }
}

/** All conditions, including those of nested groups. */
const conditionsOf = (group: FilterGroup | undefined): FilterCondition[] =>
  (group?.conditions ?? []).flatMap((part) => (isGroup(part) ? conditionsOf(part) : [part]));

export const countConditions = (group: FilterGroup | undefined): number => conditionsOf(group).length;

/** The number of conditions with a problem, including conditions on fields that the list lacks. */
export const countIncomplete = (group: FilterGroup, fields: readonly FilterField[]): number =>
  conditionsOf(group).filter((condition) => problemOf(condition, fields) !== undefined).length;

/** The filter without the unwanted conditions and without empty groups; undefined if nothing remains. */
export function filterConditions(
  { logic, conditions }: FilterGroup,
  isWanted: (condition: FilterCondition) => boolean = () => true,
): FilterGroup | undefined {
  const remaining = conditions.flatMap((part): Part[] => {
    if (!isGroup(part)) return isWanted(part) ? [part] : [];
    const inner = filterConditions(part, isWanted);
    return inner === undefined ? [] : [inner];
  });
  return remaining.length === 0 ? undefined : { logic, conditions: remaining };
}

/** The fields of the filter that the list does not have, without duplicates. */
export function missingFields(group: FilterGroup | undefined, fields: readonly FilterField[]): string[] {
  const fieldNames = new Set(fields.map(({ name }) => name));
  return [...new Set(conditionsOf(group).map(({ field }) => field))].filter((name) => !fieldNames.has(name));
}
