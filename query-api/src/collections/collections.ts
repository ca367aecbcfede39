/** Routes of collections: the list, and the data sets, grants, changes and effective access of one collection. */
import {
  type AccessSource,
  type AccessState,
  COLLECTION_ACTIVITY_FIELDS,
  COLLECTION_FIELDS,
  CollectionActivity,
  CollectionItemView,
  CollectionView,
  type DataSetView,
  EffectiveAccess,
  type GivenGrant,
  type Grant,
  highest,
  isAdministrator,
  type Level,
  ListQuery,
  PermissionsView,
  pageOf,
  Refusal,
} from '@rdm/contracts';
import { type ApiRequest, idParam, type Route, route } from '@rdm/platform';
import { z } from 'zod';
import { readUserNames } from '../access/user-names.ts';
import { type Viewer, viewerOf } from '../access/viewer.ts';
import { type DataSetRow, dataSetList, pendingCount, toDataSetView } from '../entities/data-set-list.ts';
import { listRows, oneRow } from '../list/list.ts';
import { fieldMap, type ListDefinition } from '../list/list-definition.ts';
import type { QueryContext } from '../query-context.ts';
import { answer, type Tables } from '../read-models/read-models.ts';
import { type Sql, sql } from '../read-models/sql.ts';

type Row = Omit<CollectionView, 'level'>;

function definition(tables: Tables, viewer: Viewer): ListDefinition {
  const count = sql`cardinality(k.data_set_ids)`;
  const pending = sql`(SELECT coalesce(sum(${pendingCount(tables, viewer)}), 0)
    FROM ${tables('reference_data_sets')} d WHERE d.id = ANY(k.data_set_ids))`;
  const columns = {
    id: sql`k.id`,
    name: sql`k.name`,
    description: sql`k.description`,
    tags: sql`k.tags`,
    ownerId: sql`k.owner_id`,
    dataSetCount: count,
    pendingCount: pending,
    revision: sql`k.revision`,
    createdAt: sql`k.created_at`,
    updatedAt: sql`k.updated_at`,
  };
  return {
    from: sql`${tables('reference_data_collections')} k`,
    where: sql`k.id = ANY(${viewer.collectionIds()}::bigint[])`,
    columns,
    fields: fieldMap(COLLECTION_FIELDS, columns, {}),
    search: [sql`k.name`, sql`k.description`, sql`array_to_string(k.tags, ' ')`],
    isSearchedByWords: true,
    id: sql`k.id`,
    defaultSort: { sql: sql`k.name`, dataType: 'string', order: 'ASC' },
  };
}

const toView =
  (viewer: Viewer) =>
  (row: Row): CollectionView => ({ ...row, level: viewer.collectionLevel(row.id) ?? 'READ' });

/** Returns the id of the collection in the path. Throws 403 without the declared level, and 404 without any level. */
function collectionIn(
  request: Pick<ApiRequest<unknown, unknown>, 'params' | 'principal' | 'access' | 'needs' | 'query'>,
): number {
  const id = idParam(request);
  const viewer = viewerOf(request);
  if (viewer.collectionLevel(id) === null) throw new Refusal('NOT_FOUND', 'Not found');
  if (!viewer.collectionIds().includes(id)) {
    throw new Refusal('FORBIDDEN', "You don't have permission to perform this action");
  }
  return id;
}

/**
 * Returns the sources of a user's level on a collection: the role Administrator, ownership, the user's own grant and
 * grants of groups. An inactive user has none.
 */
function accessSourcesOf(access: AccessState, userId: number, collectionId: number): AccessSource[] {
  const collection = access.collections.get(collectionId);
  if (!collection || access.users.get(userId)?.active !== true) return [];
  const sources: AccessSource[] = [];
  if (isAdministrator(access, userId)) sources.push({ kind: 'administrator', permissionLevel: 'ADMIN' });
  if (collection.ownerId === userId) sources.push({ kind: 'owner', permissionLevel: 'ADMIN' });
  const own = collection.grants.get(`user:${userId}`);
  if (own) sources.push({ kind: 'user', permissionLevel: own });
  for (const groupId of access.groupsOf.get(userId) ?? []) {
    const level = collection.grants.get(`group:${groupId}`);
    const group = access.groups.get(groupId);
    if (level && group) sources.push({ kind: 'group', groupId, name: group.name, permissionLevel: level });
  }
  return sources;
}

const EffectiveQuery = z.object({
  userId: z.coerce.number().int().positive().describe('The id of the user.'),
});

/** The changes of a collection itself, newest first. */
function activityList(tables: Tables, viewer: Viewer, id: number): ListDefinition {
  const readable = sql`${tables('reference_data_sets')} d
    WHERE d.id = ANY(a.data_set_ids) AND ${viewer.hasLevelOnDataSet(sql`d.id`, sql`d.created_by`)}`;
  const dataSets = sql`(SELECT coalesce(json_agg(json_build_object('id', d.id, 'name', d.name) ORDER BY d.name), '[]')
    FROM ${readable})`;
  const dataSetNames = sql`(SELECT jsonb_agg(d.name ORDER BY d.name) FROM ${readable})`;
  const username = sql`(SELECT u.username FROM identity.users u WHERE u.id = a.actor_id)`;
  const columns = {
    seq: sql`a.seq`,
    timestamp: sql`a.at`,
    userId: sql`a.actor_id`,
    apiKeyId: sql`a.api_key_id`,
    apiKeyName: sql`(SELECT k.name FROM identity.api_keys k WHERE k.id = a.api_key_id)`,
    action: sql`a.action`,
    dataSets,
  } satisfies Record<keyof CollectionActivity, Sql>;
  return {
    from: sql`${tables('audit_logs')} a`,
    where: sql`a.entity_type = 'collection' AND a.entity_id = ${id}`,
    columns,
    alwaysSelected: ['seq'],
    fields: fieldMap(COLLECTION_ACTIVITY_FIELDS, columns, { username, dataSets: dataSetNames }),
    search: [sql`a.change_summary`, username, sql`(${dataSetNames})::text`],
    id: sql`a.seq`,
    defaultSort: { sql: sql`a.seq`, order: 'DESC' },
  };
}

