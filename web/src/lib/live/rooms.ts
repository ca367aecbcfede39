/** Which rooms a change is told in, and whether a list already shows it. */
import type { LiveChange, LiveEntity, Room } from '@rdm/contracts/live/live';

const ROOM_ENTITIES: Record<string, readonly LiveEntity[]> = {
  types: ['reference-type'],
  collections: ['collection', 'data-set'],
  approvals: ['crosswalk', 'mapping', 'relationship', 'relationship-value'],
  reviews: ['crosswalk', 'mapping', 'relationship', 'relationship-value'],
  'data-set': ['data-set', 'instance'],
  crosswalk: ['crosswalk', 'mapping', 'missing-mapping'],
  relationship: ['relationship', 'relationship-value'],
  job: ['job'],
  user: ['user', 'role', 'group', 'collection'],
};

/** Is the change one of this room? The server tells a client of all its rooms over one socket. */
export function concerns(room: Room, change: LiveChange): boolean {
  const [kind = '', id] = room.split(':');
  if (!ROOM_ENTITIES[kind]?.includes(change.entity)) return false;
  return id === undefined || kind === 'user' || change.entityId === Number(id);
}

const HAS_ROWS: readonly LiveEntity[] = ['instance', 'mapping', 'missing-mapping', 'relationship-value'];

/** The ids of the rows a change touched, as lists know them; null when there are too many to name. */
export function rowIds(change: LiveChange): readonly number[] | null {
  if (change.ids !== null && change.ids.length > 0) return change.ids;
  return HAS_ROWS.includes(change.entity) ? null : [change.entityId];
}

interface Revised {
  id: number;
  revision: number;
}

const isRevised = (row: unknown): row is Revised =>
  typeof row === 'object' &&
  row !== null &&
  typeof (row as Revised).id === 'number' &&
  typeof (row as Revised).revision === 'number';

function rowsOf(data: unknown): readonly unknown[] {
  if (Array.isArray(data)) return data;
  const items = (data as { items?: unknown } | undefined)?.items;
  return Array.isArray(items) ? items : [];
}

/** True when every touched row is shown at the change's revision or a later one: then there is nothing to fetch. */
export function isShown(change: LiveChange, cached: readonly unknown[]): boolean {
  const ids = change.ids;
  const revisions = change.revisions;
  if (ids === null || revisions === null || ids.length === 0) return false;
  const rows = cached.flatMap((data) => rowsOf(data).filter(isRevised));
  return ids.every((id, index) => {
    const shown = rows.filter((row) => row.id === id);
    return shown.length > 0 && shown.every((row) => row.revision >= (revisions[index] ?? Number.POSITIVE_INFINITY));
  });
}
