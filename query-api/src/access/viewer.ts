/** The viewer of a request: provides the grants of a user as SQL conditions for lists and as levels for single entities. */
import {
  type AccessState,
  allowedRoutes,
  hasLevel,
  isAdministrator,
  type Level,
  levelOnCollection,
  levelOnDataSet,
  levelOnPastOfCollection,
  mayOpen,
  type ReadableDataSets,
  Refusal,
  readableDataSets,
  translatableDataSets,
} from '@rdm/contracts';
import { actorOf, declaredLevel, type Principal, type RouteAccess } from '@rdm/platform';
import { isOfPast, type Tables } from '../read-models/read-models.ts';
import { all, type Sql, sql } from '../read-models/sql.ts';

export interface Viewer {
  userId: number;
  isAdmin: boolean;
  /**
   * Condition: the viewer has `level`, by default the level that the route declares, on the data set with this id and creator.
   */
  hasLevelOnDataSet(id: Sql, createdBy: Sql, level?: Level): Sql;
  /**
   * Condition: the viewer has `level`, by default the level that the route declares, on all data sets with these ids.
   * For queries whose rows do not contain the creators.
   */
  hasLevelOnAll(tables: Tables, ids: readonly Sql[], level?: Level): Sql;
  /** Whether the viewer has the level that the route declares on a data set. */
  hasDeclaredLevel(dataSet: { id: number; createdBy: number | null }): boolean;
  /** The viewer's level on a data set; null for none. */
  level(dataSet: { id: number; createdBy: number | null }): Level | null;
  /** The viewer's level on a collection. In requests as of the past, a deleted collection counts with its last grants. */
  collectionLevel(collectionId: number): Level | null;
  /** Ids of the collections on which the viewer has any level. */
  visibleCollectionIds(): number[];
  /** Ids of the groups of which the viewer is a member. */
  groupIds(): number[];
  /** Ids of the collections on which the viewer has the level that the route declares. */
  collectionIds(): number[];
  /** The collections of a data set that the viewer may see, ordered by name. */
  collectionsOf(dataSetId: number): { id: number; name: string }[];
  /**
   * Condition: the viewer is an API key that may translate from the data set; such a key needs no read access to any
   * data set.
   */
  mayTranslateFrom(id: Sql): Sql;
  /** Whether the viewer is an API key that may translate from the data set. */
  mayTranslate(dataSetId: number): boolean;
  mayOpen(path: string): boolean;
}

/** The viewer of an authorised request, with the level that its route declares. */
export function viewerOf(request: {
  principal: Pick<Principal, 'userId' | 'apiKey'>;
  access: AccessState;
  needs: RouteAccess;
  query?: unknown;
}): Viewer {
  const { access } = request;
  const requireDeclaredLevel = (): Level => {
    const level = declaredLevel(request.needs);
    if (!level) throw new Error('This route declares no level');
    return level;
  };
  const { userId } = request.principal;
  const actor = actorOf(request.principal);
  const readable = new Map<Level, ReadableDataSets>();
  const readableAt = (level: Level): ReadableDataSets => {
    let readableIds = readable.get(level);
    if (!readableIds) {
      readableIds = readableDataSets(access, actor, level);
      readable.set(level, readableIds);
    }
    return readableIds;
  };
  const isAdmin = isAdministrator(access, actor);
  const levelOf = isOfPast(request) ? levelOnPastOfCollection : levelOnCollection;
  const collectionLevel = (collectionId: number) => levelOf(access, actor, collectionId);
  return {
    userId,
    isAdmin,
    hasLevelOnDataSet(id, createdBy, level = requireDeclaredLevel()) {
      const readableIds = readableAt(level);
      if (readableIds.all) return sql`true`;
      return sql`(${id} = ANY(${readableIds.ids}::bigint[])
        OR (${createdBy} = ${userId}::bigint AND NOT ${id} = ANY(${readableIds.collected}::bigint[])))`;
    },
    hasLevelOnAll(tables, ids, level = requireDeclaredLevel()) {
      const readableIds = readableAt(level);
      if (readableIds.all) return sql`true`;
      const own = sql`SELECT own.id FROM ${tables('reference_data_sets')} own
        WHERE own.created_by = ${userId}::bigint AND NOT own.id = ANY(${readableIds.collected}::bigint[])`;
      return all(ids.map((id) => sql`(${id} = ANY(${readableIds.ids}::bigint[]) OR ${id} IN (${own}))`));
    },
    hasDeclaredLevel: (dataSet) => hasLevel(levelOnDataSet(access, actor, dataSet), requireDeclaredLevel()),
    level: (dataSet) => levelOnDataSet(access, actor, dataSet),
    collectionLevel,
    groupIds: () => [...(access.groupsOf.get(userId) ?? [])],
    visibleCollectionIds: () => [...access.collections.keys()].filter((id) => collectionLevel(id) !== null),
    collectionIds() {
      const level = requireDeclaredLevel();
      return [...access.collections.keys()].filter((id) => hasLevel(collectionLevel(id), level));
    },
    collectionsOf: (dataSetId) =>
      [...(access.collectionsOf.get(dataSetId) ?? [])]
        .filter((id) => collectionLevel(id) !== null)
        .map((id) => ({ id, name: access.collections.get(id)?.name ?? '' }))
        .sort((a, b) => a.name.localeCompare(b.name)),
    mayTranslateFrom: (id) => sql`${id} = ANY(${translatableDataSets(access, actor)}::bigint[])`,
    mayTranslate: (dataSetId) => translatableDataSets(access, actor).includes(dataSetId),
    mayOpen: (path) => mayOpen(path, { isAdmin, routes: allowedRoutes(access, actor) }),
  };
}

/**
 * Returns the viewer's level on a data set. Without a level, throws NOT_FOUND instead of FORBIDDEN, so that the
 * response does not reveal that the data set exists.
 */
export function levelOrNotFound(viewer: Viewer, dataSet: { id: number; createdBy: number | null }): Level {
  const level = viewer.level(dataSet);
  if (level === null) throw new Refusal('NOT_FOUND', 'Not found');
  return level;
}
