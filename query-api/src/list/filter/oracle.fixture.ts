/**
 * The oracle: a second implementation of filters in plain JavaScript. It imports nothing from the compiler, so that it
 * does not inherit the compiler's mistakes. Tests use only regular expressions with the same meaning in JavaScript and
 * PostgreSQL.
 */

export type Cell = unknown;
export interface OracleField {
  name: string;
  dataType: 'string' | 'number' | 'boolean' | 'date' | 'datetime' | 'json' | 'array';
}
interface Condition {
  field: string;
  operator: string;
  value?: unknown;
}
interface Group {
  logic: 'AND' | 'OR';
  conditions: (Condition | Group)[];
}

export function finds(filter: Group, row: Record<string, Cell>, fields: OracleField[]): boolean {
  const results = filter.conditions.map((each) =>
    'conditions' in each ? finds(each, row, fields) : holds(each, row, fields),
  );
  if (results.length === 0) return true;
  return filter.logic === 'OR' ? results.some(Boolean) : results.every(Boolean);
}

function holds({ field, operator, value }: Condition, row: Record<string, Cell>, fields: OracleField[]): boolean {
  const { dataType } = fields.find(({ name }) => name === field) as OracleField;
  const cell = row[field];
  const hasNoValue = cell === null || cell === undefined;
  if (operator === 'is_null') return hasNoValue;
  if (operator === 'is_not_null') return !hasNoValue;
  if (operator.startsWith('not_')) {
    return !holds({ field, operator: operator.slice('not_'.length), value }, row, fields);
  }
  if (hasNoValue) return false;
  switch (operator) {
    case 'equals':
      return isSameValue(cell, value, dataType);
    case 'in':
      return (value as unknown[]).some((wanted) =>
        dataType === 'array'
          ? (cell as unknown[]).some((item) => deepEqual(item, wanted))
          : isSameValue(cell, wanted, dataType),
      );
    case 'contains':
      if (dataType === 'json') return jsonContains(cell, value);
      if (dataType === 'array') return jsonContains(cell, Array.isArray(value) ? value : [value]);
      return fold(text(cell, dataType)).includes(fold(String(value)));
    case 'starts_with':
      return fold(text(cell, dataType)).startsWith(fold(String(value)));
    case 'ends_with':
      return fold(text(cell, dataType)).endsWith(fold(String(value)));
    case 'regex':
      return new RegExp(String(value), 'su').test(text(cell, dataType));
    case 'greater_than':
      return compare(cell, value, dataType) > 0;
    case 'less_than':
      return compare(cell, value, dataType) < 0;
    case 'greater_than_or_equal':
      return compare(cell, value, dataType) >= 0;
    case 'less_than_or_equal':
      return compare(cell, value, dataType) <= 0;
    case 'between': {
      const [low, high] = value as unknown[];
      return compare(cell, low, dataType) >= 0 && compare(cell, high, dataType) <= 0;
    }
    default:
      throw new Error(`The oracle does not know ${operator}`);
  }
}

/** Caches the result for each text: some texts have a million characters, and each is compared many times. */
function memoized<T>(make: (text: string) => T): (text: string) => T {
  const results = new Map<string, T>();
  return (text) => {
    const result = results.get(text) ?? make(text);
    results.set(text, result);
    return result;
  };
}

const letters = memoized((text) => [...text]);

/** Lower-cases each character. If its lower case has two characters in JavaScript, uses only the first, like PostgreSQL. */
const fold = memoized((text) =>
  letters(text)
    .map((letter) => [...letter.toLowerCase()][0])
    .join(''),
);

function isSameValue(cell: unknown, value: unknown, dataType: OracleField['dataType']): boolean {
  if (dataType === 'json' || dataType === 'array') return deepEqual(cell, value);
  return compare(cell, value, dataType) === 0;
}

/**
 * Returns -1, 0 or 1. Compares numbers by value, texts by code point, dates by day, and instants by time, or by UTC day
 * if `value` is a date. Booleans have no order: returns 0 if they are equal, and 1 otherwise.
 */
function compare(cell: unknown, value: unknown, dataType: OracleField['dataType']): number {
  if (dataType === 'number') return Math.sign(Number(cell) - Number(value));
  if (dataType === 'boolean') return String(cell) === String(value) ? 0 : 1;
  if (dataType === 'datetime') {
    const needle = String(value);
    const instant = new Date(String(cell));
    if (needle.length === 10) return byCodePoint(instant.toISOString().slice(0, 10), needle);
    return Math.sign(instant.getTime() - Date.parse(/Z|[+-]\d\d:\d\d$/.test(needle) ? needle : `${needle}Z`));
  }
  return byCodePoint(String(cell), String(value));
}

function byCodePoint(left: string, right: string): number {
  const [a, b] = [letters(left), letters(right)];
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    const difference = (a[index]?.codePointAt(0) ?? 0) - (b[index]?.codePointAt(0) ?? 0);
    if (difference !== 0) return Math.sign(difference);
  }
  return Math.sign(a.length - b.length);
}

function text(cell: unknown, dataType: OracleField['dataType']): string {
  return dataType === 'datetime' ? new Date(String(cell)).toISOString() : String(cell);
}

function deepEqual(left: unknown, right: unknown): boolean {
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => deepEqual(item, right[index]));
  }
  if (isObject(left) && isObject(right)) {
    const keys = Object.keys(left);
    return (
      keys.length === Object.keys(right).length && keys.every((key) => key in right && deepEqual(left[key], right[key]))
    );
  }
  return left === right;
}

/**
 * Returns whether `left` contains `right`, by the rules of jsonb in PostgreSQL. At the top level, an array may also
 * contain a scalar.
 */
function jsonContains(left: unknown, right: unknown, isTop = true): boolean {
  if (Array.isArray(right)) {
    return Array.isArray(left) && right.every((wanted) => left.some((item) => jsonContains(item, wanted, false)));
  }
  if (Array.isArray(left)) return isTop && !isObject(right) && left.some((item) => deepEqual(item, right));
  if (isObject(right)) {
    return (
      isObject(left) && Object.keys(right).every((key) => key in left && jsonContains(left[key], right[key], false))
    );
  }
  return left === right;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
