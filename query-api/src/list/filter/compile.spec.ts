/** Tests the filter compiler on a real PostgreSQL: 16 operators × 7 data types, compared with an independent oracle. */
import { FILTER_DATA_TYPES, FILTER_OPERATORS, type FilterGroup, Refusal } from '@rdm/contracts';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SpecDatabase, startDatabase } from '../../fixtures/database.ts';
import { sql } from '../../read-models/sql.ts';
import { runStatement } from '../../read-models/statements.ts';
import {
  applies,
  compiledFields,
  everyFilter,
  expectedIds,
  fillCells,
  foundIds,
  needlesFor,
  oneCondition,
  oracleFields,
  specRows,
} from './cases.fixture.ts';
import { compileFilter } from './compile.ts';
import { cellField } from './fields.ts';

let database: SpecDatabase;
let rows: Record<string, unknown>[];

beforeAll(async () => {
  database = await startDatabase();
  rows = specRows();
  await fillCells(database.pool, rows);
}, 60_000);
afterAll(() => database.stop());

const findIds = async (filter: FilterGroup): Promise<number[]> =>
  (await foundIds(database.pool, [compileFilter(filter, compiledFields)]))[0] as number[];
const expected = (filter: FilterGroup): number[] => expectedIds(filter, rows);

describe('a number that was stored with trailing zeros', () => {
  it.each([
    ['contains', '1.5', true],
    ['ends_with', '.5', true],
    ['starts_with', '1', true],
    ['ends_with', '0', false],
    ['contains', '1.50', false],
  ] as const)('%s %s: %s', async (operator, value, isFound) => {
    const fields = new Map([['size', cellField('cell.data', 3, 'number')]]);
    const condition = compileFilter(oneCondition('size', operator, value), fields);
    const { rows } = await runStatement(
      database.pool,
      sql`SELECT ${condition} AS found FROM (VALUES ('{"3": 1.500}'::jsonb)) cell (data)`,
    );
    expect(rows).toEqual([{ found: isFound }]);
  });
});

describe('every operator on every data type', () => {
  for (const { name, dataType } of oracleFields) {
    for (const operator of FILTER_OPERATORS) {
      if (applies(operator, dataType)) {
        it(`${name} ${operator} finds the same rows as the oracle`, async () => {
          const filters = needlesFor(operator, dataType).map((needle) => oneCondition(name, operator, needle));
          const ids = await foundIds(
            database.pool,
            filters.map((filter) => compileFilter(filter, compiledFields)),
          );
          filters.forEach((filter, index) => {
            expect(ids[index], JSON.stringify(filter)).toEqual(expected(filter));
          });
        });
      } else {
        it(`${name} ${operator} is refused`, () => {
          const filter = oneCondition(name, operator, operator === 'between' ? [1, 2] : 'a');
          expect(() => compileFilter(filter, compiledFields)).toThrowError(/does not apply to/);
        });
      }
    }
  }

  it.each(['America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe'])(
    'finds the same rows if the time zone of the session is %s, by scans and by indexes',
    async (zone) => {
      const client = await database.pool.connect();
      try {
        const filters = everyFilter();
        const wanted = filters.map(expected);
        const conditions = filters.map((filter) => compileFilter(filter, compiledFields));
        for (const setting of ['enable_seqscan', 'enable_indexscan']) {
          await client.query(`SET timezone = '${zone}'; SET datestyle = 'German'; SET ${setting} = off`);
          expect(await foundIds(client, conditions)).toEqual(wanted);
          await client.query('RESET ALL');
        }
      } finally {
        client.release(true);
      }
    },
  );
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

  it('find the same rows as the oracle when nested with AND and OR', async () => {
    await fc.assert(
      fc.asyncProperty(group, async (filter) => {
        expect(await findIds(filter)).toEqual(expected(filter));
      }),
      { numRuns: 150 },
    );
  });

  it('are refused beyond the depth limit', () => {
    const deep = Array.from({ length: 11 }).reduce<FilterGroup>(
      (inner) => ({ logic: 'AND', conditions: [inner] }),
      oneCondition('string', 'equals', 'a'),
    );
    expect(() => compileFilter(deep, compiledFields)).toThrow(Refusal);
  });

  it('set hasRegex only if a condition is a regular expression', () => {
    const nested: FilterGroup = {
      logic: 'OR',
      conditions: [oneCondition('string', 'equals', 'a'), oneCondition('string', 'regex', 'a')],
    };
    expect(compileFilter(nested, compiledFields).hasRegex).toBe(true);
    expect(compileFilter(oneCondition('string', 'equals', 'a'), compiledFields).hasRegex).toBe(false);
  });
});

