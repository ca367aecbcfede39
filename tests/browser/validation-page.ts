/** An empty data set of agents, rows to validate for this data set, and locators of the Validation Test page. */
import type { Page } from '@playwright/test';
import { createCollection, type NamedItem } from './collections.ts';
import { callApi, uniqueName } from './fixtures.ts';

const SCHEMAS = [
  { name: 'code', dataType: 'string', isPrimaryKey: true },
  { name: 'title', dataType: 'string' },
  { name: 'level', dataType: 'number' },
];

/** Creates a type, and an empty data set of this type in a new collection of the steward. */
export async function createAgents(steward: Page): Promise<{ type: NamedItem; dataSet: NamedItem }> {
  const { id: collectionId } = await createCollection(steward);
  const [type, dataSet] = [{ name: uniqueName('Agent') }, { name: uniqueName('Agents') }];
  const { id: typeId } = await callApi(steward, 'POST', '/api/reference-types', { ...type, schemas: SCHEMAS });
  const { id } = await callApi(steward, 'POST', '/api/reference-data', { ...dataSet, typeId, collectionId });
  return { type: { ...type, id: typeId }, dataSet: { ...dataSet, id } };
}

export const FAULTY = [
  'code,title,level,colour',
  '007,Bond,many,red',
  ',Nobody,1,',
  '008,Bill',
  '009,Anna,1,',
  '009,Anna again,2,',
].join('\n');
export const CORRECTED = ['code,title,level', '007,Bond,7', '009,Nobody,1', '008,Bill,'].join('\n');

export const rowsField = (page: Page) => page.getByRole('textbox', { name: 'Rows' });
export const validateButton = (page: Page) => page.getByRole('button', { name: 'Validate', exact: true });
export const result = (page: Page) => page.getByRole('region', { name: 'Result' });
export const verdict = (page: Page) => result(page).getByRole('status').first();
export const rule = (page: Page, name: string) =>
  result(page).getByRole('list', { name: 'Broken rules' }).getByRole('button', { name });
/** The cells with the line numbers of the listed problems. */
export const lines = (page: Page) =>
  result(page).getByRole('grid', { name: 'Problems' }).getByRole('gridcell', { name: /^\d$/ });
