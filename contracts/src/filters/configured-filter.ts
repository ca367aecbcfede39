/**
 * Applies filter configurations to a list: determines the fields and operators that the list offers, and refuses other
 * filters.
 */
import type { FilterCondition, FilterField, FilterGroup } from '../lists/filter.ts';
import type { FilterConfigurationView } from './filter-configurations.ts';

type ConfiguredField = Pick<
  FilterConfigurationView,
  'fieldName' | 'displayName' | 'allowedOperators' | 'validation' | 'isActive'
>;

/**
 * Returns why a list refuses a filter; undefined if the list accepts it. A field without a configuration accepts any
 * condition.
 */
export function filterRefusal(filter: FilterGroup, configurations: readonly ConfiguredField[]): string | undefined {
  const configurationByField = new Map(configurations.map((each) => [each.fieldName, each]));
  const pending: (FilterCondition | FilterGroup)[] = [filter];
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    if ('conditions' in part) {
      pending.push(...part.conditions);
      continue;
    }
    const configuration = configurationByField.get(part.field);
    const refusal = configuration && conditionRefusal(part, configuration);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function conditionRefusal(
  { field, operator, value }: FilterCondition,
  { displayName, allowedOperators, validation, isActive }: ConfiguredField,
): string | undefined {
  const name = `“${displayName === '' ? field : displayName}”`;
  if (!isActive) return `This list cannot be filtered by ${name}: the filter of this field is switched off`;
  if (!allowedOperators.includes(operator)) {
    return `“${operator}” is not offered for ${name} in this list: use ${allowedOperators.join(', ')}`;
  }
  if (validation === null) return undefined;
  const { minLength, maxLength, min, max } = validation;
  for (const needle of Array.isArray(value) ? value : [value]) {
    if (typeof needle === 'string') {
      if (minLength !== null && needle.length < minLength) return `${name} needs at least ${minLength} characters`;
      if (maxLength !== null && needle.length > maxLength) return `${name} takes at most ${maxLength} characters`;
    }
    // Forms send numbers as texts.
    const number = needle === null || needle === '' ? Number.NaN : Number(needle);
    if (min !== null && number < min) return `${name} takes no number below ${min}`;
    if (max !== null && number > max) return `${name} takes no number above ${max}`;
  }
  return undefined;
}

/**
 * Returns the fields that a list offers, without fields whose configuration is inactive. An active configuration
 * replaces the operators of its field, with the default operator first, and the label unless its display name is empty.
 */
export function configuredFields(
  fields: readonly FilterField[],
  configurations: readonly (ConfiguredField & Pick<FilterConfigurationView, 'defaultOperator'>)[],
): FilterField[] {
  const configurationByField = new Map(configurations.map((each) => [each.fieldName, each]));
  return fields.flatMap((field) => {
    const configuration = configurationByField.get(field.name);
    if (!configuration) return [field];
    if (!configuration.isActive) return [];
    const { displayName, defaultOperator, allowedOperators } = configuration;
    const others = allowedOperators.filter((operator) => operator !== defaultOperator);
    return [
      {
        ...field,
        label: displayName === '' ? field.label : displayName,
        operators: defaultOperator === null ? allowedOperators : [defaultOperator, ...others],
      },
    ];
  });
}
