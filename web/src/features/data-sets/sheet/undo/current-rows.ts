/** Reads the current versions of many rows, for the undo of rows that the page may not have loaded. */
import type { InstanceView } from '@rdm/contracts/data-sets/instances';
import { currentInstance, findInstances } from '../../api/instances.ts';

/** The number of ids in a request, because the length of a URL is limited. */
const IDS_PER_READ = 300;
const READS_AT_ONCE = 8;

/** Omits deleted rows. If a field is named `id`, filters cannot use the row id, and the rows are requested one by one. */
export async function currentRows(
  dataSetId: number,
  fields: readonly { name: string }[],
  ids: readonly number[],
): Promise<Map<number, InstanceView>> {
  const rows = new Map<number, InstanceView>();
  const isHidden = fields.some(({ name }) => name === 'id');
  const size = isHidden ? READS_AT_ONCE : IDS_PER_READ;
  for (let at = 0; at < ids.length; at += size) {
    const batch = ids.slice(at, at + size);
    const found = isHidden
      ? await Promise.all(batch.map((id) => currentInstance(dataSetId, id)))
      : (
          await findInstances(dataSetId, {
            filter: JSON.stringify({ logic: 'AND', conditions: [{ field: 'id', operator: 'in', value: batch }] }),
            page: 1,
          })
        ).items;
    for (const row of found) if (row !== undefined) rows.set(row.id, row);
  }
  return rows;
}
