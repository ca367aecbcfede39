/** The filter compiler against a real PostgreSQL: 16 operators × 7 data types, beside an oracle of its own. */
import {
  FILTER_DATA_TYPES,
  FILTER_OPERATORS,
  type FilterDataType,
  type FilterGroup,
  type FilterOperator,
  Refusal,
} from '@rdm/contracts';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SpecDatabase, startDatabase } from '../fixtures/database.ts';
import { ask } from '../read-models.ts';
import { identifier, sql } from '../sql.ts';
import { compileFilter, type FieldMap, type FieldSql, SQL_TYPE } from './compile.ts';
import { cellField } from './fields.ts';
import { finds, type OracleField } from './oracle.fixture.ts';

const TEXTS = [
  '',
  'a',
  'A',
  'de',
  'DE',
  'Zürich',
  'zürich',
  '100%',
  '100_',
  'a\\b',
  "o'clock",
  '"',
  '007',
  '7',
  'emoji 😀',
  'ﬀ',
  'line\nbreak',
  '$1',
  '; DROP TABLE cells',
];
const VALUES: Record<FilterDataType, unknown[]> = {
  string: TEXTS,
  number: [0, -1, 1.5, 7, 10, 100, 1e15, -0.25],
  boolean: [true, false],
  date: ['2024-02-29', '2024-01-01', '1999-12-31', '2026-11-20'],
  datetime: [
    '2024-02-29T00:00:00.000Z',
    '2024-02-28T23:30:00.000Z',
    '2024-02-29T12:34:56.789Z',
    '1999-12-31T23:59:59.999Z',
  ],
  json: [1, 'a', true, {}, { a: 1 }, { a: 1, b: [1, 2] }, [1, 'a'], []],
  array: [[], [1], ['a', 'b'], [1, 2, 3], [['x']], ['a', 'a']],
};
/** Needles that no cell holds, but that stand between or beside cells. */
const NEEDLES: Partial<Record<FilterDataType, unknown[]>> = {
  string: ['E', 'ü', 'ZÜR', '%', '_', '\\', 'zz', '0'],
  number: ['7', 6.5],
  datetime: ['2024-02-29', '2024-02-29T01:30:00+01:30', '2024-02-29T12:34:56.789', '2024-02-28T23:30:00-00:00'],
  array: [['b'], ['b', 'a']],
};
const ITEMS = [1, 2, 'a', 'b', ['x']];
const REGEXES = ['^d', 'e$', '[0-9]+', 'ü', 'a|b', '^.{2}$', '\\$'];
const TEXT_OPERATORS = new Set<FilterOperator>(['contains', 'not_contains', 'starts_with', 'ends_with', 'regex']);
const ORDERINGS = new Set<FilterOperator>([
  'greater_than',
  'less_than',
  'greater_than_or_equal',
  'less_than_or_equal',
  'between',
]);

const applies = (operator: FilterOperator, dataType: FilterDataType): boolean => {
  if (dataType === 'boolean') return !TEXT_OPERATORS.has(operator) && !ORDERINGS.has(operator);
  if (dataType === 'json' || dataType === 'array') {
    return operator.endsWith('contains') || (!TEXT_OPERATORS.has(operator) && !ORDERINGS.has(operator));
  }
  return true;
};

let database: SpecDatabase;
let rows: Record<string, unknown>[];
const fields: OracleField[] = FILTER_DATA_TYPES.map((dataType) => ({ name: dataType, dataType }));
const compiled: FieldMap = new Map<string, FieldSql>(
  FILTER_DATA_TYPES.map((dataType) => [dataType, { dataType, sql: identifier('cells', dataType) }]),
);

