/** Collections: those one may see, their data sets, their grants, and who may do what and why. */
import {
  type AccessState,
  type CollectionView,
  highest,
  isAdministrator,
  type Level,
  ListQuery,
  Refusal,
} from '@rdm/contracts';
import { type ApiRequest, idParam, type Route, route } from '@rdm/platform';
import { z } from 'zod';
import { type DataSetRow, dataSetList, showDataSet } from './data-set-list.ts';
import type { Floor } from './floor.ts';
import { fieldMap, type ListDefinition, listRows, oneRow } from './list.ts';
import { peopleNamed } from './people.ts';
import { answer, type Tables } from './read-models.ts';
import { sql } from './sql.ts';
import { type Viewer, viewerOf } from './viewer.ts';

type Row = Omit<CollectionView, 'level'>;

function definition(tables: Tables, viewer: Viewer): ListDefinition {
  const count = sql`cardinality(k.data_set_ids)`;
  return {
    from: sql`${tables('reference_data_collections')} k`,
    where: sql`k.id = ANY(${viewer.collectionIds()}::bigint[])`,
    columns: {
      id: sql`k.id`,
      name: sql`k.name`,
      description: sql`k.description`,
      tags: sql`k.tags`,
      ownerId: sql`k.owner_id`,
      dataSetCount: count,
      revision: sql`k.revision`,
      createdAt: sql`k.created_at`,
      updatedAt: sql`k.updated_at`,
    },
    fields: fieldMap({
      id: { sql: sql`k.id::numeric`, dataType: 'number', label: 'Id' },
      name: { sql: sql`k.name`, dataType: 'string', label: 'Name' },
      description: { sql: sql`k.description`, dataType: 'string', label: 'Description' },
      tags: { sql: sql`to_jsonb(k.tags)`, dataType: 'array', label: 'Tags' },
      ownerId: { sql: sql`k.owner_id::numeric`, dataType: 'number', label: 'Owner' },
      dataSetCount: { sql: sql`${count}::numeric`, dataType: 'number', label: 'Data sets' },
      createdAt: { sql: sql`k.created_at`, dataType: 'datetime', label: 'Created' },
      updatedAt: { sql: sql`k.updated_at`, dataType: 'datetime', label: 'Updated' },
    }),
    search: [sql`k.name`, sql`k.description`, sql`array_to_string(k.tags, ' ')`],
    id: sql`k.id`,
    defaultSort: { sql: sql`k.name`, dataType: 'string', order: 'ASC' },
  };
}

const show =
  (viewer: Viewer) =>
  (row: Row): CollectionView => ({ ...row, level: viewer.collectionLevel(row.id) ?? 'READ' });

/** The collection's grants are its administrators' to see; for strangers it does not exist. */
function administered(request: Pick<ApiRequest, 'params' | 'principal' | 'access'>) {
  const id = idParam(request);
  const level = viewerOf(request).collectionLevel(id);
  const collection = request.access.collections.get(id);
  if (level === null || !collection) throw new Refusal('NOT_FOUND', 'Not found');
  if (level !== 'ADMIN') throw new Refusal('FORBIDDEN', "You don't have permission to perform this action");
  return { id, collection };
}

type Source =
  | { kind: 'administrator' | 'owner' | 'user'; permissionLevel: Level }
  | { kind: 'group'; groupId: number; name: string; permissionLevel: Level };

/** Everything that gives a user a level on a collection. */
function sourcesOf(access: AccessState, userId: number, collectionId: number): Source[] {
  const collection = access.collections.get(collectionId);
  if (!collection || access.users.get(userId)?.active !== true) return [];
  const sources: Source[] = [];
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

const EffectiveQuery = z.object({ userId: z.coerce.number().int().positive() });

export const collectionRoutes = ({ readModels }: Floor): Route[] => [
  route('get', '/api/collections', { route: '/collections' }, { query: ListQuery }, (request) => {
    const viewer = viewerOf(request);
    return listRows(readModels, request, (tables) => definition(tables, viewer), show(viewer));
  }),

  route('get', '/api/collections/:id', { level: 'READ' }, {}, async (request) => {
    const viewer = viewerOf(request);
    const id = idParam(request);
    const found = await readModels.read<Row>(request, (tables) =>
      oneRow(definition(tables, viewer), sql`k.id = ${id}`),
    );
    return answer(found, show(viewer)(found.one()));
  }),

  route('get', '/api/collections/:id/items', { level: 'READ' }, { query: ListQuery }, async (request) => {
    const viewer = viewerOf(request);
    const id = idParam(request);
    if (viewer.collectionLevel(id) === null) throw new Refusal('NOT_FOUND', 'Not found');
    return listRows<DataSetRow, unknown>(
      readModels,
      request,
      (tables) => {
        const list = dataSetList(tables, viewer);
        const contained = sql`d.id IN (SELECT unnest(k.data_set_ids)
          FROM ${tables('reference_data_collections')} k WHERE k.id = ${id})`;
        return { ...list, where: sql`${list.where} AND ${contained}` };
      },
      showDataSet(viewer),
    );
  }),

  route('get', '/api/collections/:id/permissions', { level: 'ADMIN' }, {}, async (request) => {
    const { id } = administered(request);
    const found = await readModels.read<{ revision: number; grants: Grant[] }>(
      request,
      (tables) => sql`SELECT k.revision, k.grants FROM ${tables('reference_data_collections')} k WHERE k.id = ${id}`,
    );
    const { revision, grants } = found.one();
    const people = await peopleNamed(
      readModels,
      grants.flatMap(({ entityType, entityId }) => (entityType === 'user' ? [entityId] : [])),
    );
    const names = new Map(people.rows.map((person) => [person.id, person.displayName ?? person.username]));
    const nameOf = ({ entityType, entityId }: Grant) =>
      entityType === 'user' ? names.get(entityId) : request.access.groups.get(entityId)?.name;
    const items = grants.map((grant) => ({ ...grant, name: nameOf(grant) ?? null }));
    return answer(found, {
      items,
      page: 1,
      pageSize: items.length,
      total: items.length,
      revision,
      position: found.position,
    });
  }),

  // From the grants as they are followed, which is what decides.
  route(
    'get',
    '/api/collections/:id/effective-access',
    { level: 'ADMIN' },
    { query: EffectiveQuery },
    async (request) => {
      const { id } = administered(request);
      const { userId } = request.query;
      if (!request.access.users.has(userId)) throw new Refusal('NOT_FOUND', 'There is no such user');
      const sources = sourcesOf(request.access, userId, id);
      const level = sources.reduce<Level | null>((best, source) => highest(best, source.permissionLevel), null);
      return { body: { userId, level, sources } };
    },
  ),
];

interface Grant {
  entityType: 'user' | 'group';
  entityId: number;
  permissionLevel: Level;
}
