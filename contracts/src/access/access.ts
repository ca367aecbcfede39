/**
 * The events and the state of the stream `access-main`: collections with contents and grants, groups, roles, users,
 * legal holds and running purges.
 */
import { z } from 'zod';
import { type EventsOf, event } from '../events/event.ts';
import { Id } from '../text/fields.ts';
import { ABILITIES, type Ability, LEVELS, type Level } from './permissions.ts';

export const Grant = z.object({ entityType: z.enum(['user', 'group']), entityId: Id, permissionLevel: z.enum(LEVELS) });
export type Grant = z.infer<typeof Grant>;

const Role = z.object({
  roleId: Id,
  name: z.string(),
  description: z.string(),
  routes: z.array(z.string()),
  abilities: z.array(z.enum(ABILITIES)),
});

/** The data or the user that a legal hold covers. A hold on a collection also covers its deleted data sets. */
export const HoldScope = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('dataSet'), id: Id }),
  z.object({ kind: z.literal('collection'), id: Id }),
  z.object({ kind: z.literal('user'), id: Id }),
  z.object({ kind: z.literal('all') }),
]);
export type HoldScope = z.infer<typeof HoldScope>;

export const accessEvents = {
  RoleDefined: event(Role),
  RoleChanged: event(Role.partial().required({ roleId: true })),
  RoleDeleted: event(z.object({ roleId: Id })),
  UserRegistered: event(z.object({ userId: Id, roleId: Id })),
  UserRoleAssigned: event(z.object({ userId: Id, roleId: Id })),
  UserDeactivated: event(z.object({ userId: Id })),
  UserReactivated: event(z.object({ userId: Id })),
  GroupCreated: event(z.object({ groupId: Id, name: z.string(), description: z.string() })),
  GroupChanged: event(z.object({ groupId: Id, name: z.string().optional(), description: z.string().optional() })),
  GroupDeleted: event(z.object({ groupId: Id })),
  GroupMembersChanged: event(z.object({ groupId: Id, added: z.array(Id), removed: z.array(Id) })),
  CollectionCreated: event(
    z.object({
      collectionId: Id,
      name: z.string(),
      description: z.string(),
      tags: z.array(z.string()),
      ownerId: Id,
    }),
  ),
  CollectionChanged: event(
    z.object({
      collectionId: Id,
      name: z.string().optional(),
      description: z.string().optional(),
      tags: z.array(z.string()).optional(),
    }),
  ),
  CollectionDeleted: event(z.object({ collectionId: Id })),
  CollectionItemsAdded: event(z.object({ collectionId: Id, dataSetIds: z.array(Id) })),
  CollectionItemsRemoved: event(z.object({ collectionId: Id, dataSetIds: z.array(Id) })),
  /** `granted` has new grants and changed levels, `revoked` has removed grants. */
  CollectionPermissionsChanged: event(
    z.object({
      collectionId: Id,
      granted: z.array(Grant),
      revoked: z.array(Grant.omit({ permissionLevel: true })),
    }),
  ),
  /**
   * Holds may overlap, and each hold is released separately. Holds and starts of purges share this stream, so that
   * concurrent commands conflict and the later command decides again.
   */
  LegalHoldPlaced: event(z.object({ holdId: Id, scope: HoldScope, matter: z.string(), reason: z.string() })),
  LegalHoldReleased: event(z.object({ holdId: Id, reason: z.string() })),
  /**
   * Until the purge has ended, its crosswalks and relationships cannot be restored, and no hold can be placed on its
   * data.
   */
  PurgeStarted: event(
    z.object({
      purgeId: Id,
      /** The data sets of the purge, such as both ends of a crosswalk. A hold on one of them prevents the purge. */
      dataSetIds: z.array(Id),
      crosswalkIds: z.array(Id),
      relationshipIds: z.array(Id),
      /** The users who acted on the purged data; for telemetry, the users without a hold. Null means all users. */
      userIds: z.array(Id).nullable(),
    }),
  ),
  PurgeEnded: event(z.object({ purgeId: Id })),
};
export type AccessEvent = EventsOf<typeof accessEvents>;

export interface AccessRole {
  roleId: number;
  name: string;
  description: string;
  routes: string[];
  abilities: Ability[];
  revision: number;
}

export interface AccessCollection {
  collectionId: number;
  name: string;
  description: string;
  tags: string[];
  ownerId: number;
  /** A deleted collection keeps its contents and grants, for reads of the past. */
  deleted: boolean;
  revision: number;
  dataSetIds: Set<number>;
  /** The level by grantee, such as `user:4`. */
  grants: Map<string, Level>;
}

export interface LegalHold {
  holdId: number;
  scope: HoldScope;
  matter: string;
  reason: string;
}

export interface RunningPurge {
  purgeId: number;
  dataSetIds: number[];
  crosswalkIds: number[];
  relationshipIds: number[];
  userIds: number[] | null;
}

/** The folded state. It is small enough for memory: hundreds of collections and thousands of users. */
export interface AccessState {
  roles: Map<number, AccessRole>;
  users: Map<number, { roleId: number; active: boolean }>;
  groups: Map<number, { groupId: number; name: string; description: string; revision: number; members: Set<number> }>;
  collections: Map<number, AccessCollection>;
  /** The existing collections of each data set, derived from `collections` so that checks need no search. */
  collectionsOf: Map<number, Set<number>>;
  /** The groups of each user, derived from `groups`. */
  groupsOf: Map<number, Set<number>>;
  /** Legal holds in force. */
  holds: Map<number, LegalHold>;
  /** The running purges, by id. */
  purges: Map<number, RunningPurge>;
}

