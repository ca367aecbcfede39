/** Exports of a data set as CSV, XLSX and JSON. */
import { describe, expect, it } from 'vitest';
import { exportFile, FORMULA_TEXT, path, prepareDataSet, ROWS, steward } from './data-set-exports.ts';
import { HttpClient, signInAs, uniqueName } from './http-client.ts';
import { firstSheet } from './xlsx-reader.ts';

prepareDataSet();

const sheetOf = async (query = '') => firstSheet((await exportFile(`format=xlsx&sort=id${query}`)).bytes);

describe('an XLSX export', () => {
  it('is a complete download', async () => {
    const { bytes, headers, status } = await exportFile('format=xlsx');
    expect(status).toBe(200);
    expect(headers.get('Content-Type')).toBe('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet');
    expect(headers.get('Content-Disposition')).toMatch(/^attachment; filename="Data set .*\.xlsx"/);
    expect(headers.get('Content-Length')).toBe(String(bytes.byteLength));
    expect(headers.get('X-Position')).toMatch(/^\d+$/);
  });

  it('keeps texts with leading zeros, signs, exponents and formulas as texts', async () => {
    const { cells, xml } = await sheetOf();
    expect(['A1', 'B1', 'C1', 'D1', 'E1'].map((reference) => cells.get(reference)?.value)).toEqual([
      ...['code', 'name', 'rank', 'active', 'since'],
    ]);
    expect(['A2', 'A3', 'A4', 'A5'].map((reference) => cells.get(reference))).toEqual(
      ['007', '0e5', '+49', '10'].map((value) => ({ type: 's', value, format: '@' })),
    );
    // With the text format, the text does not become a formula when a user edits the cell.
    expect(cells.get('B3')).toEqual({ type: 's', value: FORMULA_TEXT, format: '@' });
    expect(cells.get('B4')?.value).toBe(ROWS[2].name);
    expect(xml).not.toContain('<f>');
  });

  it('keeps quotes, line breaks and characters of several scripts', async () => {
    const { cells } = await sheetOf();
    expect(cells.get('B2')?.value).toBe('Bond, "James"');
    expect(cells.get('B5')?.value).toBe(ROWS[3].name);
  });

  it('has typed cells for numbers, booleans and the dates that Excel can represent', async () => {
    const { cells } = await sheetOf();
    expect(cells.get('C2')).toMatchObject({ type: 'n', value: '7' });
    expect(cells.get('C3')).toMatchObject({ type: 'n', value: '-1.5' });
    expect(cells.get('C5')?.value).toBe('1000000000000000');
    expect([cells.get('D2'), cells.get('D3')]).toMatchObject([
      { type: 'b', value: '1' },
      { type: 'b', value: '0' },
    ]);
    // Excel stores a date after February 1900 as the number of days since 1899-12-30.
    expect(cells.get('E2')).toEqual({ type: 'n', value: '22924', format: 'yyyy-mm-dd' });
    expect(cells.get('E5')).toEqual({ type: 'n', value: '46347', format: 'yyyy-mm-dd' });
    expect(cells.get('E3')).toEqual({ type: 's', value: '1899-12-31', format: '@' });
    expect([cells.has('C4'), cells.has('D4'), cells.has('E4')]).toEqual([false, false, false]);
  });

  it('contains the filtered rows and the requested columns in the requested order', async () => {
    const filter = JSON.stringify({ conditions: [{ field: 'active', operator: 'equals', value: true }] });
    const { cells } = await sheetOf(`&order=DESC&fields=name,code&filter=${encodeURIComponent(filter)}`);
    expect([...cells].map(([reference, { value }]) => [reference, value])).toEqual([
      ['A1', 'name'],
      ['B1', 'code'],
      ['A2', ROWS[3].name],
      ['B2', ROWS[3].code],
      ['A3', ROWS[0].name],
      ['B3', ROWS[0].code],
    ]);
  });
});

describe('a CSV export', () => {
  it('keeps codes, puts values in quotes where needed, and writes formulas as text', async () => {
    const { bytes } = await exportFile('format=csv&sort=id');
    expect(bytes.toString('utf8').split('\r\n').slice(0, 4)).toEqual([
      'code,name,rank,active,since',
      '007,"Bond, ""James""",7,true,1962-10-05',
      `0e5,"'=HYPERLINK(""http://example.com"",""x"")",-1.5,false,1899-12-31`,
      `+49,'@SUM(1+1)*cmd|' /C calc'!A0,,,`,
    ]);
  });
});

describe('a JSON export', () => {
  it('is a list of the rows with typed values', async () => {
    const { bytes, headers } = await exportFile('format=json&sort=id');
    expect(headers.get('Content-Type')).toBe('application/json; charset=utf-8');
    expect(JSON.parse(bytes.toString('utf8'))).toEqual(ROWS);
  });
});

describe('any export', () => {
  it.each(['csv', 'xlsx', 'json'])(
    'as %s is refused without access to the data set, and for unknown fields',
    async (format) => {
      expect((await exportFile(`format=${format}`, new HttpClient())).status).toBe(401);
      expect((await exportFile(`format=${format}`, await signInAs('viewer'))).status).toBe(404);
      const unknown = await steward.get(`${path}?format=${format}&fields=${uniqueName('nothing')}`);
      expect(unknown).toMatchObject({
        status: 400,
        body: { error: expect.stringMatching(/^There is no field “nothing.*” to show\. Use one of: code, /) },
      });
    },
  );

  it('as csv begins with a byte order mark if the request contains bom=true', async () => {
    const [plain, markedFile] = [await exportFile('format=csv'), await exportFile('format=csv&bom=true')];
    expect(markedFile.bytes.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
    expect(markedFile.bytes.subarray(3)).toEqual(plain.bytes);
  });
  it('is refused in an unknown format', async () =>
    expect(await steward.get(`${path}?format=pdf`)).toMatchObject({
      status: 400,
      body: { error: 'A data set is exported as csv, xlsx, json' },
    }));
});
