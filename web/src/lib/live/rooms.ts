/** Matches changes with live rooms, and checks whether cached data already contains a change. */
import type { LiveChange, LiveEntity, Room } from '@rdm/contracts/live/live';

const ROOM_ENTITIES: Record<string, readonly LiveEntity[]> = {
  types: ['reference-type'],
  collections: ['collection', 'data-set'],
  crosswalks: ['crosswalk'],
  relationships: ['relationship'],
  approvals: ['crosswalk', 'mapping', 'relationship', 'relationship-value'],
  reviews: ['crosswalk', 'mapping', 'relationship', 'relationship-value'],
  'data-set': ['data-set', 'instance'],
  crosswalk: ['crosswalk', 'mapping', 'missing-mapping'],
  relationship: ['relationship', 'relationship-value'],
  job: ['job'],
  user: ['user', 'role', 'group', 'collection'],
};

/**
 * Whether the change belongs to the room. The server delivers the changes of all joined rooms over one socket. The id
 * of a user's room is not compared, because the room also gets changes of roles, groups and collections.
 */
export function isInRoom(room: Room, change: LiveChange): boolean {
  const [kind = '', id] = room.split(':');
  if (!ROOM_ENTITIES[kind]?.includes(change.entity)) return false;
  return id === undefined || kind === 'user' || change.entityId === Number(id);
}

const ROW_ENTITIES: readonly LiveEntity[] = ['instance', 'mapping', 'missing-mapping', 'relationship-value'];

/** Returns the ids of the changed rows or of another changed entity; null if the change does not list its rows. */
export function rowIds(change: LiveChange): readonly number[] | null {
  if (change.ids !== null && change.ids.length > 0) return change.ids;
  return ROW_ENTITIES.includes(change.entity) ? null : [change.entityId];
}

interface RevisedRow {
  id: number;
  revision: number;
}

const isRevised = (row: unknown): row is RevisedRow =>
  typeof row === 'object' &&
  row !== null &&
  typeof (row as RevisedRow).id === 'number' &&
  typeof (row as RevisedRow).revision === 'number';

function rowsOf(data: unknown): readonly unknown[] {
  if (Array.isArray(data)) return data;
  const items = (data as { items?: unknown } | undefined)?.items;
  return Array.isArray(items) ? items : [];
}

/**
 * Whether every row of the change is cached, and no cached copy is older than the change. Returns false for a change
 * that lists no rows.
 */
export function isCached(change: LiveChange, cached: readonly unknown[]): boolean {
  const ids = change.ids;
  const revisions = change.revisions;
  if (ids === null || revisions === null || ids.length === 0) return false;
  const rows = cached.flatMap((data) => rowsOf(data).filter(isRevised));
  return ids.every((id, index) => {
    const cachedVersions = rows.filter((row) => row.id === id);
    return (
      cachedVersions.length > 0 &&
      cachedVersions.every((row) => row.revision >= (revisions[index] ?? Number.POSITIVE_INFINITY))
    );
  });
}