export const emptyAccess = (): AccessState => ({
  roles: new Map(),
  users: new Map(),
  groups: new Map(),
  collections: new Map(),
  collectionsOf: new Map(),
  groupsOf: new Map(),
  holds: new Map(),
  purges: new Map(),
});

const grantKey = (grant: { entityType: string; entityId: number }) => `${grant.entityType}:${grant.entityId}`;

function setOf(map: Map<number, Set<number>>, key: number): Set<number> {
  let set = map.get(key);
  if (!set) {
    set = new Set();
    map.set(key, set);
  }
  return set;
}

/** Folds one event into the access state, in place. */
export function evolveAccess(state: AccessState, event: AccessEvent): AccessState {
  const collection = 'collectionId' in event.data ? state.collections.get(event.data.collectionId) : undefined;
  if (collection) collection.revision += 1;
  switch (event.type) {
    case 'RoleDefined':
      state.roles.set(event.data.roleId, { ...event.data, revision: 1 });
      return state;
    case 'RoleChanged': {
      const role = state.roles.get(event.data.roleId);
      if (role) {
        const { name, description, routes, abilities } = event.data;
        state.roles.set(role.roleId, {
          roleId: role.roleId,
          name: name ?? role.name,
          description: description ?? role.description,
          routes: routes ?? role.routes,
          abilities: abilities ?? role.abilities,
          revision: role.revision + 1,
        });
      }
      return state;
    }
    case 'RoleDeleted':
      state.roles.delete(event.data.roleId);
      return state;
    case 'UserRegistered':
      state.users.set(event.data.userId, { roleId: event.data.roleId, active: true });
      return state;
    case 'UserRoleAssigned': {
      const user = state.users.get(event.data.userId);
      if (user) user.roleId = event.data.roleId;
      return state;
    }
    case 'UserDeactivated':
    case 'UserReactivated': {
      const user = state.users.get(event.data.userId);
      if (user) user.active = event.type === 'UserReactivated';
      return state;
    }
    case 'GroupCreated':
      state.groups.set(event.data.groupId, { ...event.data, revision: 1, members: new Set() });
      return state;
    case 'GroupChanged': {
      const group = state.groups.get(event.data.groupId);
      if (group) {
        group.name = event.data.name ?? group.name;
        group.description = event.data.description ?? group.description;
        group.revision += 1;
      }
      return state;
    }
    case 'GroupDeleted': {
      for (const member of state.groups.get(event.data.groupId)?.members ?? []) {
        state.groupsOf.get(member)?.delete(event.data.groupId);
      }
      state.groups.delete(event.data.groupId);
      return state;
    }
    case 'GroupMembersChanged': {
      const group = state.groups.get(event.data.groupId);
      if (!group) return state;
      group.revision += 1;
      for (const userId of event.data.added) {
        group.members.add(userId);
        setOf(state.groupsOf, userId).add(group.groupId);
      }
      for (const userId of event.data.removed) {
        group.members.delete(userId);
        state.groupsOf.get(userId)?.delete(group.groupId);
      }
      return state;
    }
    case 'CollectionCreated':
      state.collections.set(event.data.collectionId, {
        ...event.data,
        deleted: false,
        revision: 1,
        dataSetIds: new Set(),
        grants: new Map(),
      });
      return state;
    case 'CollectionChanged':
      if (collection) {
        collection.name = event.data.name ?? collection.name;
        collection.description = event.data.description ?? collection.description;
        collection.tags = event.data.tags ?? collection.tags;
      }
      return state;
    case 'CollectionDeleted':
      if (collection) {
        collection.deleted = true;
        for (const dataSetId of collection.dataSetIds) {
          state.collectionsOf.get(dataSetId)?.delete(collection.collectionId);
        }
      }
      return state;
    case 'CollectionItemsAdded':
      for (const dataSetId of event.data.dataSetIds) {
        collection?.dataSetIds.add(dataSetId);
        setOf(state.collectionsOf, dataSetId).add(event.data.collectionId);
      }
      return state;
    case 'CollectionItemsRemoved':
      for (const dataSetId of event.data.dataSetIds) {
        collection?.dataSetIds.delete(dataSetId);
        state.collectionsOf.get(dataSetId)?.delete(event.data.collectionId);
      }
      return state;
    case 'CollectionPermissionsChanged':
      for (const grant of event.data.granted) collection?.grants.set(grantKey(grant), grant.permissionLevel);
      for (const grant of event.data.revoked) collection?.grants.delete(grantKey(grant));
      return state;
    case 'LegalHoldPlaced':
      state.holds.set(event.data.holdId, event.data);
      return state;
    case 'LegalHoldReleased':
      state.holds.delete(event.data.holdId);
      return state;
    case 'PurgeStarted':
      state.purges.set(event.data.purgeId, event.data);
      return state;
    case 'PurgeEnded':
      state.purges.delete(event.data.purgeId);
      return state;
  }
}
