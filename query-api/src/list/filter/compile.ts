/**
 * The filter language of specification §5 as parametrised SQL.
 *
 * | operators                          | string                    | number, date   | datetime        | boolean | json          | array               |
 * |------------------------------------|---------------------------|----------------|-----------------|---------|---------------|---------------------|
 * | equals, not_equals, in, not_in     | exactly                   | by value       | by instant (1)  | by value| by value      | same items in order; `in`: has an item of the list |
 * | greater_than … between             | by code point             | by value       | by instant (1)  | –       | –             | –                   |
 * | contains, starts_with, ends_with,  | ignoring case             | on its text    | on its text (2) | –       | contains: has the part| contains: has the item, or all of a list |
 * |   not_contains                     |                           |                |                 |         |               |                     |
 * | regex (PostgreSQL's dialect)       | case-sensitive without `(?i)` | on its text  | on its text (2) | –       | –             | –                   |
 * | is_null, is_not_null               | no value                  | no value       | no value        | no value| none, or null | no value            |
 *
 * A needle is a value that a condition compares with the field.
 * (1) A needle that is a date without a time means that whole day in UTC; a needle without a time zone is read as UTC.
 * (2) The text has the form `2026-05-01T12:00:00.000Z`.
 * `not_equals`, `not_in` and `not_contains` find exactly the rows that the operator without `not_` does not find, also
 * rows without a value. Of the other operators, only `is_null` finds rows without a value. The filter is refused for a
 * needle of the wrong type and where the table has –. A stored value of the wrong type counts as no value.
 */
import {
  checkCell,
  type FilterCondition,
  type FilterDataType,
  type FilterGroup,
  type FilterOperator,
  isDate,
  parseCell,
  Refusal,
} from '@rdm/contracts';
import { all, any, markRegex, type Sql, sql } from '../../read-models/sql.ts';
import { comparesTo, containsText, equalsOneOf, type IndexedText, startsWithText } from './indexed-text.ts';
import { escapeLike } from './like.ts';

/** A field that a list can be filtered and sorted by: its expression has the SQL type of SQL_TYPE. */
export interface FieldSql {
  sql: Sql;
  dataType: FilterDataType;
  label?: string;
  /** A cheaper expression with the same order: a sort computes it for all rows of the list. */
  sortedBy?: Sql;
  /** Whether every row has a value. */
  isRequired?: boolean;
  /** For a text: the expressions of its indexes, if it is indexed. */
  indexed?: IndexedText;
  /** Returns an indexed condition that is true for all rows with exactly this text, and may be true for more rows. */
  indexedBy?: (text: string) => Sql;
  /** For a number or date: the indexed text. It contains every text that a text filter can match, so it prefilters. */
  parts?: Sql;
}
/** A Map: names of Object.prototype must not count as fields. */
export type FieldMap = ReadonlyMap<string, FieldSql>;

/** The SQL type that a field's expression must have. */
export const SQL_TYPE: Record<FilterDataType, string> = {
  string: 'text',
  number: 'numeric',
  boolean: 'boolean',
  date: 'date',
  datetime: 'timestamptz',
  json: 'jsonb',
  array: 'jsonb',
};

const MAX_DEPTH = 10;
const MAX_CONDITIONS = 500;
const MAX_NEEDLES = 10_000;

/** Compiles a filter on declared fields to SQL. Refuses (400) an invalid filter, such as one with an unknown field. */
export function compileFilter(filter: FilterGroup, fields: FieldMap): Sql {
  let count = 0;
  const group = (node: FilterGroup, depth: number): Sql => {
    if (depth > MAX_DEPTH) throw new Refusal('INVALID', `A filter nests at most ${MAX_DEPTH} groups`);
    // An empty group has no condition: it is true for every row.
    if (node.conditions.length === 0) return sql`true`;
    const parts = node.conditions.map((each) => {
      if ('conditions' in each) return group(each, depth + 1);
      count += 1;
      if (count > MAX_CONDITIONS) throw new Refusal('INVALID', `A filter has at most ${MAX_CONDITIONS} conditions`);
      return compileCondition(each, fields);
    });
    return node.logic === 'OR' ? any(parts) : all(parts);
  };
  return group(filter, 1);
}

const COMPARISONS = {
  greater_than: sql`>`,
  less_than: sql`<`,
  greater_than_or_equal: sql`>=`,
  less_than_or_equal: sql`<=`,
} as const;

