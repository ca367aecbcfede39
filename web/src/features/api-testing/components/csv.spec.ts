/** Tests the CSV parser. */
import { describe, expect, it } from 'vitest';
import { firstRowOf, headersOf, ROWS_MAX, readCsvFile, readRows, slicesOf } from './csv.ts';

const csvOf = (rows: number) => `code\n${'de\n'.repeat(rows)}`;

describe('the header row', () => {
  it('contains the column names, separated by commas, semicolons or tabs', () => {
    expect(headersOf('code,name\nde,Germany')).toEqual(['code', 'name']);
    expect(headersOf('code;"name; long"\r\nde;Germany')).toEqual(['code', 'name; long']);
    expect(headersOf('code\tname\nde\tGermany')).toEqual(['code', 'name']);
    expect(headersOf('code\nde')).toEqual(['code']);
  });

  it('names a column without a name by its number', () =>
    expect(headersOf('code,,\n')).toEqual(['code', 'Column 2', 'Column 3']));

  it('has no columns if the text is empty', () => expect(headersOf('')).toEqual([]));
});

describe('the rows', () => {
  it('keep leading zeros, quotes and line breaks, and omit blank lines', () =>
    expect(readRows('code,name\r\n007,"a ""b"", c\r\nd"\r\n\r\n,x\r\n')).toEqual({
      rows: [
        ['007', 'a "b", c\r\nd'],
        ['', 'x'],
      ],
    }));

  it('may have more or fewer fields than the header row', () =>
    expect(readRows('code,name\nde\nfr,France,x')).toEqual({ rows: [['de'], ['fr', 'France', 'x']] }));

  it.each([
    ['a quotation mark is open', 'code,name\nde,"Germany\nfr,France', 'A quotation mark in row 1 is not closed'],
    [
      'a quotation mark of the header row is open',
      '"code,name\nde,Germany',
      'A quotation mark in the header row is not closed',
    ],
    ['there are none', 'code,name\n', 'The CSV has no rows below its header row'],
    ['there are too many', csvOf(ROWS_MAX + 1), 'The CSV has more than 100,000 rows'],
  ])('are rejected if %s', (_, text, problem) =>
    expect(readRows(text)).toEqual({ problem: expect.stringContaining(problem) }),
  );

  it('are returned in slices, up to the maximum number of rows', () => {
    const slices = [...slicesOf(csvOf(ROWS_MAX))];
    expect(slices).toHaveLength(20);
    expect(slices.flatMap((slice) => ('rows' in slice ? slice.rows : []))).toHaveLength(ROWS_MAX);
    expect(slices.map(({ isLast }) => isLast).indexOf(true)).toBe(19);
  });

  it('are replaced by a single slice with the problem of an invalid CSV', () =>
    expect([...slicesOf('code')]).toEqual([{ problem: expect.any(String), isLast: true }]));

  it('begin with the row below the header row', () => {
    expect(firstRowOf('code,name\nde,Germany\nfr,France')).toEqual(['de', 'Germany']);
    expect(firstRowOf('code,name')).toBeUndefined();
  });
});

describe('a file', () => {
  it('is read as UTF-8, without its byte order mark', async () =>
    expect(await readCsvFile(new File(['\uFEFFcode\né'], 'a.csv'))).toEqual({ name: 'a.csv', text: 'code\né' }));

  it('is rejected in another encoding', async () =>
    expect(await readCsvFile(new File([new Uint8Array([0x63, 0xe9])], 'a.csv'))).toEqual({
      problem: 'a.csv is not UTF-8 text. Save it as CSV in UTF-8 and choose it again.',
    }));

  it('is rejected if it is larger than the limit', async () => {
    const file = new File([], 'a.csv');
    Object.defineProperty(file, 'size', { value: 64 * 1_048_576 + 1 });
    expect(await readCsvFile(file)).toEqual({ problem: 'a.csv is larger than 64 MiB. Split it and run the parts.' });
  });
});