beforeAll(async () => {
  database = await startDatabase();
  await database.pool.query(
    `CREATE TABLE cells (id int, ${FILTER_DATA_TYPES.map((type) => `"${type}" ${SQL_TYPE[type]}`).join(', ')})`,
  );
  // One row more than there are values of any type, so that each column also shows rows without one.
  const length = Math.max(...Object.values(VALUES).map((values) => values.length)) + 1;
  rows = Array.from({ length }, (_, index) =>
    Object.fromEntries(FILTER_DATA_TYPES.map((type, shift) => [type, VALUES[type][(index + shift) % length] ?? null])),
  );
  for (const [index, row] of rows.entries()) {
    // No value is SQL's NULL; in a column of JSON every other time JSON's own.
    const asJson = (value: unknown) => (value === null && index % 2 === 0 ? null : JSON.stringify(value));
    const cells = FILTER_DATA_TYPES.map((type) => {
      if (type === 'json') return asJson(row[type]);
      return type === 'array' && row[type] !== null ? JSON.stringify(row[type]) : row[type];
    });
    await database.pool.query(`INSERT INTO cells VALUES ($1, ${cells.map((_, at) => `$${at + 2}`).join(', ')})`, [
      index,
      ...cells,
    ]);
  }
}, 60_000);
afterAll(() => database.stop());

async function found(filter: FilterGroup): Promise<number[]> {
  const result = await ask(
    database.pool,
    sql`SELECT id FROM cells WHERE ${compileFilter(filter, compiled)} ORDER BY id`,
  );
  return (result.rows as { id: number }[]).map(({ id }) => id);
}
const expected = (filter: FilterGroup): number[] =>
  rows.flatMap((row, index) => (finds(filter, row, fields) ? [index] : []));

const single = (field: string, operator: FilterOperator, value?: unknown): FilterGroup => ({
  logic: 'AND',
  conditions: [{ field, operator, value }],
});

function needlesFor(operator: FilterOperator, dataType: FilterDataType): unknown[] {
  const values = [...VALUES[dataType], ...(NEEDLES[dataType] ?? [])];
  if (operator.endsWith('null')) return [undefined];
  if (operator === 'regex') return REGEXES;
  if (operator.endsWith('in')) {
    const list = dataType === 'array' ? ITEMS : values;
    return [[], list.slice(0, 1), list.slice(1, 4), list];
  }
  if (operator === 'between')
    return values.flatMap((low, index) => [
      [low, values[(index + 2) % values.length]],
      [low, low],
    ]);
  if (dataType === 'array' && operator.endsWith('contains')) return [...ITEMS, ...values];
  return TEXT_OPERATORS.has(operator) && dataType !== 'json' ? [...values, '0', '-', 'T', '9'] : values;
}

describe('every operator on every data type', () => {
  for (const dataType of FILTER_DATA_TYPES) {
    for (const operator of FILTER_OPERATORS) {
      if (applies(operator, dataType)) {
        it(`${dataType} ${operator} finds what the oracle finds`, async () => {
          for (const needle of needlesFor(operator, dataType)) {
            const filter = single(dataType, operator, needle);
            expect(await found(filter), JSON.stringify(filter)).toEqual(expected(filter));
          }
        });
      } else {
        it(`${dataType} ${operator} is refused by name`, () => {
          const filter = single(dataType, operator, operator === 'between' ? [1, 2] : 'a');
          expect(() => compileFilter(filter, compiled)).toThrowError(/does not apply to/);
        });
      }
    }
  }
});

describe('groups', () => {
  const condition = fc
    .constantFrom(...FILTER_DATA_TYPES)
    .chain((dataType) =>
      fc
        .constantFrom(...FILTER_OPERATORS.filter((operator) => applies(operator, dataType)))
        .chain((operator) =>
          fc.constantFrom(...needlesFor(operator, dataType)).map((value) => ({ field: dataType, operator, value })),
        ),
    );
  const { group } = fc.letrec<{ group: FilterGroup }>((tie) => ({
    group: fc.record({
      logic: fc.constantFrom('AND' as const, 'OR' as const),
      conditions: fc.array(fc.oneof({ maxDepth: 3 }, condition, tie('group')), { maxLength: 4 }),
    }),
  }));

  it('nest with AND and OR as the oracle does', async () => {
    await fc.assert(
      fc.asyncProperty(group, async (filter) => {
        expect(await found(filter)).toEqual(expected(filter));
      }),
      { numRuns: 150 },
    );
  });

  it('refuse to nest without end', () => {
    const deep = Array.from({ length: 11 }).reduce<FilterGroup>(
      (inner) => ({ logic: 'AND', conditions: [inner] }),
      single('string', 'equals', 'a'),
    );
    expect(() => compileFilter(deep, compiled)).toThrow(Refusal);
  });
});

