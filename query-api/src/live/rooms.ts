/** Rooms of the live channel: their names, who may join them, and which rooms receive a change. */
import {
  type AccessEvent,
  type AccessState,
  administrators,
  canReceiveCollection,
  isAdministrator,
  type Level,
  type LiveChange,
  levelOnCollection,
  levelOnDataSet,
  MIN_POSITION_WAIT_MS,
  mayOpen,
  type Room,
} from '@rdm/contracts';
import type { GoverningDataSet } from '../access/governing-data-sets.ts';
import type { ReadModels, Tables } from '../read-models/read-models.ts';
import { type Sql, sql } from '../read-models/sql.ts';

/** The requirements for joining a room. They are checked when a user joins, and again when grants change. */
export type RoomRequirements = { userId: number } | { route: string } | { dataSets: GoverningDataSet[] };

const ROUTE_BY_ROOM: Record<string, string> = {
  approvals: '/approvals',
  // `reviews` receives the same changes as `approvals`, but no presence messages.
  reviews: '/approvals',
  types: '/reference-types',
  collections: '/collections',
  // `crosswalks` and `relationships` receive changes of definitions, but not of their rows.
  crosswalks: '/crosswalks',
  relationships: '/relationships',
};

const dataSetsOf = (tables: Tables, ids: Sql): Sql =>
  sql`SELECT d.id, d.created_by AS "createdBy" FROM ${tables('reference_data_sets')} d WHERE d.id IN (${ids})`;

/**
 * Queries for the data sets that govern an entity, by kind. A query has no rows for an unknown entity, and for a job
 * that only administrators may see.
 */
const GOVERNING: Record<string, (tables: Tables, id: number) => Sql> = {
  'data-set': (tables, id) => dataSetsOf(tables, sql`${id}`),
  crosswalk: (tables, id) =>
    dataSetsOf(
      tables,
      sql`SELECT unnest(ARRAY[c.source_system_id, c.target_system_id]) FROM ${tables('crosswalk_mappings')} c WHERE c.id = ${id}`,
    ),
  relationship: (tables, id) =>
    dataSetsOf(
      tables,
      sql`SELECT unnest(ARRAY[r.source_data_set_id, r.target_data_set_id]) FROM ${tables('relationships')} r WHERE r.id = ${id}`,
    ),
  job: (tables, id) =>
    dataSetsOf(tables, sql`SELECT unnest(j.data_set_ids) FROM ${tables('import_jobs')} j WHERE j.job_id = ${id}`),
};

/** Room names: `crosswalk:3`, and `crosswalk:3:<batchId>` for a batch of this crosswalk. */
const ROOM = /^([a-z-]{1,20}):([1-9]\d{0,14})(?::([\w-]{1,64}))?$/;
const REVIEWED: readonly string[] = ['crosswalk', 'relationship'];

/**
 * Returns the requirements of a room; undefined for an unknown room, and for an entity without governing data sets.
 * Waits up to `MIN_POSITION_WAIT_MS` for the projection of a new entity.
 */
export async function findRequirements(
  readModels: ReadModels,
  room: Room,
  nextProjected: (timeoutMs: number) => Promise<void>,
): Promise<RoomRequirements | undefined> {
  const route = Object.hasOwn(ROUTE_BY_ROOM, room) ? ROUTE_BY_ROOM[room] : undefined;
  if (route !== undefined) return { route };
  const [, kind = '', digits = '', batch] = ROOM.exec(room) ?? [];
  const id = Number(digits);
  if (kind === 'user' && batch === undefined) return { userId: id };
  const governing = Object.hasOwn(GOVERNING, kind) ? GOVERNING[kind] : undefined;
  if (!governing || (batch !== undefined && !REVIEWED.includes(kind))) return undefined;
  const deadline = Date.now() + MIN_POSITION_WAIT_MS;
  for (;;) {
    const { rows } = await readModels.read<GoverningDataSet>({}, (tables) => governing(tables, id));
    const remainingMs = deadline - Date.now();
    if (rows.length > 0) return { dataSets: rows };
    if (remainingMs <= 0) return undefined;
    await nextProjected(remainingMs);
  }
}

