/** Read model of access: collections with contents and grants, roles, users' roles and groups. */
import {
  type AccessCollection,
  type AccessEvent,
  type AccessState,
  type CollectionItem,
  emptyAccess,
  evolveAccess,
  type GivenGrant,
  type Grant,
  type Level,
  type Membership,
} from '@rdm/contracts';
import type { NumberedEvent } from '../engine/numbered-event.ts';
import { type Projection, revisionsOf } from '../engine/projection.ts';
import { rowDates } from '../tables/entry-dates.ts';
import { type FoldedTable, foldInto, foldOne, type Row } from '../tables/folded-table.ts';

interface CollectionRow extends Row {
  id: number;
  name: string;
  description: string;
  tags: string[];
  owner_id: number;
  data_set_ids: number[];
  /** The data sets of the collection, each with the user who added it and the time. */
  items: CollectionItem[];
  grants: GivenGrant[];
  revision: number;
  created_at: string;
  updated_at: string;
}

interface RoleRow extends Row {
  id: number;
  name: string;
  description: string;
  routes: string[];
  abilities: string[];
  revision: number;
  created_at: string;
  updated_at: string;
}

/** The role and status of a user. The members of a group are in the row of the group. */
interface MemberRow extends Row {
  user_id: number;
  role_id: number;
  active: boolean;
  created_at: string;
}

interface GroupRow extends Row {
  id: number;
  name: string;
  description: string;
  member_ids: number[];
  /** The users of the group, each with the time of joining. */
  memberships: Membership[];
  revision: number;
  created_at: string;
  updated_at: string;
}

/** Folds one event into an access state that contains only the affected entity. */
function evolveOne(event: AccessEvent, prepare: (state: AccessState) => void): AccessState {
  const state = emptyAccess();
  prepare(state);
  return evolveAccess(state, event);
}

const toGrant = ([key, permissionLevel]: [string, Level]): Grant => {
  const [entityType, entityId] = key.split(':');
  return { entityType: entityType as Grant['entityType'], entityId: Number(entityId), permissionLevel };
};

/**
 * Returns the grants of a collection after an event. A new level changes `grantedAt` and `grantedById` of a grant, but
 * not `createdAt`.
 */
function givenGrants(
  before: readonly GivenGrant[],
  { grants }: AccessCollection,
  { metadata }: NumberedEvent<AccessEvent>,
): GivenGrant[] {
  const { occurredAt, actorId } = metadata;
  return [...grants].map(toGrant).map((grant) => {
    const previous = before.find(
      ({ entityType, entityId }) => entityType === grant.entityType && entityId === grant.entityId,
    );
    if (previous?.permissionLevel === grant.permissionLevel) return previous;
    return { ...grant, createdAt: previous?.createdAt ?? occurredAt, grantedAt: occurredAt, grantedById: actorId };
  });
}

const toCollection = (row: CollectionRow): AccessCollection => ({
  collectionId: row.id,
  name: row.name,
  description: row.description,
  tags: row.tags,
  ownerId: row.owner_id,
  deleted: false,
  revision: row.revision,
  dataSetIds: new Set(row.data_set_ids),
  grants: new Map(row.grants.map((grant) => [`${grant.entityType}:${grant.entityId}`, grant.permissionLevel])),
});

export const collectionRows: FoldedTable<CollectionRow, AccessEvent> = {
  name: 'reference_data_collections',
  columns: {
    id: 'bigint',
    name: 'text',
    description: 'text',
    tags: 'text[]',
    owner_id: 'bigint',
    data_set_ids: 'bigint[]',
    items: 'jsonb',
    grants: 'jsonb',
    revision: 'integer',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
    valid_from: 'bigint',
  },
  key: ['id'],
  versioned: true,
  touchedKeys: ({ data }) => ('collectionId' in data ? [[data.collectionId]] : []),
  fold: foldOne((row, event) => {
    const { collections } = evolveOne(event, (state) => row && state.collections.set(row.id, toCollection(row)));
    const [collection] = collections.values();
    if (collection === undefined || collection.deleted) return undefined;
    return {
      id: collection.collectionId,
      name: collection.name,
      description: collection.description,
      tags: collection.tags,
      owner_id: collection.ownerId,
      data_set_ids: [...collection.dataSetIds],
      items: [...collection.dataSetIds].map(
        (dataSetId) =>
          row?.items.find((item) => item.dataSetId === dataSetId) ?? {
            dataSetId,
            addedAt: event.metadata.occurredAt,
            addedById: event.metadata.actorId,
          },
      ),
      grants: givenGrants(row?.grants ?? [], collection, event),
      revision: collection.revision,
      ...rowDates(row, event),
    };
  }),
};

