import type { DataType } from '@rdm/contracts';
import { describe, expect, it } from 'vitest';
import { validateRows } from './validation-test.ts';

const field = (fieldId: number, name: string, dataType: DataType) => ({
  fieldId,
  name,
  dataType,
  isPrimaryKey: fieldId === 1,
  retired: false,
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
    field(1, 'code', 'string'),
    field(2, 'name', 'string'),
    field(3, 'size', 'number'),
    field(4, 'since', 'date'),
  ],
  dataSetIds: [],
};
const validate = (content: string | Buffer, keyFieldIds = [1]) =>
  validateRows({ type, keyFieldIds, content: Buffer.from(content as string) });
const problemsOf = async (content: string | Buffer, keyFieldIds?: number[]) =>
  (await validate(content, keyFieldIds)).problems.map(({ line, column, rule }) => [line, column, rule]);

describe('a CSV text', () => {
  it('is valid with semicolons, and with columns in another order and case', async () => {
    expect(await validate('Size;CODE;name;since\n1.5;007;Bond;2024-02-29\n;008;;\n')).toEqual({
      format: 'csv',
      rows: 2,
      validRows: 2,
      invalidRows: 0,
      rules: [],
      problems: [],
      moreProblems: 0,
    });
  });

  it('reports all flaws of all rows, with line, column, value, reason and fix', async () => {
    const rows = ['code,name,size,since', 'AT,Austria,many,31.01.2024', ',Nowhere,1,', 'DE,Germany', 'FR,France,1,,x'];
    const result = await validate(rows.join('\n'));
    expect(result).toMatchObject({ rows: 4, validRows: 0, invalidRows: 4 });
    expect(result.problems.map(({ line, column, value, rule }) => [line, column, value, rule])).toEqual([
      [2, 'size', 'many', 'WRONG_TYPE'],
      [2, 'since', '31.01.2024', 'WRONG_TYPE'],
      [3, 'code', '', 'MISSING_KEY'],
      [4, null, null, 'FIELD_COUNT'],
      [5, null, null, 'FIELD_COUNT'],
    ]);
    expect(result.problems[0]).toMatchObject({
      reason: '"many" is not a number',
      fix: expect.stringContaining('such as 1234.5'),
    });
    expect(result.rules.map(({ name, rows, problems }) => [name, rows, problems])).toEqual([
      ['Too many or too few fields', 2, 2],
      ['Missing key', 1, 1],
      ['Wrong data type', 1, 2],
    ]);
  });

  it('reports a repeated key, also if the row has other flaws', async () => {
    expect(await problemsOf('code,size\nAT,1\nAT,2\nAT,many\nDE,many\nDE,1')).toEqual([
      [3, 'code', 'DUPLICATE_IN_FILE'],
      [4, 'code', 'DUPLICATE_IN_FILE'],
      [4, 'size', 'WRONG_TYPE'],
      [5, 'size', 'WRONG_TYPE'],
    ]);
  });

  it('is valid if a column has no matching field, and reports the column', async () => {
    const result = await validate('code,constructor\nAT,x');
    expect(result).toMatchObject({ validRows: 1, rules: [{ rule: 'UNKNOWN_COLUMN', rows: 0, problems: 1 }] });
    expect(result.problems).toMatchObject([{ line: 1, column: 'constructor' }]);
  });

  it('has no valid row if a key field has no column', async () => {
    const result = await validate('name,size\nAustria,1\nGermany,many', [1, 4]);
    expect(result).toMatchObject({ rows: 2, validRows: 0, invalidRows: 2 });
    expect(result.problems.map(({ line, column, rule }) => [line, column, rule])).toEqual([
      [1, 'code', 'MISSING_KEY_COLUMN'],
      [1, 'since', 'MISSING_KEY_COLUMN'],
      [3, 'size', 'WRONG_TYPE'],
    ]);
    expect(result.rules[0]).toMatchObject({ rule: 'MISSING_KEY_COLUMN', rows: 2, problems: 2 });
  });

  it('needs no header if there are as many columns as fields', async () => {
    expect(await validate('AT,Austria,1,2024-01-01\n')).toMatchObject({ rows: 1, validRows: 1, rules: [] });
  });

  it('has no rows if there is only a header', async () => {
    expect(await validate('code,name\n')).toMatchObject({ rows: 0, validRows: 0, rules: [] });
  });

  it('is read in its encoding, and reports invalid bytes', async () => {
    expect(await validate(Buffer.from('\ufeffcode,name\nAT,Österreich\n', 'utf16le'))).toMatchObject({ validRows: 1 });
    const stray = Buffer.concat([Buffer.from('code,name\nDE,M'), Buffer.from([0xfc]), Buffer.from('n\n')]);
    expect(await problemsOf(stray)).toEqual([[2, 'name', 'ENCODING']]);
  });

  it('lists the first 200 problems of each rule and counts further problems', async () => {
    const rows = Array.from({ length: 1_000 }, (_, index) => `${index},x\n`).join('');
    const result = await validate(`code,size\n${rows},1\n`);
    expect(result.problems).toHaveLength(201);
    expect(result.problems.at(-1)).toMatchObject({ line: 1_002, rule: 'MISSING_KEY' });
    expect(result.moreProblems).toBe(800);
    expect(result.rules[1]).toMatchObject({ rule: 'WRONG_TYPE', rows: 1_000, problems: 1_000 });
    expect(result.rules[1]?.examples).toHaveLength(3);
  });
});

