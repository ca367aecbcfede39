/** The filter operators of specification §5, and the operators of each data type. */
export const FILTER_OPERATORS = [
  'equals',
  'not_equals',
  'contains',
  'not_contains',
  'starts_with',
  'ends_with',
  'greater_than',
  'less_than',
  'greater_than_or_equal',
  'less_than_or_equal',
  'in',
  'not_in',
  'is_null',
  'is_not_null',
  'between',
  'regex',
] as const;
export type FilterOperator = (typeof FILTER_OPERATORS)[number];

export const FILTER_DATA_TYPES = ['string', 'number', 'boolean', 'date', 'datetime', 'json', 'array'] as const;
export type FilterDataType = (typeof FILTER_DATA_TYPES)[number];

const EMPTINESS = ['is_null', 'is_not_null'] as const;
const SAME = ['equals', 'not_equals'] as const;
const ONE_OF = ['in', 'not_in'] as const;
const ORDER = ['greater_than', 'greater_than_or_equal', 'less_than', 'less_than_or_equal', 'between'] as const;
const TEXT = ['contains', 'not_contains', 'starts_with', 'ends_with'] as const;
const ORDERED = [...SAME, ...ORDER, ...ONE_OF, ...TEXT, 'regex', ...EMPTINESS] as const;

/** The operators of each data type, the most usual first. Lists refuse all other operators. */
export const OPERATORS_OF: Readonly<Record<FilterDataType, readonly FilterOperator[]>> = {
  string: ['contains', 'not_contains', ...SAME, 'starts_with', 'ends_with', ...ONE_OF, ...ORDER, 'regex', ...EMPTINESS],
  number: ORDERED,
  date: ORDERED,
  datetime: ORDERED,
  boolean: [...SAME, ...ONE_OF, ...EMPTINESS],
  json: ['contains', 'not_contains', ...SAME, ...ONE_OF, ...EMPTINESS],
  array: ['contains', 'not_contains', ...ONE_OF, ...SAME, ...EMPTINESS],
};
