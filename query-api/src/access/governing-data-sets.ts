/** Finds the creators of the data sets that govern changes. Creators and grants decide who may read a change. */
import type { ReadModels } from '../read-models/read-models.ts';
import { sql } from '../read-models/sql.ts';

export interface GoverningDataSet {
  id: number;
  createdBy: number | null;
}

/** With more entries, the cache is cleared. An entry never becomes wrong: the creator of a data set never changes. */
const CACHED_CREATORS = 10_000;

/** Takes the data set ids of each change, and returns the data sets of each change with their creators. */
export type FindGoverningDataSets = (lists: readonly (readonly number[])[]) => Promise<GoverningDataSet[][]>;

export function openGoverningDataSets(readModels: ReadModels): FindGoverningDataSets {
  const cached = new Map<number, number | null>();
  return async (lists) => {
    const creators = new Map<number, number | null>();
    const uncachedIds: number[] = [];
    for (const id of new Set(lists.flat())) {
      const creator = cached.get(id);
      if (creator === undefined) uncachedIds.push(id);
      else creators.set(id, creator);
    }
    if (uncachedIds.length > 0) {
      const { rows } = await readModels.read<GoverningDataSet>(
        {},
        (tables) =>
          sql`SELECT d.id, d.created_by AS "createdBy" FROM ${tables('reference_data_sets')} d WHERE d.id = ANY(${uncachedIds}::bigint[])`,
      );
      if (cached.size > CACHED_CREATORS) cached.clear();
      for (const { id, createdBy } of rows) {
        cached.set(id, createdBy);
        creators.set(id, createdBy);
      }
    }
    // A data set that was deleted before it was cached has no known creator: only the grants on its collections decide.
    return lists.map((ids) => ids.map((id) => ({ id, createdBy: creators.get(id) ?? null })));
  };
}