const ORDERED = new Set<FilterDataType>(['string', 'number', 'date', 'datetime']);

function compileCondition(condition: FilterCondition, fields: FieldMap): Sql {
  const { field: name, operator, value } = condition;
  const field = fields.get(name);
  if (!field) throw new Refusal('INVALID', `There is no field “${name}” to filter by`);
  const positive = positiveOf(operator);
  // Unlike NOT, IS NOT TRUE also finds rows for which the condition is null.
  if (positive) return sql`(${compileCondition({ ...condition, operator: positive }, fields)} IS NOT TRUE)`;

  const { dataType } = field;
  const refuse = (): never => {
    throw new Refusal('INVALID', `“${operator}” does not apply to “${name}”, which is ${article(dataType)} field`);
  };
  const needle = (input: unknown): Needle => readNeedle(input, dataType, name);
  const text = (): string => textNeedle(value, name);
  /** Adds the check that the cell is a text, because the index expressions do not contain this check. */
  const withFieldCheck = (condition: Sql): Sql =>
    field.indexed ? sql`(${field.sql} IS NOT NULL AND ${condition})` : condition;
  const ordering = (comparison: Sql, input: unknown): Sql =>
    field.indexed
      ? withFieldCheck(comparesTo(field.indexed, comparison, textNeedle(input, name)))
      : compare(field, comparison, needle(input));
  const matchesPattern = (pattern: string): Sql => {
    const match = withFieldCheck(containsText(field.indexed ?? { whole: asText(field) ?? refuse() }, text(), pattern));
    return field.parts ? all([sql`(${field.parts} ILIKE ${`%${escapeLike(text())}%`})`, match]) : match;
  };
  switch (operator) {
    case 'is_null':
      return dataType === 'json'
        ? sql`(${field.sql} IS NULL OR ${field.sql} = 'null'::jsonb)`
        : sql`(${field.sql} IS NULL)`;
    case 'equals': {
      const same = field.indexed ? withFieldCheck(equalsOneOf(field.indexed, [text()])) : equals(field, needle(value));
      return field.indexedBy && typeof value === 'string' ? all([field.indexedBy(value), same]) : same;
    }
    case 'in':
      return field.indexed
        ? withFieldCheck(
            equalsOneOf(
              field.indexed,
              listOf(value, name).map((item) => textNeedle(item, name)),
            ),
          )
        : oneOf(field, listOf(value, name).map(needle));
    case 'contains':
      if (dataType === 'json') return sql`(${field.sql} @> ${needle(value).sql})`;
      if (dataType === 'array')
        return sql`(${field.sql} @> ${jsonNeedle(Array.isArray(value) ? value : [value], name)})`;
      return matchesPattern(`%${escapeLike(text())}%`);
    case 'starts_with':
      return field.indexed
        ? withFieldCheck(startsWithText(field.indexed, text()))
        : matchesPattern(`${escapeLike(text())}%`);
    case 'ends_with':
      return matchesPattern(`%${escapeLike(text())}`);
    case 'regex':
      return markRegex(withFieldCheck(sql`(${field.indexed?.whole ?? asText(field) ?? refuse()} ~ ${text()}::text)`));
    case 'between': {
      if (!ORDERED.has(dataType)) return refuse();
      if (!Array.isArray(value) || value.length !== 2) {
        throw new Refusal('INVALID', `“between” on “${name}” needs a list of two values`);
      }
      const [low, high] = value as [unknown, unknown];
      return all([ordering(sql`>=`, low), ordering(sql`<=`, high)]);
    }
    case 'greater_than':
    case 'less_than':
    case 'greater_than_or_equal':
    case 'less_than_or_equal':
      return ORDERED.has(dataType) ? ordering(COMPARISONS[operator], value) : refuse();
    default:
      return refuse();
  }
}

function positiveOf(operator: FilterOperator): FilterOperator | undefined {
  switch (operator) {
    case 'not_equals':
      return 'equals';
    case 'not_contains':
      return 'contains';
    case 'not_in':
      return 'in';
    case 'is_not_null':
      return 'is_null';
    default:
      return undefined;
  }
}

interface Needle {
  sql: Sql;
  /** Whether the needle is a date without a time that is compared with instants: it means the whole UTC day. */
  wholeDay: boolean;
}

