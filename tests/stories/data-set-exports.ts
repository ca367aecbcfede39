/** Creates a data set with values that are hard to export, and downloads its exports. */
import { beforeAll } from 'vitest';
import { newCollection, newDataSet, newType } from './fixtures.ts';
import { type HttpClient, type Json, signInAs } from './http-client.ts';

export let steward: HttpClient;
let dataSet: number;
export let path: string;

export const FORMULA_TEXT = '=HYPERLINK("http://example.com","x")';
export const ROWS: Json[] = [
  { code: '007', name: 'Bond, "James"', rank: 7, active: true, since: '1962-10-05' },
  { code: '0e5', name: FORMULA_TEXT, rank: -1.5, active: false, since: '1899-12-31' },
  { code: '+49', name: "@SUM(1+1)*cmd|' /C calc'!A0", rank: null, active: null, since: null },
  { code: '10', name: 'Zürich 東京 🜁\nsecond line; <b> & co', rank: 1e15, active: true, since: '2026-11-21' },
];

export async function exportFile(
  query: string,
  person = steward,
): Promise<{ bytes: Buffer; headers: Headers; status: number }> {
  const response = await person.download(`${path}?${query}`);
  return { bytes: Buffer.from(await response.arrayBuffer()), headers: response.headers, status: response.status };
}

/** Creates the data set before the tests of a file. */
export function prepareDataSet(): void {
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
}
