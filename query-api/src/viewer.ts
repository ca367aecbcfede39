/** Who looks: the grants of the reader, as SQL conditions for lists and as levels for single things. */
import {
  type AccessState,
  isAdministrator,
  type Level,
  levelOnCollection,
  levelOnDataSet,
  mayOpen,
  type ReadableDataSets,
  Refusal,
  readableDataSets,
} from '@rdm/contracts';
import type { Tables } from './read-models.ts';
import { all, type Sql, sql } from './sql.ts';

export interface Viewer {
  userId: number;
  isAdmin: boolean;
  /** Condition: the data set of this id and creator may be read (with at least the level). */
  mayReadDataSet(id: Sql, createdBy: Sql, level?: Level): Sql;
  /** Condition: all these data set ids may be read; for rows that do not know who created the data set. */
  mayReadAll(tables: Tables, ids: readonly Sql[], level?: Level): Sql;
  /** The level on a data set; null for none. */
  level(dataSet: { id: number; createdBy: number | null }): Level | null;
  collectionLevel(collectionId: number): Level | null;
  /** Ids of the collections the viewer may see. */
  collectionIds(): number[];
  /** Of the collections that hold a data set, those the viewer may see, by name. */
  collectionsOf(dataSetId: number): { id: number; name: string }[];
  mayOpen(path: string): boolean;
}

/** Of a request that has passed authorisation. */
export function viewerOf(request: { principal: { userId: number }; access: AccessState }): Viewer {
  const { access } = request;
  const { userId } = request.principal;
  const readable = new Map<Level, ReadableDataSets>();
  const readableAt = (level: Level): ReadableDataSets => {
    let ids = readable.get(level);
    if (!ids) {
      ids = readableDataSets(access, userId, level);
      readable.set(level, ids);
    }
    return ids;
  };
  const isAdmin = isAdministrator(access, userId);
  const collectionLevel = (collectionId: number) => levelOnCollection(access, userId, collectionId);
  return {
    userId,
    isAdmin,
    mayReadDataSet(id, createdBy, level = 'READ') {
      const ids = readableAt(level);
      if (ids.all) return sql`true`;
      return sql`(${id} = ANY(${ids.ids}::bigint[])
        OR (${createdBy} = ${userId}::bigint AND NOT ${id} = ANY(${ids.collected}::bigint[])))`;
    },
    mayReadAll(tables, ids, level = 'READ') {
      const readableIds = readableAt(level);
      if (readableIds.all) return sql`true`;
      const own = sql`SELECT own.id FROM ${tables('reference_data_sets')} own
        WHERE own.created_by = ${userId}::bigint AND NOT own.id = ANY(${readableIds.collected}::bigint[])`;
      return all(ids.map((id) => sql`(${id} = ANY(${readableIds.ids}::bigint[]) OR ${id} IN (${own}))`));
    },
    level: (dataSet) => levelOnDataSet(access, userId, dataSet),
    collectionLevel,
    collectionIds: () => [...access.collections.keys()].filter((id) => collectionLevel(id) !== null),
    collectionsOf: (dataSetId) =>
      [...(access.collectionsOf.get(dataSetId) ?? [])]
        .filter((id) => collectionLevel(id) !== null)
        .map((id) => ({ id, name: access.collections.get(id)?.name ?? '' }))
        .sort((a, b) => a.name.localeCompare(b.name)),
    mayOpen: (path) =>
      mayOpen(path, { isAdmin, routes: access.roles.get(access.users.get(userId)?.roleId ?? 0)?.routes ?? [] }),
  };
}

/** The level on a data set, or 404 where there is none: what one may not read does not exist. */
export function levelOrNotFound(viewer: Viewer, dataSet: { id: number; createdBy: number | null }): Level {
  const level = viewer.level(dataSet);
  if (level === null) throw new Refusal('NOT_FOUND', 'Not found');
  return level;
}
