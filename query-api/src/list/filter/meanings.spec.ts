/** Checks each cell of the table in docs/filters.md with filters on PostgreSQL. `UPDATE_DOCS=1` writes the table. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { FILTER_DATA_TYPES, FILTER_OPERATORS, type FilterDataType, type FilterOperator, Refusal } from '@rdm/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SpecDatabase, startDatabase } from '../../fixtures/database.ts';
import { rawSql, sql } from '../../read-models/sql.ts';
import { runStatement } from '../../read-models/statements.ts';
import { oneCondition } from './cases.fixture.ts';
import { compileFilter, type FieldMap, SQL_TYPE } from './compile.ts';

const document = fileURLToPath(new URL('../../../../docs/filters.md', import.meta.url));

/**
 * For each type: a stored value, an equal needle, needles in another case (`otherCase`), the same instant in another
 * time zone (`shifted`), and the day of the instant.
 */
const SAMPLES: Record<
  FilterDataType,
  { stored: string; needle: unknown; otherCase?: unknown[]; shifted?: unknown; day?: unknown }
> = {
  string: { stored: "'Bern'", needle: 'Bern', otherCase: ['bERN', 'BERN'] },
  number: { stored: '7', needle: 7 },
  boolean: { stored: 'true', needle: true },
  date: { stored: "'2026-05-01'", needle: '2026-05-01' },
  datetime: {
    stored: "'2026-05-01T23:30:00Z'",
    needle: '2026-05-01T23:30:00.000Z',
    shifted: '2026-05-02T01:30:00.000+02:00',
    day: '2026-05-01',
  },
  json: { stored: `'"Bern"'`, needle: 'Bern', otherCase: ['bERN', 'BERN'] },
  array: { stored: `'["Bern"]'`, needle: ['Bern'], otherCase: [['bERN'], ['BERN']] },
};

let database: SpecDatabase;
beforeAll(async () => {
  database = await startDatabase();
}, 60_000);
afterAll(() => database.stop());

const valueFor = (operator: FilterOperator, needle: unknown): unknown => {
  if (operator.endsWith('null')) return undefined;
  if (operator === 'between') return [needle, needle];
  if (operator === 'in' || operator === 'not_in') return Array.isArray(needle) ? needle : [needle];
  return needle;
};

/** Whether a row with this value matches; undefined if the filter is refused. */
async function finds(dataType: FilterDataType, stored: string, operator: FilterOperator, needle: unknown) {
  const field = { dataType, sql: rawSql('stored') };
  const fields: FieldMap = new Map([['field', field]]);
  try {
    const condition = compileFilter(oneCondition('field', operator, valueFor(operator, needle)), fields);
    // The result must not depend on the time zone of the session, even if the offset is +05:45.
    const client = await database.pool.connect();
    try {
      await client.query(`SET timezone = 'Asia/Kathmandu'`);
      await client.query(`CREATE TEMP TABLE IF NOT EXISTS one (stored ${SQL_TYPE[dataType]}); TRUNCATE one`);
      await client.query(`INSERT INTO one VALUES (${stored})`);
      const { rows } = await runStatement(client, sql`SELECT FROM one WHERE ${condition}`);
      return rows.length === 1;
    } finally {
      await client.query('DROP TABLE IF EXISTS one; RESET timezone');
      client.release();
    }
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** Returns the text of one cell of the table: whether the operator applies to the type, and how it compares. */
async function meaning(operator: FilterOperator, dataType: FilterDataType): Promise<string> {
  const { stored, needle, otherCase, shifted, day } = SAMPLES[dataType];
  const equalResult = await finds(dataType, stored, operator, needle);
  if (equalResult === undefined) return 'refused';
  const hasNeedle = !operator.endsWith('null');
  const parts = [(await finds(dataType, 'NULL', operator, needle)) ? 'also no value' : 'values'];
  if (hasNeedle && otherCase !== undefined) {
    const otherCaseResults = [];
    for (const needle of otherCase) otherCaseResults.push(await finds(dataType, stored, operator, needle));
    parts.push(otherCaseResults.every((result) => result === equalResult) ? 'any case' : 'case counts');
  }
  if (hasNeedle && shifted !== undefined) {
    const shiftedResult = await finds(dataType, stored, operator, shifted);
    const dayResult = await finds(dataType, stored, operator, day);
    if (shiftedResult !== equalResult) parts.push('as UTC text');
    else parts.push('any zone', dayResult === equalResult ? 'a day is all of it' : 'a day is its midnight');
  }
  return parts.join(', ');
}

async function createTable(): Promise<string> {
  const rows: string[][] = [['operator', ...FILTER_DATA_TYPES]];
  for (const operator of FILTER_OPERATORS) {
    const cells: string[] = [];
    for (const dataType of FILTER_DATA_TYPES) cells.push(await meaning(operator, dataType));
    rows.push([`\`${operator}\``, ...cells]);
  }
  // Uses the column widths that the formatter would write.
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const formatLine = (row: string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [head = [], ...others] = rows;
  return [formatLine(head), formatLine(widths.map((width) => '-'.repeat(width))), ...others.map(formatLine)].join('\n');
}

const BEGIN = '<!-- the table: written by query-api/src/list/filter/meanings.spec.ts -->';
const END = '<!-- the end of the table -->';

describe('the table in docs/filters.md', () => {
  it('matches PostgreSQL', async () => {
    const measured = await createTable();
    const text = readFileSync(document, 'utf8');
    const [before = '', rest = ''] = text.split(BEGIN);
    const [documented = '', after = ''] = rest.split(END);
    if (process.env['UPDATE_DOCS']) writeFileSync(document, `${before}${BEGIN}\n\n${measured}\n\n${END}${after}`);
    else expect(documented.trim()).toBe(measured);
  });
});