describe('a JSON text', () => {
  it('can be a list of rows, or an object with a list of rows', async () => {
    const rows = [
      { code: '007', name: null, size: 1.5 },
      { code: 'AT', since: '2024-01-01' },
    ];
    for (const document of [rows, { rows }, { items: rows }]) {
      expect(await validate(JSON.stringify(document))).toMatchObject({ format: 'json', validRows: 2, rules: [] });
    }
  });

  it('reports all flaws of all rows, without converting types', async () => {
    const rows: unknown[] = [
      { code: 7, name: ['x'], size: '1', since: '2023-02-29' },
      5,
      { name: 'x\0', colour: 'red' },
      { code: 'AT' },
      { code: 'AT', constructor: 1 },
      { code: 'B'.repeat(3_000), name: 'x'.repeat(100_001) },
    ];
    const result = await validate(JSON.stringify(rows));
    expect(result).toMatchObject({ rows: 6, validRows: 1 });
    expect(result.problems.map(({ line, column, rule }) => [line, column, rule])).toEqual([
      [null, 'colour', 'UNKNOWN_COLUMN'],
      [null, 'constructor', 'UNKNOWN_COLUMN'],
      [1, 'code', 'WRONG_TYPE'],
      [1, 'name', 'WRONG_TYPE'],
      [1, 'size', 'WRONG_TYPE'],
      [1, 'since', 'WRONG_TYPE'],
      [2, null, 'MALFORMED'],
      [3, 'code', 'MISSING_KEY'],
      [3, 'name', 'CONTROL_CHARACTER'],
      [5, 'code', 'DUPLICATE_IN_FILE'],
      [6, 'name', 'TOO_LONG'],
      [6, null, 'TOO_LONG'],
    ]);
    expect(result.problems[2]).toMatchObject({ value: '7', reason: '7 is not a string' });
  });

  it.each([
    ['The file is not valid JSON at line 1, column 11: ', '[{"code": }]'],
    ['The file holds no list of rows', '{"code": "AT"}'],
    ['12345678901234567890 cannot be stored exactly as a number', '[{"code": 12345678901234567890}]'],
    ['The file has bytes that are not UTF-8', Buffer.from('[\n1,\n2,\n"\xff"]', 'latin1')],
    ['The file has 1,001 columns', `[{${Array.from({ length: 1_001 }, (_, index) => `"${index}":1`)}}]`],
  ])('is refused with the reason: %s', async (reason, content) => {
    await expect(validate(content)).rejects.toThrow(reason);
  });
});