const ADMIN = { level: 'ADMIN' } as const;

export const collectionRoutes = ({ readModels }: QueryContext): Route[] => [
  route(
    'get',
    '/api/collections',
    { route: '/collections', level: 'READ' },
    { summary: 'List the collections', answers: { 200: pageOf(CollectionView) }, query: ListQuery },
    (request) => {
      const viewer = viewerOf(request);
      return listRows(readModels, request, (tables) => definition(tables, viewer), toView(viewer));
    },
  ),

  route(
    'get',
    '/api/collections/:id',
    ADMIN,
    { summary: 'Read a collection', answers: { 200: CollectionView } },
    async (request) => {
      const viewer = viewerOf(request);
      const id = collectionIn(request);
      const found = await readModels.read<Row>(request, (tables) =>
        oneRow(definition(tables, viewer), sql`k.id = ${id}`),
      );
      return answer(found, toView(viewer)(found.one()));
    },
  ),

  route(
    'get',
    '/api/collections/:id/items',
    ADMIN,
    { summary: 'List the data sets of a collection', answers: { 200: pageOf(CollectionItemView) }, query: ListQuery },
    async (request) => {
      const id = collectionIn(request);
      // READ is enough: in a read of the past, a collection that is now deleted no longer gives ADMIN on its data sets.
      const viewer = viewerOf({ ...request, needs: { level: 'READ' } });
      return listRows<DataSetRow, unknown>(
        readModels,
        request,
        (tables) => {
          const list = dataSetList(tables, viewer);
          const collection = sql`${tables('reference_data_collections')} k`;
          const contained = sql`d.id IN (SELECT unnest(k.data_set_ids) FROM ${collection} WHERE k.id = ${id})`;
          const added = (column: Sql) => sql`(SELECT ${column} FROM ${collection}
          CROSS JOIN LATERAL jsonb_to_recordset(k.items) AS item("dataSetId" bigint, "addedAt" timestamptz, "addedById" bigint)
          WHERE k.id = ${id} AND item."dataSetId" = d.id)`;
          const columns = {
            itemId: sql`concat(${id}::bigint, '-', d.id)`,
            collectionId: sql`${id}::bigint`,
            referenceDataSetId: sql`d.id`,
            addedAt: added(sql`item."addedAt"`),
            addedById: added(sql`item."addedById"`),
          } satisfies Record<Exclude<keyof CollectionItemView, keyof DataSetView>, Sql>;
          return { ...list, columns: { ...list.columns, ...columns }, where: sql`${list.where} AND ${contained}` };
        },
        toDataSetView(viewer),
      );
    },
  ),

  // Users who may change a collection may see its part of the audit log.
  route(
    'get',
    '/api/collections/:id/activity',
    ADMIN,
    {
      summary: 'List the changes of a collection',
      hasPast: false,
      answers: { 200: pageOf(CollectionActivity) },
      query: ListQuery,
    },
    async (request) => {
      const viewer = viewerOf(request);
      const id = collectionIn(request);
      return listRows<CollectionActivity>(
        readModels,
        request,
        (tables) => activityList(tables, viewer, id),
        (row) => row,
      );
    },
  ),

  route(
    'get',
    '/api/collections/:id/permissions',
    ADMIN,
    { summary: 'Read the permissions of a collection', answers: { 200: PermissionsView } },
    async (request) => {
      const id = collectionIn(request);
      const found = await readModels.read<{ ownerId: number; revision: number; grants: GivenGrant[] }>(
        request,
        (tables) => sql`SELECT k.owner_id AS "ownerId", k.revision, k.grants
        FROM ${tables('reference_data_collections')} k WHERE k.id = ${id}`,
      );
      const { ownerId, revision, grants } = found.one();
      const people = await readUserNames(
        readModels,
        grants.flatMap(({ entityType, entityId }) => (entityType === 'user' ? [entityId] : [])),
      );
      const names = new Map(people.rows.map((person) => [person.id, person.displayName ?? person.username]));
      const nameOf = ({ entityType, entityId }: Grant) =>
        entityType === 'user' ? names.get(entityId) : request.access.groups.get(entityId)?.name;
      const view: PermissionsView = {
        items: grants.map((grant) => ({
          ...grant,
          id: `${id}-${grant.entityType}-${grant.entityId}`,
          collectionId: id,
          name: nameOf(grant) ?? null,
          updatedAt: grant.grantedAt,
        })),
        ownerId,
        revision,
        page: 1,
        pageSize: grants.length,
        total: grants.length,
        position: found.position,
      };
      return answer(found, view);
    },
  ),

  // Uses the access state, which also authorises requests.
  route(
    'get',
    '/api/collections/:id/effective-access',
    ADMIN,
    {
      summary: 'Read the level of one user on a collection, and where it comes from',
      answers: { 200: EffectiveAccess },
      example: { query: { userId: 1 } },
      query: EffectiveQuery,
    },
    async (request) => {
      const id = collectionIn(request);
      const { userId } = request.query;
      if (!request.access.users.has(userId)) throw new Refusal('NOT_FOUND', 'There is no such user');
      const sources = accessSourcesOf(request.access, userId, id);
      const level = sources.reduce<Level | null>((best, source) => highest(best, source.permissionLevel), null);
      return { body: { userId, level, sources } satisfies EffectiveAccess };
    },
  ),
];
