/** Creates data sets for a graph, and the collection and the type that they share. */
import type { Page } from '@playwright/test';
import { callApi, uniqueName } from './fixtures.ts';

interface GraphData {
  collectionId: number;
  typeId: number;
  typeName: string;
}

export async function createGraphData(page: Page): Promise<GraphData> {
  const { id: collectionId } = await callApi(page, 'POST', '/api/collections', {
    name: uniqueName('Graphs'),
    tags: [],
  });
  const typeName = uniqueName('Part');
  const { id: typeId } = await callApi(page, 'POST', '/api/reference-types', {
    name: typeName,
    schemas: [
      { name: 'code', dataType: 'string', isPrimaryKey: true },
      { name: 'size', dataType: 'string', isPrimaryKey: false },
    ],
  });
  return { collectionId, typeId, typeName };
}

export async function createDataSet(page: Page, { collectionId, typeId }: GraphData, rows: object[] = []) {
  const name = uniqueName('Parts');
  const { id } = await callApi(page, 'POST', '/api/reference-data', { name, typeId, collectionId });
  if (rows.length > 0) {
    await callApi(page, 'POST', `/api/reference-data/${id}/instances`, { rows: rows.map((data) => ({ data })) });
  }
  return { id, name };
}
