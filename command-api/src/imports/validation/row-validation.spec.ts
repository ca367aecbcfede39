import { type DataType, neutralised } from '@rdm/contracts';
import { describe, expect, it } from 'vitest';
import { planImport } from './plan.ts';
import { checkRecord, describeFlaws, isRejected, type RejectedRow, type ValidRow } from './row-validation.ts';

const field = (fieldId: number, name: string, dataType: DataType, retired = false) => ({
  fieldId,
  name,
  dataType,
  isPrimaryKey: fieldId <= 2,
  retired,
  referencedBy: [],
});
const type = {
  id: 1,
  name: 'Country',
  description: '',
  deleted: false,
  revision: 1,
  schemaRevision: 1,
  fields: [
    field(1, 'region', 'string'),
    field(2, 'code', 'string'),
    field(3, 'size', 'number'),
    field(4, 'since', 'date'),
    field(5, 'gone', 'string', true),
  ],
  dataSetIds: [],
};
const COLUMNS = ['Code', 'Region', 'Size', 'Since', 'Other'];
const plan = planImport(COLUMNS, { Code: 2, Region: 1, Size: 3, Since: 4 }, [1, 2], type);
const check = (...fields: string[]) =>
  checkRecord(plan, {
    line: 7,
    fields: fields.map((text) => Buffer.from(text).toString('latin1')),
    raw: '',
    isClean: false,
    malformed: null,
  });
const rejected = (...fields: string[]): RejectedRow => {
  const row = check(...fields);
  if (!isRejected(row)) throw new Error(`${JSON.stringify(row)} was accepted`);
  return row;
};

describe('the plan', () => {
  it('maps columns in the order of the file, and key columns in the order of the key', () => {
    expect(plan.mapped.map((column) => [column.index, column.name, column.field.fieldId])).toEqual([
      [0, 'Code', 2],
      [1, 'Region', 1],
      [2, 'Size', 3],
      [3, 'Since', 4],
    ]);
    expect(plan.keyAt).toEqual([1, 0]);
  });
  it.each([
    ['a column the file does not have', { Nope: 1, Code: 2 }, 'The file has no column "Nope"'],
    ['a field the type does not have', { Code: 99 }, 'has no active field 99 for the column "Code"'],
    ['a field that is retired', { Code: 5 }, 'has no active field 5 for the column "Code"'],
    ['a field with two columns', { Code: 2, Other: 2 }, 'The columns "Code" and "Other" both fill the field "code"'],
    ['a key field without a column', { Code: 2 }, 'No column fills the key field "region"'],
  ])('refuses %s', (_, mapping, words) => {
    expect(() => planImport(COLUMNS, mapping, [1, 2], type)).toThrow(words);
  });
});

describe('a record', () => {
  it('becomes a row of typed cells, with null for an empty cell', () => {
    const row = check('007', 'Südwest', '1.50', '2024-02-29', 'x') as ValidRow;
    expect(row).toMatchObject({ line: 7, key: '["Südwest","007"]', cells: ['007', 'Südwest', 1.5, '2024-02-29'] });
    expect(check(' a ', 'b', '', '', '')).toMatchObject({ cells: [' a ', 'b', null, null] });
  });
  it('loses only the apostrophe that exports put before formulas', () => {
    const texts = ['=1+1', '@home', '-x', "'=a", "'s-Gravenhage", "O'Neill", "'"];
    for (const text of texts)
      expect(check(neutralised(text), 'b', '-5', '', '')).toMatchObject({ cells: [text, 'b', -5, null] });
    expect(rejected(neutralised('@home'), 'b', 'many', '', '').data['Code']).toBe('@home');
  });
  it.each([
    ['too few fields', ['a', 'b'], 'FIELD_COUNT', null],
    ['too many fields', ['a', 'b', '1', '', '', 'more'], 'FIELD_COUNT', null],
    ['a text in a number field', ['a', 'b', '1,5', '', ''], 'WRONG_TYPE', 'Size'],
    ['a day that does not exist', ['a', 'b', '', '2023-02-29', ''], 'WRONG_TYPE', 'Since'],
    ['a key with an empty part', ['a', '', '1', '', ''], 'MISSING_KEY', 'Region'],
    ['a null character', ['a\0', 'b', '1', '', ''], 'CONTROL_CHARACTER', 'Code'],
    ['a value that is too long', ['a', 'b'.repeat(100_001), '1', '', ''], 'TOO_LONG', 'Region'],
    ['a key that is too long', ['a', 'b'.repeat(3_000), '1', '', ''], 'TOO_LONG', null],
  ])('is rejected for %s', (_, fields, rule, column) => {
    expect(rejected(...fields).flaws[0]).toMatchObject({ rule, column });
  });
  it('is rejected for bytes that are not UTF-8', () => {
    const row = checkRecord(plan, {
      line: 3,
      fields: ['DE', 'M\xfcnchen', '1', '', ''],
      raw: '',
      isClean: false,
      malformed: null,
    }) as RejectedRow;
    expect(row.flaws[0]).toMatchObject({ rule: 'ENCODING', column: 'Region', value: 'M\\xfcnchen' });
    expect(row.data).toEqual({ Code: 'DE', Region: 'M\\xfcnchen', Size: '1', Since: '', Other: '' });
  });
  it('is rejected if it is malformed', () => {
    const row = checkRecord(plan, {
      line: 3,
      fields: ['DE'],
      raw: '',
      isClean: false,
      malformed: { rule: 'a quotation mark is opened and never closed', fix: 'Close it' },
    });
    expect((row as RejectedRow).flaws[0].rule).toBe('MALFORMED');
  });
  it('is rejected with all its flaws', () => {
    const row = rejected('a', 'b', 'many', '31.01.2024', '');
    expect(row.flaws.map((flaw) => flaw.column)).toEqual(['Size', 'Since']);
    expect(describeFlaws(row)).toBe(
      'Line 7, column "Size": "many" is not a number. Write digits with a point before the decimals and nothing ' +
        'between thousands, such as 1234.5. The row has 1 more problem.',
    );
  });
  it('is not checked for types if the number of fields is wrong', () => {
    const rulesOf = (...fields: string[]) => rejected(...fields).flaws.map(({ rule, column }) => [rule, column]);
    expect(rulesOf('', '', 'many', '', '')).toEqual([
      ['WRONG_TYPE', 'Size'],
      ['MISSING_KEY', 'Region'],
      ['MISSING_KEY', 'Code'],
    ]);
    // With too many fields, a cell can be in the wrong column, so its type is not checked.
    expect(rulesOf('a\0', 'b', 'many', '', '', 'more')).toEqual([
      ['FIELD_COUNT', null],
      ['CONTROL_CHARACTER', 'Code'],
    ]);
  });
  it('is accepted with an apostrophe before a number', () => {
    expect(check('a', 'b', "'-1e5", '', '')).toMatchObject({ cells: ['a', 'b', -100_000, null] });
  });
  it('is reported with the first 200 characters of a value', () => {
    expect(rejected('a'.repeat(1_000), 'b', 'many', '', '').data['Code']).toBe(`${'a'.repeat(200)}…`);
  });
  it('is reported with its fields beyond the last column', () => {
    expect(rejected('a', 'b', '1', '', '', 'more', 'still').data['(beyond the last column)']).toBe('more | still');
  });
});