export const roleRows: FoldedTable<RoleRow, AccessEvent> = {
  name: 'roles',
  columns: {
    id: 'bigint',
    name: 'text',
    description: 'text',
    routes: 'text[]',
    abilities: 'text[]',
    revision: 'integer',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
    valid_from: 'bigint',
  },
  key: ['id'],
  versioned: false,
  touchedKeys: ({ type, data }) =>
    type === 'RoleDefined' || type === 'RoleChanged' || type === 'RoleDeleted' ? [[data.roleId]] : [],
  fold: foldOne((row, event) => {
    const { roles } = evolveOne(
      event,
      (state) => row && state.roles.set(row.id, { ...row, roleId: row.id, abilities: row.abilities as never }),
    );
    const [role] = roles.values();
    return (
      role && {
        id: role.roleId,
        name: role.name,
        description: role.description,
        routes: role.routes,
        abilities: role.abilities,
        revision: role.revision,
        ...rowDates(row, event),
      }
    );
  }),
};

export const memberRows: FoldedTable<MemberRow, AccessEvent> = {
  name: 'members',
  columns: {
    user_id: 'bigint',
    role_id: 'bigint',
    active: 'boolean',
    created_at: 'timestamptz',
    valid_from: 'bigint',
  },
  key: ['user_id'],
  versioned: false,
  touchedKeys: ({ data }) => ('userId' in data ? [[data.userId]] : []),
  fold: foldOne((row, event) => {
    const { users } = evolveOne(
      event,
      (state) => row && state.users.set(row.user_id, { roleId: row.role_id, active: row.active }),
    );
    const [member] = users;
    if (member === undefined) return undefined;
    const [userId, { roleId, active }] = member;
    return { user_id: userId, role_id: roleId, active, created_at: row?.created_at ?? event.metadata.occurredAt };
  }),
};

export const groupRows: FoldedTable<GroupRow, AccessEvent> = {
  name: 'groups',
  columns: {
    id: 'bigint',
    name: 'text',
    description: 'text',
    member_ids: 'bigint[]',
    memberships: 'jsonb',
    revision: 'integer',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
    valid_from: 'bigint',
  },
  key: ['id'],
  versioned: false,
  touchedKeys: ({ data }) => ('groupId' in data ? [[data.groupId]] : []),
  fold: foldOne((row, event) => {
    const { groups } = evolveOne(
      event,
      (state) => row && state.groups.set(row.id, { ...row, groupId: row.id, members: new Set(row.member_ids) }),
    );
    const [group] = groups.values();
    return (
      group && {
        id: group.groupId,
        name: group.name,
        description: group.description,
        member_ids: [...group.members],
        memberships: [...group.members].map(
          (userId) =>
            row?.memberships.find((membership) => membership.userId === userId) ?? {
              userId,
              createdAt: event.metadata.occurredAt,
            },
        ),
        revision: group.revision,
        ...rowDates(row, event),
      }
    );
  }),
};

export const collections: Projection = {
  name: 'collections',
  version: 3,
  categories: ['access'],
  tables: [collectionRows, roleRows, memberRows, groupRows],
  async apply(context, events) {
    const access = events as NumberedEvent<AccessEvent>[];
    const collectionChanges = await foldInto(context, collectionRows, access);
    await foldInto(context, roleRows, access);
    await foldInto(context, memberRows, access);
    const groupChanges = await foldInto(context, groupRows, access);
    return new Map([...revisionsOf(collectionChanges), ...revisionsOf(groupChanges)]);
  },
};