const exactNeedle = (part: Sql): Needle => ({ sql: part, wholeDay: false });

const operand = (field: FieldSql, needle: Needle): Sql =>
  needle.wholeDay ? sql`(${field.sql} AT TIME ZONE 'UTC')::date` : field.sql;

const equals = (field: FieldSql, needle: Needle): Sql => sql`(${operand(field, needle)} = ${needle.sql})`;

function oneOf(field: FieldSql, needles: Needle[]): Sql {
  if (needles.length === 0) return sql`false`;
  if (field.dataType === 'array')
    return any(needles.map((needle) => sql`(${field.sql} @> jsonb_build_array(${needle.sql}))`));
  const days = needles.filter((needle) => needle.wholeDay);
  const others = needles.filter((needle) => !needle.wholeDay);
  return any(
    [days, others]
      .filter((list) => list.length > 0)
      .map((list) => {
        const items = list.map((needle) => needle.sql);
        return sql`(${operand(field, list[0] as Needle)} IN (${items.reduce((joined, item) => sql`${joined}, ${item}`)}))`;
      }),
  );
}

function compare(field: FieldSql, operator: Sql, needle: Needle): Sql {
  const leftOperand = operand(field, needle);
  return field.dataType === 'string'
    ? sql`(${leftOperand} COLLATE "C" ${operator} ${needle.sql})`
    : sql`(${leftOperand} ${operator} ${needle.sql})`;
}

/** Returns the field as text, for text operators; undefined if its type has no text form. */
function asText({ sql: part, dataType }: FieldSql): Sql | undefined {
  switch (dataType) {
    case 'string':
      return part;
    case 'number':
      return sql`trim_scale(${part})::text`;
    case 'date':
      return sql`to_char(${part}, 'YYYY-MM-DD')`;
    case 'datetime':
      return sql`to_char(${part} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
    default:
      return undefined;
  }
}

function listOf(value: unknown, name: string): unknown[] {
  if (!Array.isArray(value)) throw new Refusal('INVALID', `The operator on “${name}” needs a list of values`);
  if (value.length > MAX_NEEDLES) throw new Refusal('INVALID', `A list holds at most ${MAX_NEEDLES} values`);
  return value;
}

function textNeedle(value: unknown, name: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new Refusal('INVALID', `“${name}” needs a text to compare with`);
}

function jsonNeedle(value: unknown, name: string): Sql {
  if (value === undefined) throw new Refusal('INVALID', `“${name}” needs a value to compare with`);
  return sql`${JSON.stringify(value)}::jsonb`;
}

const DATETIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?$/;

/** Returns the needle as an SQL parameter. Refuses (400) a value of the wrong type. */
function readNeedle(value: unknown, dataType: FilterDataType, name: string): Needle {
  const wrong = (): never => {
    const valueText = JSON.stringify(value) ?? 'an empty value';
    throw new Refusal('INVALID', `“${name}” needs ${article(dataType)}, not ${valueText}`);
  };
  switch (dataType) {
    case 'string':
      return exactNeedle(sql`${textNeedle(value, name)}::text`);
    case 'number':
    case 'boolean':
    case 'date': {
      // Forms send needles as text: these are parsed like cells.
      const cell = typeof value === 'string' ? parseCell(value, dataType) : checkCell(value, dataType);
      if (!cell.ok || cell.value === null) return wrong();
      if (dataType === 'number') return exactNeedle(sql`${String(cell.value)}::numeric`);
      return exactNeedle(dataType === 'date' ? sql`${cell.value}::date` : sql`${cell.value}::boolean`);
    }
    case 'datetime': {
      if (typeof value !== 'string' || !isDate(value.slice(0, 10))) return wrong();
      if (isDate(value)) return { sql: sql`${value}::date`, wholeDay: true };
      if (!DATETIME.test(value)) return wrong();
      const zoned = /(Z|[+-]\d{2}:\d{2})$/.test(value) ? value : `${value}Z`;
      return Number.isNaN(Date.parse(zoned)) ? wrong() : exactNeedle(sql`${zoned}::timestamptz`);
    }
    case 'json':
    case 'array':
      return exactNeedle(jsonNeedle(value, name));
  }
}

const article = (dataType: FilterDataType): string => `${dataType === 'array' ? 'an' : 'a'} ${dataType}`;