describe('what a caller may try', () => {
  it('keeps every text out of the statement', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 3 }), (text) => {
        const marked = `mark${text}mark`;
        for (const operator of ['equals', 'contains', 'starts_with', 'ends_with', 'regex', 'greater_than'] as const) {
          expect(compileFilter(single('string', operator, marked), compiled).texts.join('')).not.toContain('mark');
        }
      }),
    );
  });

  it('takes an object that looks like SQL for a value', () => {
    const posing = { texts: ['1 = 1'], values: [], risky: false };
    expect(() => compileFilter(single('string', 'equals', posing), compiled)).toThrow(Refusal);
    expect(compileFilter(single('json', 'equals', posing), compiled).texts.join('')).not.toContain('1 = 1');
  });

  it.each(['__proto__', 'constructor', 'toString', 'string" OR true --', 'nope'])('knows no field %s', (field) => {
    expect(() => compileFilter(single(field, 'equals', 'a'), compiled)).toThrowError(/There is no field/);
  });

  it.each([
    ['number', 'equals', 'abc'],
    ['number', 'equals', ''],
    ['number', 'equals', Number.POSITIVE_INFINITY],
    ['number', 'greater_than', null],
    ['boolean', 'equals', 'yes'],
    ['date', 'equals', '2024-02-30'],
    ['date', 'equals', 'today'],
    ['datetime', 'less_than', '2024-02-29T25:00:00Z'],
    ['datetime', 'less_than', '29.2.2024'],
    ['string', 'equals', { a: 1 }],
    ['string', 'in', 'a'],
    ['string', 'between', ['a']],
    ['json', 'equals', undefined],
  ] as const)('refuses %s %s %j, which is of another type', (field, operator, value) => {
    expect(() => compileFilter(single(field, operator, value), compiled)).toThrow(Refusal);
  });

  it('answers a broken regular expression and a NUL with a refusal', async () => {
    await expect(found(single('string', 'regex', '('))).rejects.toThrowError(/regular expression/);
    await expect(found(single('string', 'equals', 'a\0b'))).rejects.toThrow(Refusal);
    await expect(found(single('json', 'equals', 'a\0b'))).rejects.toThrow(Refusal);
  });

  it('marks what holds a regular expression, so that it runs apart', () => {
    const nested: FilterGroup = {
      logic: 'OR',
      conditions: [single('string', 'equals', 'a'), single('string', 'regex', 'a')],
    };
    expect(compileFilter(nested, compiled).risky).toBe(true);
    expect(compileFilter(single('string', 'equals', 'a'), compiled).risky).toBe(false);
  });
});

describe('cells of jsonb rows', () => {
  it('read as no value where they are of another type than their field', async () => {
    const cells = ['"text"', '7', 'true', '"2024-02-29"', '"2024-02-30"', '"today"', 'null', '{}', '[1]'];
    const readable: Record<string, string[]> = {
      string: ['"text"', '"2024-02-29"', '"2024-02-30"', '"today"'],
      number: ['7'],
      boolean: ['true'],
      date: ['"2024-02-29"'],
    };
    for (const [dataType, expectedCells] of Object.entries(readable)) {
      const { sql: cell } = cellField(sql`data`, 5, dataType as 'string');
      const { rows: seen } = await ask(
        database.pool,
        sql`SELECT given FROM unnest(${cells}::text[]) given, jsonb_build_object('5', given::jsonb) data WHERE ${cell} IS NOT NULL`,
      );
      expect(seen.map((row) => (row as { given: string }).given)).toEqual(expectedCells);
    }
  });
});
