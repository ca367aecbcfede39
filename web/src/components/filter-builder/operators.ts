/** Which of the 16 operators suit a field, how they read, and what value each takes. */
import type { FilterCondition, FilterDataType, FilterField, FilterGroup, FilterOperator } from '@rdm/contracts/filter';
import { OPERATORS_OF } from '@rdm/contracts/filter-operators';

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

/** As the field is configured; otherwise all that its type has. */
export const operatorsFor = ({ dataType, operators }: FilterField): readonly FilterOperator[] =>
  operators ?? OPERATORS_OF[dataType];

export type ValueShape = 'none' | 'one' | 'two' | 'many';

export function valueShape(operator: FilterOperator, dataType?: FilterDataType): ValueShape {
  if (operator === 'is_null' || operator === 'is_not_null') return 'none';
  if (operator === 'between') return 'two';
  // Lists are compared as wholes.
  const isWhole = dataType === 'array' && (operator === 'equals' || operator === 'not_equals');
  return operator === 'in' || operator === 'not_in' || isWhole ? 'many' : 'one';
}

/** Text of an input as a value of the field's type; undefined while it is not one yet. */
export function typed(text: string, dataType: FilterDataType): unknown {
  if (text === '') return undefined;
  if (dataType === 'number') return Number.isFinite(Number(text)) ? Number(text) : undefined;
  if (dataType === 'boolean') return text === 'true';
  return text;
}

export const isGroup = (part: FilterCondition | FilterGroup): part is FilterGroup => 'conditions' in part;

function isComplete({ operator, value }: FilterCondition): boolean {
  switch (valueShape(operator)) {
    case 'none':
      return true;
    case 'one':
      return value !== undefined && value !== '' && (!Array.isArray(value) || value.length > 0);
    case 'two':
      return Array.isArray(value) && value.length === 2 && value.every((end) => end !== undefined && end !== '');
    case 'many':
      return Array.isArray(value) && value.length > 0;
  }
}

/** The filter without conditions that are not finished, and undefined when nothing is left. */
export function completed(group: FilterGroup): FilterGroup | undefined {
  const conditions = group.conditions.flatMap((part): (FilterCondition | FilterGroup)[] => {
    if (!isGroup(part)) return isComplete(part) ? [part] : [];
    const inner = completed(part);
    return inner === undefined ? [] : [inner];
  });
  return conditions.length === 0 ? undefined : { logic: group.logic, conditions };
}

export function countConditions(group: FilterGroup | undefined): number {
  return (group?.conditions ?? []).reduce((sum, part) => sum + (isGroup(part) ? countConditions(part) : 1), 0);
}
