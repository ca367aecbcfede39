/** Exports of a data set as CSV, XLSX and JSON: filtered rows, without executable formulas. */
import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { done, newCollection, newDataSet, newType } from './fixtures.ts';
import { HttpClient, type Json, signInAs, uniqueName } from './http-client.ts';
import { firstSheet } from './xlsx-reader.ts';

let steward: HttpClient;
let dataSet: number;
let path: string;

const HOSTILE = '=HYPERLINK("http://example.com","x")';
const ROWS: Json[] = [
  { code: '007', name: 'Bond, "James"', rank: 7, active: true, since: '1962-10-05' },
  { code: '0e5', name: HOSTILE, rank: -1.5, active: false, since: '1899-12-31' },
  { code: '+49', name: "@SUM(1+1)*cmd|' /C calc'!A0", rank: null, active: null, since: null },
  { code: '10', name: 'Zürich 東京 🜁\nsecond line; <b> & co', rank: 1e15, active: true, since: '2026-11-21' },
];

beforeAll(async () => {
  steward = await signInAs('steward');
  const typeId = await newType(steward, [
    { name: 'rank', dataType: 'number' },
    { name: 'active', dataType: 'boolean' },
    { name: 'since', dataType: 'date' },
  ]);
  dataSet = await newDataSet(steward, typeId, await newCollection(steward), ROWS);
  path = `/api/reference-data/${dataSet}/export`;
  await steward.eventually(`/api/reference-data/${dataSet}/instances`, ({ body }) => body.total === ROWS.length);
});

async function exportFile(
  query: string,
  person = steward,
): Promise<{ bytes: Buffer; headers: Headers; status: number }> {
  const response = await person.download(`${path}?${query}`);
  return { bytes: Buffer.from(await response.arrayBuffer()), headers: response.headers, status: response.status };
}

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

  it('keeps texts as texts: leading zeros, signs, exponents and formulas', async () => {
    const { cells, xml } = await sheetOf();
    expect(['A1', 'B1', 'C1', 'D1', 'E1'].map((at) => cells.get(at)?.value)).toEqual([
      ...['code', 'name', 'rank', 'active', 'since'],
    ]);
    expect(['A2', 'A3', 'A4', 'A5'].map((at) => cells.get(at))).toEqual(
      ['007', '0e5', '+49', '10'].map((value) => ({ type: 's', value, format: '@' })),
    );
    // The text is unchanged. Its cell has the text format, so that it does not become a formula when a user edits it.
    expect(cells.get('B3')).toEqual({ type: 's', value: HOSTILE, format: '@' });
    expect(cells.get('B4')?.value).toBe(ROWS[2].name);
    expect(xml).not.toContain('<f>');
  });

  it('keeps quotes, line breaks and characters of every script', async () => {
    const { cells } = await sheetOf();
    expect(cells.get('B2')?.value).toBe('Bond, "James"');
    expect(cells.get('B5')?.value).toBe(ROWS[3].name);
  });

  it('has typed cells for numbers, booleans and dates, texts for dates that Excel cannot represent, and empty cells for empty values', async () => {
    const { cells } = await sheetOf();
    expect(cells.get('C2')).toMatchObject({ type: 'n', value: '7' });
    expect(cells.get('C3')).toMatchObject({ type: 'n', value: '-1.5' });
    expect(cells.get('C5')?.value).toBe('1000000000000000');
    expect([cells.get('D2'), cells.get('D3')]).toMatchObject([
      { type: 'b', value: '1' },
      { type: 'b', value: '0' },
    ]);
    // Days since 1899-12-31, as Excel counts.
    expect(cells.get('E2')).toEqual({ type: 'n', value: '22924', format: 'yyyy-mm-dd' });
    expect(cells.get('E5')).toEqual({ type: 'n', value: '46347', format: 'yyyy-mm-dd' });
    expect(cells.get('E3')).toEqual({ type: 's', value: '1899-12-31', format: '@' });
    expect([cells.has('C4'), cells.has('D4'), cells.has('E4')]).toEqual([false, false, false]);
  });

  it('contains the filtered rows in the requested order, with the requested columns in their order', async () => {
    const filter = JSON.stringify({ conditions: [{ field: 'active', operator: 'equals', value: true }] });
    const { cells } = await sheetOf(`&order=DESC&fields=name,code&filter=${encodeURIComponent(filter)}`);
    expect([...cells].map(([at, { value }]) => [at, value])).toEqual([
      ['A1', 'name'],
      ['B1', 'code'],
      ['A2', ROWS[3].name],
      ['B2', ROWS[3].code],
      ['A3', ROWS[0].name],
      ['B3', ROWS[0].code],
    ]);
  });

  it('is refused beyond the limit of a file, with a message about what to do', async () => {
    const wide = Array.from({ length: 248 }, (_, index) => ({ name: `f${index}`, dataType: 'string' }));
    const typeId = await newType(steward, wide);
    const many = Array.from({ length: 1_001 }, (_, index) => ({ code: `c${index}` }));
    const id = await newDataSet(steward, typeId, await newCollection(steward), many.slice(0, 600));
    done(
      await steward.post(`/api/reference-data/${id}/instances`, { rows: many.slice(600).map((data) => ({ data })) }),
    );
    await steward.eventually(`/api/reference-data/${id}/instances`, ({ body }) => body.total === 1_001);
    const refused = await steward.get(`/api/reference-data/${id}/export?format=xlsx`);
    expect(refused).toMatchObject({
      status: 413,
      body: {
        code: 'TOO_LARGE',
        error:
          'An XLSX export of 250 columns has at most 800 rows: export CSV instead, or narrow the filter or the columns',
      },
    });
    expect((await steward.get(`/api/reference-data/${id}/export?format=xlsx&fields=code,name`)).status).toBe(200);
    expect((await steward.get(`/api/reference-data/${id}/export?format=csv`)).status).toBe(200);
  });
});

describe('an XLSX export that its client does not read', () => {
  it('does not block other exports', async () => {
    // The random texts cannot be compressed, so the file is as large as allowed, and larger than the buffers of a connection.
    const texts = Array.from({ length: 240 }, () => randomBytes(24_000).toString('base64'));
    const id = await newDataSet(steward, await newType(steward), await newCollection(steward));
    for (let from = 0; from < texts.length; from += 20) {
      const rows = texts.slice(from, from + 20).map((name, index) => ({ data: { code: `${from + index}`, name } }));
      done(await steward.post(`/api/reference-data/${id}/instances`, { rows }));
    }
    const stalled = await steward.download(`/api/reference-data/${id}/export?format=xlsx`);
    expect(stalled.status).toBe(200);
    expect((await exportFile('format=xlsx', await signInAs('admin'))).status).toBe(200);
    // The first export can still be read completely.
    expect((await stalled.arrayBuffer()).byteLength).toBe(Number(stalled.headers.get('Content-Length')));
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
    'as %s is refused for anonymous users, for users who may not read the data set, and for unknown fields',
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

  it('as csv begins with a byte order mark on request; the rest of the file is the same', async () => {
    const [plain, marked] = [await exportFile('format=csv'), await exportFile('format=csv&bom=true')];
    expect(marked.bytes.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
    expect(marked.bytes.subarray(3)).toEqual(plain.bytes);
  });
  it('is refused in an unknown format', async () =>
    expect(await steward.get(`${path}?format=pdf`)).toMatchObject({
      status: 400,
      body: { error: 'A data set is exported as csv, xlsx, json' },
    }));
});
