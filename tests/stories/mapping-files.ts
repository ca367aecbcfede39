/** Exports mappings as files, imports the files, and compares the mappings. */
import { beforeAll, expect } from 'vitest';
import {
  done,
  endOfJob,
  newCrosswalk,
  newDataSet,
  newSharedCollection,
  newType,
  rowsOf,
  uploadRows,
} from './fixtures.ts';
import { type HttpClient, type Json, signInAs } from './http-client.ts';

const SPECIAL_VALUES = [
  '007',
  ' padded ',
  '=1+1',
  "'=2",
  '+49',
  'tab\there',
  'line\r\nbreak',
  '"quoted", or; not',
  'Zürich 🜁',
];
export const FORMATS = ['csv', 'json', 'conceptmap', 'sssom'] as const;
type Format = (typeof FORMATS)[number];

export let steward: HttpClient;
export let approver: HttpClient;
export let viewer: HttpClient;
let typeId: number;
let collectionId: number;
export let source: number;
export let target: number;

export async function exportFile(id: number, format: Format, query = '', person = steward): Promise<string> {
  const path = `/api/crosswalks/${id}/export?format=${format}${query}`;
  const response = await person.download(path);
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  return response.text();
}

export const stageFile = (id: number, content: string) => uploadRows(steward, { crosswalkId: id }, content);

export async function previewImport(id: number, content: string, options: Json = {}): Promise<Json> {
  const fileId = await stageFile(id, content);
  return done(await steward.post(`/api/crosswalks/${id}/mappings/import-preview`, { fileId, ...options }));
}

export const pairOf = ({ sourceValue, targetValue, confidence }: Json) => ({ sourceValue, targetValue, confidence });

/** Imports the file into a crosswalk without mappings; returns the rows of the crosswalk, in the order of their ids. */
export async function importFile(
  id: number,
  content: string,
  options: Json = {},
): Promise<{ id: number; revision: number }[]> {
  const path = `/api/crosswalks/${id}/mappings`;
  const { jobId } = done(await steward.post(`${path}/import`, { fileId: await stageFile(id, content), ...options }));
  const { status, counts } = await endOfJob(steward, jobId);
  expect(status).toBe('DONE');
  const { body } = await steward.eventually(
    `${path}?sort=id`,
    ({ body }) => body.total === counts.created + counts.changed + counts.unchanged,
  );
  return body.items.map(({ id: row, revision }: Json) => ({ id: row, revision }));
}

async function approveAll(id: number, rows: { id: number; revision: number }[]): Promise<void> {
  const path = `/api/crosswalks/${id}/mappings`;
  const submitted = rowsOf(done(await steward.post(`${path}/submit`, { rows })));
  done(await approver.post(`${path}/approve`, { rows: submitted }));
  await steward.eventually(`${path}/counts`, ({ body }) => body.approved === rows.length);
}

/** Replaces the id and the name of the crosswalk by fixed texts, so that only the mappings are compared. */
const withoutCrosswalkIdentity = (file: string, id: number, name: string) =>
  file.replaceAll(`/crosswalks/${id}"`, '/crosswalks/N"').replaceAll(JSON.stringify(name), '"Name"');

export async function nameOf(id: number): Promise<string> {
  return done(await steward.get(`/api/crosswalks/${id}`)).name;
}

export const PAIRS = [
  ...SPECIAL_VALUES.map((value, index) => [value, SPECIAL_VALUES.at(-1 - index) as string, index * 12.5] as const),
  ['007', 'A', 100] as const,
];

/** Creates a crosswalk for exports, with approved mappings of PAIRS. Its definition is not approved. */
export async function newExportedCrosswalk(): Promise<number> {
  const id = await newCrosswalk(steward, source, target);
  const rows = PAIRS.map(([sourceValue, targetValue, confidence]) => ({ sourceValue, targetValue, confidence }));
  await approveAll(id, rowsOf(done(await steward.post(`/api/crosswalks/${id}/mappings`, { rows }))));
  return id;
}

/** Checks that an import of the exported mappings into an empty crosswalk loses nothing. */
export async function requireImportWithoutLoss(id: number, format: Format): Promise<void> {
  const fields = format === 'csv' || format === 'json' ? '&fields=sourceValue,targetValue,confidence,status' : '';
  const first = await exportFile(id, format, fields);
  const copy = await newCrosswalk(steward, source, target);
  const { counts, remarks, format: detected } = await previewImport(copy, first);
  expect({ detected, counts, remarks }).toEqual({
    detected: format,
    counts: { new: PAIRS.length, changed: 0, unchanged: 0, invalid: 0 },
    remarks: [],
  });
  await approveAll(copy, await importFile(copy, first));
  const second = await exportFile(copy, format, fields);
  expect(withoutCrosswalkIdentity(second, copy, await nameOf(copy))).toBe(
    withoutCrosswalkIdentity(first, id, await nameOf(id)),
  );
  expect((await previewImport(copy, first)).counts).toMatchObject({ unchanged: PAIRS.length });
}

/** Checks that a filtered export as of the past omits later changes. */
export async function requireFilteredExport(format: Format): Promise<void> {
  const filter = JSON.stringify({
    logic: 'AND',
    conditions: [{ field: 'targetValue', operator: 'equals', value: 'A' }],
  });
  const filterQuery = `&tab=approved&filter=${encodeURIComponent(filter)}`;
  const ownCrosswalk = await newCrosswalk(steward, source, target);
  const rows = await importFile(ownCrosswalk, 'sourceValue,targetValue\n007,A\n+49,B\n');
  await approveAll(ownCrosswalk, rows);
  const asOf = `&asOf=${new Date().toISOString()}`;
  const before = await exportFile(ownCrosswalk, format, `${filterQuery}${asOf}`);
  done(
    await steward.patch(`/api/crosswalks/${ownCrosswalk}/mappings`, {
      rows: [{ id: rows[0]?.id, revision: 3, targetValue: 'B' }],
    }),
  );
  await steward.eventually(`/api/crosswalks/${ownCrosswalk}/mappings/counts`, ({ body }) => body.draft === 1);
  expect((await previewImport(ownCrosswalk, before)).rows.map(pairOf)).toEqual([
    { sourceValue: '007', targetValue: 'A', confidence: 100 },
  ]);
  expect(await exportFile(ownCrosswalk, format, `${filterQuery}${asOf}`)).toBe(before);
  expect(await exportFile(ownCrosswalk, format, filterQuery)).not.toBe(before);
}

/** Registers a hook that signs users in and creates the data sets of the crosswalks. */
export function prepareMappings(): void {
  beforeAll(async () => {
    [steward, approver, viewer] = await Promise.all([signInAs('steward'), signInAs('approver'), signInAs('viewer')]);
    collectionId = await newSharedCollection(steward);
    typeId = await newType(steward);
    const rows = SPECIAL_VALUES.map((code, index) => ({
      code,
      ...(index % 2 === 0 ? { name: `=Name of ${code}` } : {}),
    }));
    source = await newDataSet(steward, typeId, collectionId, rows);
    target = await newDataSet(steward, typeId, collectionId, [...rows, { code: 'A' }, { code: 'B' }]);
  });
}