/** Whether current grants allow the user to be in a room with these requirements. */
export function mayJoin(access: AccessState, userId: number, needs: RoomRequirements): boolean {
  const user = access.users.get(userId);
  if (user?.active !== true) return false;
  if ('userId' in needs) return needs.userId === userId;
  if ('route' in needs) {
    const routes = access.roles.get(user.roleId)?.routes ?? [];
    return mayOpen(needs.route, { isAdmin: isAdministrator(access, userId), routes });
  }
  return needs.dataSets.every((dataSet) => levelOnDataSet(access, userId, dataSet) !== null);
}

/** The personal rooms of users, each once. */
const userRooms = (userIds: readonly number[]): Room[] => [...new Set(userIds)].map((id) => `user:${id}`);

const holdersOf = (access: AccessState, roleId: number): number[] =>
  [...access.users].flatMap(([id, user]) => (user.roleId === roleId ? [id] : []));

/** Returns the rooms that receive a change. Administrators receive changes of users, roles, groups and API keys. */
export function roomsOf(change: LiveChange, access: AccessState): Room[] {
  const { entityId } = change;
  switch (change.entity) {
    case 'reference-type':
      return ['types'];
    case 'data-set':
      return [`data-set:${entityId}`, 'collections'];
    case 'instance':
      return [`data-set:${entityId}`];
    case 'crosswalk':
      return [`crosswalk:${entityId}`, 'crosswalks', 'approvals', 'reviews'];
    case 'mapping':
      return [`crosswalk:${entityId}`, 'approvals', 'reviews'];
    case 'missing-mapping':
      return [`crosswalk:${entityId}`];
    case 'relationship':
      return [`relationship:${entityId}`, 'relationships', 'approvals', 'reviews'];
    case 'relationship-value':
      return [`relationship:${entityId}`, 'approvals', 'reviews'];
    case 'job':
      return [`job:${entityId}`];
    case 'collection':
      // The change may have granted access to users who are not in the room of collections.
      return ['collections', ...[...access.users.keys()].map((id) => `user:${id}`)];
    case 'user':
      return userRooms([entityId, ...administrators(access)]);
    case 'api-key':
      return userRooms(administrators(access));
    case 'role':
      return userRooms([...holdersOf(access, entityId), ...administrators(access)]);
    case 'group':
      return userRooms([...(access.groups.get(entityId)?.members ?? []), ...administrators(access)]);
  }
}

/** Whether current grants allow the user to receive the change; checked for each message. */
export function mayReceiveChange(
  access: AccessState,
  userId: number,
  change: LiveChange,
  dataSets: readonly GoverningDataSet[],
): boolean {
  if (access.users.get(userId)?.active !== true) return false;
  if (change.entity === 'collection') return canReceiveCollection(access, userId, change.entityId);
  return dataSets.every((dataSet) => levelOnDataSet(access, userId, dataSet) !== null);
}

/** Updates a user's levels on these collections, and returns whether one of them changed. */
export function updateLevels(
  levels: Map<number, Level>,
  access: AccessState,
  userId: number,
  collectionIds: Iterable<number>,
): boolean {
  let hasChanged = false;
  for (const id of collectionIds) {
    const level = levelOnCollection(access, userId, id);
    if ((levels.get(id) ?? null) === level) continue;
    hasChanged = true;
    if (level === null) levels.delete(id);
    else levels.set(id, level);
  }
  return hasChanged;
}

const REVOKING_EVENT_TYPES: ReadonlySet<string> = new Set<AccessEvent['type']>([
  'CollectionDeleted',
  'CollectionItemsRemoved',
  'CollectionPermissionsChanged',
  'GroupDeleted',
  'GroupMembersChanged',
  'RoleChanged',
  'UserRoleAssigned',
]);

/** Whether the change can reduce the data that a user may read. */
export const mayRevokeAccess = ({ type }: LiveChange): boolean => REVOKING_EVENT_TYPES.has(type);
