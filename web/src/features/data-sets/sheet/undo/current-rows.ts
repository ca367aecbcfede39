/** Rows as they are stored now, many at once: for what is to be taken back, wherever its rows are listed. */
import type { InstanceView } from '@rdm/contracts/data-sets/data-sets';
import { currentInstance, findInstances } from '../../api/instances.ts';

/** Ids of one question: an address holds so many. */
const IDS_PER_READ = 300;
const READS_AT_ONCE = 8;

/** Rows that are gone are left out. A field that is named as the id is hides it: then rows are asked for one by one. */
export async function currentRows(
  dataSetId: number,
  fields: readonly { name: string }[],
  ids: readonly number[],
): Promise<Map<number, InstanceView>> {
  const rows = new Map<number, InstanceView>();
  const isHidden = fields.some(({ name }) => name === 'id');
  const size = isHidden ? READS_AT_ONCE : IDS_PER_READ;
  for (let at = 0; at < ids.length; at += size) {
    const some = ids.slice(at, at + size);
    const found = isHidden
      ? await Promise.all(some.map((id) => currentInstance(dataSetId, id)))
      : (
          await findInstances(dataSetId, {
            filter: JSON.stringify({ logic: 'AND', conditions: [{ field: 'id', operator: 'in', value: some }] }),
            page: 1,
          })
        ).items;
    for (const row of found) if (row !== undefined) rows.set(row.id, row);
  }
  return rows;
}
