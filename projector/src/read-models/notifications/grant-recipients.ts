/** Finds the users to notify of new or higher grants, and of new memberships in groups. */
import { type AccessEvent, hasLevel, type Level, SAMPLE_DATA_CORRELATION_ID } from '@rdm/contracts';
import type { NumberedEvent } from '../../engine/numbered-event.ts';
import { type FoldedTable, foldInto, foldOne, type Row } from '../../tables/folded-table.ts';
import type { WriteContext } from '../../tables/rows.ts';

interface GrantsRow extends Row {
  collection_id: number;
  /** The level of each grantee, such as `user 3`. */
  levels: Record<string, Level>;
}

interface GroupRow extends Row {
  group_id: number;
  members: number[];
}

type GrantsEvent = Extract<AccessEvent, { type: 'CollectionPermissionsChanged' | 'CollectionDeleted' }>;
type GroupEvent = Extract<AccessEvent, { type: 'GroupMembersChanged' | 'GroupDeleted' }>;

const grantee = ({ entityType, entityId }: { entityType: string; entityId: number }) => `${entityType} ${entityId}`;

/** The current grants of each collection, to detect new or higher grants in the next change. */
export const currentGrants: FoldedTable<GrantsRow, GrantsEvent> = {
  name: 'notified_grants',
  columns: { collection_id: 'bigint', levels: 'jsonb', valid_from: 'bigint' },
  key: ['collection_id'],
  touchedKeys: ({ data }) => [[data.collectionId]],
  fold: foldOne((row, event) => {
    if (event.type === 'CollectionDeleted') return undefined;
    const { collectionId, granted, revoked } = event.data;
    const levels = { ...row?.levels };
    for (const grant of granted) levels[grantee(grant)] = grant.permissionLevel;
    for (const grant of revoked) delete levels[grantee(grant)];
    return { collection_id: collectionId, levels };
  }),
};

/** The current members of each group, which are the recipients of a grant to the group. */
export const currentMembers: FoldedTable<GroupRow, GroupEvent> = {
  name: 'notified_groups',
  columns: { group_id: 'bigint', members: 'bigint[]', valid_from: 'bigint' },
  key: ['group_id'],
  touchedKeys: ({ data }) => [[data.groupId]],
  fold: foldOne((row, event) => {
    if (event.type === 'GroupDeleted') return undefined;
    const { groupId, added, removed } = event.data;
    const members = [...new Set([...(row?.members ?? []), ...added])].filter((id) => !removed.includes(id));
    return { group_id: groupId, members };
  }),
};

type EventOfType<Type extends AccessEvent['type']> = NumberedEvent<Extract<AccessEvent, { type: Type }>>;

export interface Recipients {
  /** The collection whose grants changed, or the group that got members. */
  subject: { kind: 'collection' | 'group'; id: number };
  event: NumberedEvent<AccessEvent>;
  userIds: number[];
}

const isGrantsEvent = (event: NumberedEvent<AccessEvent>): event is NumberedEvent<GrantsEvent> =>
  event.type === 'CollectionPermissionsChanged' || event.type === 'CollectionDeleted';
const isGroupEvent = (event: NumberedEvent<AccessEvent>): event is NumberedEvent<GroupEvent> =>
  event.type === 'GroupMembersChanged' || event.type === 'GroupDeleted';

/**
 * Folds the events of a batch, and returns the users to notify of each change. Actors are not notified of their own
 * changes. Changes of the sample data notify no user.
 */
export async function accessRecipients(
  context: WriteContext,
  events: readonly NumberedEvent<AccessEvent>[],
): Promise<Recipients[]> {
  const groupChanges = await foldInto(context, currentMembers, events.filter(isGroupEvent));
  const changes = await foldInto(context, currentGrants, events.filter(isGrantsEvent));
  const raised = changes.flatMap(({ event, before }) => {
    if (event.type !== 'CollectionPermissionsChanged') return [];
    if (isSampleData(event)) return [];
    const isRaised = (grant: (typeof event.data.granted)[number]) =>
      !hasLevel(before?.levels[grantee(grant)] ?? null, grant.permissionLevel);
    const grants = event.data.granted.filter(isRaised);
    return [{ event: event as EventOfType<'CollectionPermissionsChanged'>, grants }];
  });
  const groupIds = raised.flatMap(({ grants }) =>
    grants.filter(({ entityType }) => entityType === 'group').map(({ entityId }) => entityId),
  );
  const stored = await readMembers(context, groupIds);
  // The members at the time of the grant: the result must not depend on how the log is divided into batches.
  const membersAt = (groupId: number, seq: number): readonly number[] => {
    const changesOfGroup = groupChanges.filter(({ event }) => event.data.groupId === groupId);
    const nextChange = changesOfGroup.find(({ event }) => event.seq > seq);
    return (nextChange ? nextChange.before?.members : stored.get(groupId)) ?? [];
  };
  const ofGrants = raised.map(({ event, grants }): Recipients => {
    const userIds = grants.flatMap(({ entityType, entityId }) =>
      entityType === 'user' ? [entityId] : membersAt(entityId, event.seq),
    );
    const subject = { kind: 'collection', id: event.data.collectionId } as const;
    return { subject, event, userIds: othersThanActor(event, userIds) };
  });
  const ofGroups = groupChanges.flatMap(({ event, before }): Recipients[] => {
    if (event.type !== 'GroupMembersChanged' || isSampleData(event)) return [];
    const added = event.data.added.filter((id) => !before?.members.includes(id));
    return [{ subject: { kind: 'group', id: event.data.groupId }, event, userIds: othersThanActor(event, added) }];
  });
  return [...ofGrants, ...ofGroups];
}

const isSampleData = ({ metadata }: NumberedEvent) => metadata.$correlationId === SAMPLE_DATA_CORRELATION_ID;

const othersThanActor = ({ metadata }: NumberedEvent, userIds: readonly number[]): number[] =>
  [...new Set(userIds)].filter((id) => id !== metadata.actorId);

async function readMembers(
  { client, schema }: WriteContext,
  groupIds: readonly number[],
): Promise<Map<number, number[]>> {
  if (groupIds.length === 0) return new Map();
  const { rows } = await client.query<{ rows: GroupRow[] }>(
    `SELECT coalesce(json_agg(t), '[]') AS rows FROM ${schema}.${currentMembers.name} t WHERE group_id = ANY($1::bigint[])`,
    [groupIds],
  );
  return new Map((rows[0]?.rows ?? []).map(({ group_id, members }) => [group_id, members]));
}
