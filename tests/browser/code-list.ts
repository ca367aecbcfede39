/** Creates a code list of 5,000 rows with five different faults, and the data sets for its import and its mappings. */
import type { Page } from '@playwright/test';
import { createCollection, grantTo, type NamedItem } from './collections.ts';
import { callApi, uniqueName } from './fixtures.ts';

const ROWS = 5_000;
const TARGET_ROWS = 1_200;
const codeOf = (row: number): string => String(row).padStart(5, '0');

/** The numbers of the faulty rows, counted from 1. The header is line 1 of the file, so row 1 is on line 2. */
const DUPLICATE = 1_204;
const MISSING_KEY = 2_399;
const RAGGED = 3_002;
const WRONG_TYPE = 3_777;
const STRAY_BYTE = 4_999;

/** The messages that the page shows for the faulty rows, in the order of the lines. */
export const FAILED_ROWS: readonly { line: string; column: string; value: string; reason: string }[] = [
  { line: '1205', column: 'code', value: '00017', reason: 'The key "00017" is already on line 18 of this file' },
  { line: '2400', column: 'code', value: '—', reason: 'The key field "code" is empty' },
  { line: '3003', column: 'Whole row', value: '—', reason: 'This row has 2 fields where the file has 3 columns' },
  { line: '3778', column: 'level', value: 'three', reason: '"three" is not a number' },
  { line: '5000', column: 'title', value: 'Caf\\xe9s', reason: 'This value has bytes that are not UTF-8' },
];

const FAULTY = new Set([DUPLICATE, MISSING_KEY, RAGGED, WRONG_TYPE, STRAY_BYTE]);

/** The codes that the data set contains after the import, in order. */
export const IMPORTED_CODES: readonly string[] = Array.from({ length: ROWS }, (_, index) => index + 1)
  .filter((row) => !FAULTY.has(row))
  .map(codeOf);

/** The codes of the data set that the list is mapped to. */
export const MAPPED_CODES: readonly string[] = IMPORTED_CODES.slice(0, TARGET_ROWS);

const SUBJECTS = ['Growing of rice', 'Mining of lignite', 'Manufacture of bâtiments', 'Repair of clocks, watches'];

/** Returns the code list as a CSV file in UTF-8, except for one byte of Windows-1252. */
export function codeList(): Buffer {
  const lines = [Buffer.from('code,title,level')];
  for (let row = 1; row <= ROWS; row += 1) {
    const title = `"${SUBJECTS[row % SUBJECTS.length]} ${row}"`;
    const level = String((row % 4) + 1);
    if (row === DUPLICATE) lines.push(Buffer.from(`00017,${title},${level}`));
    else if (row === MISSING_KEY) lines.push(Buffer.from(`,${title},${level}`));
    else if (row === RAGGED) lines.push(Buffer.from(`${codeOf(row)},${title}`));
    else if (row === WRONG_TYPE) lines.push(Buffer.from(`${codeOf(row)},${title},three`));
    else if (row === STRAY_BYTE) lines.push(Buffer.from(`${codeOf(row)},Caf\xe9s,${level}`, 'latin1'));
    else lines.push(Buffer.from(`${codeOf(row)},${title},${level}`));
  }
  return Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\r\n')]));
}

/** Creates an empty source and a filled target, in a collection on which the approver has the level APPROVER. */
export async function createNomenclature(
  steward: Page,
  approver: Page,
  nameOf: (name: string) => string = uniqueName,
): Promise<{ source: NamedItem; target: NamedItem }> {
  const { id: collectionId } = await createCollection(
    steward,
    [await grantTo(approver, 'APPROVER')],
    nameOf('Nomenclatures'),
  );
  const { id: typeId } = await callApi(steward, 'POST', '/api/reference-types', {
    name: nameOf('Activity'),
    description: 'An economic activity',
    schemas: [
      { name: 'code', dataType: 'string', isPrimaryKey: true },
      { name: 'title', dataType: 'string', isPrimaryKey: false },
      { name: 'level', dataType: 'number', isPrimaryKey: false },
    ],
  });
  const [sourceName, targetName] = [nameOf('Activities'), nameOf('Ledger codes')];
  const source = await callApi(steward, 'POST', '/api/reference-data', { name: sourceName, typeId, collectionId });
  const target = await callApi(steward, 'POST', '/api/reference-data', { name: targetName, typeId, collectionId });
  await callApi(steward, 'POST', `/api/reference-data/${target.id}/instances`, {
    rows: MAPPED_CODES.map((code) => ({ data: { code, title: `Ledger ${code}`, level: 1 } })),
  });
  return { source: { id: source.id, name: sourceName }, target: { id: target.id, name: targetName } };
}
