/** Exports a data set, imports the file, and compares the rows. */
import { beforeAll, expect } from 'vitest';
import { done, endOfJob, newCollection, newDataSet, newType } from './fixtures.ts';
import { type HttpClient, type Json, signInAs, uniqueName } from './http-client.ts';

/** The query of an export in each format. */
export const FORMATS = ['format=csv', 'format=xlsx', 'format=json'];
/** The query of a CSV export that begins with a byte order mark. */
export const CSV_WITH_BOM = 'format=csv&bom=true';

let steward: HttpClient;
let collectionId: number;

const FIELDS = [
  { name: 'code', dataType: 'string', isPrimaryKey: true },
  { name: 'a,b', dataType: 'string' },
  { name: '"x"', dataType: 'string' },
  { name: '=1+1', dataType: 'string' },
  { name: 'Menge; Stück', dataType: 'number' },
  { name: 'active', dataType: 'boolean' },
  { name: 'since', dataType: 'date' },
];
export const [TEXT, OTHER_TEXT, FORMULA, NUMBER, BOOLEAN, DATE] = FIELDS.slice(1).map(({ name }) => name) as [
  string,
  string,
  string,
  string,
  string,
  string,
];

const TEXTS = [
  ...[
    '0033',
    '=1+1',
    "'quoted",
    "''",
    "'=1",
    '-5',
    '+5',
    '9e42',
    'NA',
    'N/A',
    'NULL',
    '41_10_1',
    '123456789012345678',
    '+49',
  ],
  ...[
    'two\nlines',
    'two\r\nlines',
    'a\rb',
    'tab\there',
    '\t=1',
    'say "x"',
    '"',
    'a;b',
    'a;=b',
    'a,b',
    'Größe ß',
    '東京',
    '🜁👩‍👩‍👧',
    '\u0001\u001f\u007f',
  ],
  ...[
    ' in blanks ',
    'true',
    'x',
    '1899-12-31',
    '01.02.2025',
    '1,5',
    '1.234,5',
    '#N/A',
    '_x0041_',
    '\ufeffmark',
    'sep=;',
    '\u00a0',
    'a\u00a0b',
    "a\n'b",
    "a;'=b",
    '@x',
    'constructor',
    '__proto__',
    '0',
    '-0',
  ],
];
const NUMBERS = [0, -0.5, 1e21, 123456789012345, 0.1, 1e-7, -1e-300, 1.7976931348623157e308, 1234.5, 5e-324];
const DATES = ['1899-12-31', '1900-02-28', '1900-03-01', '2100-01-01', '2024-02-29', '0001-01-01', '9999-12-31'];

const row = (code: string, index: number): Json => ({
  code,
  [TEXT]: TEXTS[index % TEXTS.length],
  [OTHER_TEXT]: index % 3 === 0 ? null : TEXTS[(index + 7) % TEXTS.length],
  [FORMULA]: index % 5 === 0 ? TEXTS[(index + 3) % TEXTS.length] : null,
  [NUMBER]: index % 4 === 3 ? null : NUMBERS[index % NUMBERS.length],
  [BOOLEAN]: [true, false, null][index % 3],
  [DATE]: index % 4 === 2 ? null : DATES[index % DATES.length],
});

export async function exportFile(dataSetId: number, format: string): Promise<File> {
  const response = await steward.download(`/api/reference-data/${dataSetId}/export?${format}&sort=id`);
  expect(response.status).toBe(200);
  const extension = /format=(\w+)/.exec(format)?.[1];
  return new File([await response.arrayBuffer()], `Export.${extension}`);
}

async function uploadFile(file: File): Promise<Json> {
  const form = new FormData();
  form.set('file', file);
  const { id } = done(await steward.post('/api/imports', form));
  return (await steward.eventually(`/api/imports/${id}`, ({ body }) => body.state !== 'READING')).body;
}

/** Waits until the data set has this number of rows; returns their cells. */
const waitForRows = async (dataSetId: number, count: number): Promise<Json[]> => {
  const path = `/api/reference-data/${dataSetId}/instances?pageSize=1000&sort=id`;
  const { body } = await steward.eventually(path, (answer) => answer.body.total === count);
  return body.items.map(({ data }: Json) => data);
};

