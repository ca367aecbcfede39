/** Creates the codes that the tests filter. */
import type { Page } from '@playwright/test';
import { createCollection, grantTo } from './collections.ts';
import { callApi, uniqueName } from './fixtures.ts';

export const CODES = ['007', '008', '100', '200'];

/** Creates a data set that the viewer may read. */
export async function createCodes(steward: Page, viewer: Page): Promise<{ dataSetId: number }> {
  const { id: collectionId } = await createCollection(steward, [await grantTo(viewer, 'READ')]);
  const { id: typeId } = await callApi(steward, 'POST', '/api/reference-types', {
    name: uniqueName('Agent'),
    schemas: [{ name: 'code', dataType: 'string', isPrimaryKey: true }],
  });
  const { id } = await callApi(steward, 'POST', '/api/reference-data', {
    name: uniqueName('Agents'),
    typeId,
    collectionId,
  });
  const rows = CODES.map((code) => ({ data: { code } }));
  await callApi(steward, 'POST', `/api/reference-data/${id}/instances`, { rows });
  return { dataSetId: id };
}
