/** Creates a crosswalk with drafts of mappings. */
import type { Page } from '@playwright/test';
import { createCollection, grantTo, type NamedItem } from './collections.ts';
import { callApi, uniqueName } from './fixtures.ts';

/**
 * Creates a crosswalk that serves one target per source value. `drafts` has the target values by source value: drafts
 * may break the cardinality.
 */
export async function createCrosswalkWithDrafts(
  steward: Page,
  approver: Page,
  drafts: Record<string, readonly string[]>,
): Promise<NamedItem> {
  const { id: collectionId } = await createCollection(steward, [await grantTo(approver, 'APPROVER')]);
  const { id: typeId } = await callApi(steward, 'POST', '/api/reference-types', {
    name: uniqueName('Code'),
    schemas: [{ name: 'code', dataType: 'string', isPrimaryKey: true }],
  });
  const createDataSet = async (side: string, keys: readonly string[]) => {
    const { id } = await callApi(steward, 'POST', '/api/reference-data', {
      name: uniqueName(side),
      typeId,
      collectionId,
    });
    if (keys.length === 0) return id;
    await callApi(steward, 'POST', `/api/reference-data/${id}/instances`, {
      rows: keys.map((code) => ({ data: { code } })),
    });
    return id;
  };
  const name = uniqueName('Several targets');
  const { id } = await callApi(steward, 'POST', '/api/crosswalks', {
    name,
    sourceSystemId: await createDataSet('Source', Object.keys(drafts)),
    targetSystemId: await createDataSet('Target', [...new Set(Object.values(drafts).flat())]),
    sourceAttribute: 'code',
    targetAttribute: 'code',
  });
  for (const [sourceValue, targets] of Object.entries(drafts)) {
    for (const targetValue of targets) {
      await callApi(steward, 'POST', `/api/crosswalks/${id}/mappings`, {
        rows: [{ sourceValue, targetValue, confidence: 100, origin: 'MANUAL' }],
      });
    }
  }
  return { id, name };
}
