/** Reads the current versions of many rows, for an undo or redo that changes rows which the page has not loaded. */
import type { InstanceView } from '@rdm/contracts/data-sets/instances';
import { currentInstance, findInstances } from '../../api/instances.ts';

/** The maximum number of ids in a request, because the length of a URL is limited. */
const IDS_PER_READ = 300;
const CONCURRENT_READS = 8;

/**
 * Omits deleted rows. If the type has a field named `id`, reads each row with its own request, because a filter by `id`
 * then means the field instead of the row id.
 */
export async function currentRows(
  dataSetId: number,
  fields: readonly { name: string }[],
  ids: readonly number[],
): Promise<Map<number, InstanceView>> {
  const rows = new Map<number, InstanceView>();
  const hasFieldNamedId = fields.some(({ name }) => name === 'id');
  const batchSize = hasFieldNamedId ? CONCURRENT_READS : IDS_PER_READ;
  for (let start = 0; start < ids.length; start += batchSize) {
    const batch = ids.slice(start, start + batchSize);
    const batchRows = hasFieldNamedId
      ? await Promise.all(batch.map((id) => currentInstance(dataSetId, id)))
      : (
          await findInstances(dataSetId, {
            filter: JSON.stringify({ logic: 'AND', conditions: [{ field: 'id', operator: 'in', value: batch }] }),
            page: 1,
          })
        ).items;
    for (const row of batchRows) if (row !== undefined) rows.set(row.id, row);
  }
  return rows;
}