describe('hostile input', () => {
  it('never becomes part of the statement', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 3 }), (text) => {
        const marked = `mark${text}mark`;
        for (const operator of ['equals', 'contains', 'starts_with', 'ends_with', 'regex', 'greater_than'] as const) {
          expect(compileFilter(oneCondition('string', operator, marked), compiledFields).texts.join('')).not.toContain(
            'mark',
          );
        }
      }),
    );
  });

  it('is never SQL, even if it looks like an Sql object', () => {
    const sqlLookalike = { texts: ['1 = 1'], values: [], hasRegex: false };
    expect(() => compileFilter(oneCondition('string', 'equals', sqlLookalike), compiledFields)).toThrow(Refusal);
    expect(compileFilter(oneCondition('json', 'equals', sqlLookalike), compiledFields).texts.join('')).not.toContain(
      '1 = 1',
    );
  });

  it('finds the same rows as the oracle', async () => {
    const hostile = [
      "'; DROP TABLE cells; --",
      "' OR '1'='1",
      '$1',
      '%',
      '_',
      '\\',
      '%_\\',
      '\\%',
      '"',
      '{}',
      '{"a":1}',
      '__proto__',
      'NULL',
      '\u202e',
      '\ufeff',
      'İ',
      'ß',
      '😀',
      'e\u0301',
    ];
    const huge = ['x'.repeat(1_000_000), '%'.repeat(50_000), '😀'.repeat(20_000), "'".repeat(50_000)];
    const operators = [
      'equals',
      'not_equals',
      'contains',
      'not_contains',
      'starts_with',
      'ends_with',
      'greater_than',
      'less_than_or_equal',
    ] as const;
    for (const needle of [...hostile, ...huge]) {
      const applied = huge.includes(needle) ? (['equals', 'contains', 'starts_with'] as const) : operators;
      const filters = ['string', 'string cell'].flatMap((field) => [
        ...applied.map((operator) => oneCondition(field, operator, needle)),
        oneCondition(field, 'in', [needle, 'de']),
        oneCondition(field, 'not_in', [needle]),
        oneCondition(field, 'between', [needle, 'z']),
      ]);
      const ids = await foundIds(
        database.pool,
        filters.map((filter) => compileFilter(filter, compiledFields)),
      );
      filters.forEach((filter, index) => {
        expect(ids[index], JSON.stringify(filter).slice(0, 200)).toEqual(expected(filter));
      });
    }
    expect(await findIds(oneCondition('number', 'is_not_null'))).not.toEqual([]);
  });

  it.each(['__proto__', 'constructor', 'toString', 'string" OR true --', 'nope'])(
    'is refused as the name of a field: %s',
    (field) => {
      expect(() => compileFilter(oneCondition(field, 'equals', 'a'), compiledFields)).toThrowError(/There is no field/);
    },
  );

  it.each([
    ['number', 'equals', 'abc'],
    ['number', 'equals', ''],
    ['number', 'equals', Number.POSITIVE_INFINITY],
    ['number', 'greater_than', null],
    ['boolean', 'equals', 'maybe'],
    ['date', 'equals', '2024-02-30'],
    ['date', 'equals', 'today'],
    ['datetime', 'less_than', '2024-02-29T25:00:00Z'],
    ['datetime', 'less_than', '29.2.2024'],
    ['string', 'equals', { a: 1 }],
    ['string', 'in', 'a'],
    ['string', 'between', ['a']],
    ['json', 'equals', undefined],
  ] as const)('is refused as an invalid needle: %s %s %j', (field, operator, value) => {
    expect(() => compileFilter(oneCondition(field, operator, value), compiledFields)).toThrow(Refusal);
  });

  it('is refused if it is an invalid regular expression or contains a NUL', async () => {
    await expect(findIds(oneCondition('string', 'regex', '('))).rejects.toThrowError(/regular expression/);
    await expect(findIds(oneCondition('string', 'equals', 'a\0b'))).rejects.toThrow(Refusal);
    await expect(findIds(oneCondition('json', 'equals', 'a\0b'))).rejects.toThrow(Refusal);
  });
});

describe('cells of jsonb rows', () => {
  it('count as no value if they are of another type than their field', async () => {
    const cells = ['"text"', '7', 'true', '"2024-02-29"', '"2024-02-30"', '"today"', 'null', '{}', '[1]'];
    const readable: Record<string, string[]> = {
      string: ['"text"', '"2024-02-29"', '"2024-02-30"', '"today"'],
      number: ['7'],
      boolean: ['true'],
      date: ['"2024-02-29"'],
    };
    for (const [dataType, expectedCells] of Object.entries(readable)) {
      const { sql: cell } = cellField('data', 5, dataType as 'string');
      const { rows: readRows } = await runStatement(
        database.pool,
        sql`SELECT given FROM unnest(${cells}::text[]) given, jsonb_build_object('5', given::jsonb) data WHERE ${cell} IS NOT NULL`,
      );
      expect(readRows.map((row) => (row as { given: string }).given)).toEqual(expectedCells);
    }
  });
});