/** Imports a file into a new data set of the type; returns the rows of the data set. */
export async function importFile(file: File, typeId: number, count: number): Promise<Json[]> {
  const draft = await uploadFile(file);
  expect(draft).toMatchObject({ state: 'READY', refusal: null, records: count });
  const name = uniqueName('Round trip');
  const target = { kind: 'newDataSet', name, typeId, collectionId };
  // Keep blanks, because by default a cell with only blanks counts as empty.
  const columns = Object.fromEntries(FIELDS.map((_, index) => [index, { format: { blank: 'keep' } }]));
  done(await steward.patch(`/api/imports/${draft.id}`, { target, columns }));
  await steward.eventually(`/api/imports/${draft.id}`, ({ body }) => body.state === 'READY');
  const { jobId, dataSetId } = done(await steward.post(`/api/imports/${draft.id}/start`, { description: name }));
  expect(await endOfJob(steward, jobId)).toMatchObject({ status: 'DONE', counts: { created: count, failed: 0 } });
  return waitForRows(dataSetId, count);
}

export const byCode = (rows: readonly Json[]) => rows.toSorted((one, other) => (one.code < other.code ? -1 : 1));

/** Creates a data set with the rows; returns the rows that the product serves. */
export async function newSource(rows: readonly Json[]): Promise<{ typeId: number; dataSetId: number; stored: Json[] }> {
  const typeId = done(await steward.post('/api/reference-types', { name: uniqueName('Type'), schemas: FIELDS })).id;
  const dataSetId = await newDataSet(steward, typeId, collectionId, [...rows]);
  return { typeId, dataSetId, stored: byCode(await waitForRows(dataSetId, rows.length)) };
}

/** Exports texts and keys that imports could change, imports the file, and compares the rows. */
export async function requireSameValues(format: string): Promise<void> {
  const { typeId, dataSetId, stored } = await newSource([
    ...TEXTS.map((_, index) => row(`c${index}`, index)),
    ...TEXTS.map((text, index) => ({ code: `${text}#`, [TEXT]: `${text}${TEXTS[(index + 1) % TEXTS.length]}` })),
    ...['0033', '=1+1', '9e42', 'NA', '123456789012345678', '+49', '-5', "'q"].map((code) => ({ code })),
  ]);
  expect(byCode(await importFile(await exportFile(dataSetId, format), typeId, stored.length))).toEqual(stored);
}

/** Exports a data set, uploads the file, and checks that an import into the same data set would change no row. */
export async function requireNoChange(format: string): Promise<void> {
  const field = uniqueName('field');
  const typeId = await newType(steward, [
    { name: field, dataType: 'number' },
    { name: 'since', dataType: 'date' },
  ]);
  const rows = Array.from({ length: 20 }, (_, index) => ({
    ...{ code: String(index).padStart(3, '0'), name: TEXTS[index], [field]: index % 2 ? index / 4 : null },
    since: index % 3 ? '2025-03-04' : null,
  }));
  const dataSetId = await newDataSet(steward, typeId, collectionId, rows);
  const stored = await waitForRows(dataSetId, rows.length);
  const { id } = await uploadFile(await exportFile(dataSetId, format));
  const [best] = done(await steward.get(`/api/imports/${id}/targets`));
  expect(best).toMatchObject({ target: { kind: 'dataSet', dataSetId }, isPreselected: true });
  done(await steward.patch(`/api/imports/${id}`, { target: best.target }));
  await steward.eventually(`/api/imports/${id}`, ({ body }) => body.state === 'READY');
  done(await steward.post(`/api/imports/${id}/validate`));
  const { body } = await steward.eventually(`/api/imports/${id}`, (answer) =>
    ['DONE', 'FAILED'].includes(answer.body.check?.status),
  );
  expect(body.check).toMatchObject({
    status: 'DONE',
    counts: { new: 0, changed: 0, unchanged: stored.length, invalid: 0, skipped: 0 },
  });
}

/** Signs the steward in and creates a collection before the tests of a file. */
export function prepareRoundTrips(): void {
  beforeAll(async () => {
    steward = await signInAs('steward');
    collectionId = await newCollection(steward);
  });
}
