/**
 * Rules of users, roles and groups in the access stream: which users are active, and which role and groups they have.
 * The stream contains no personal data.
 */
import {
  type AccessEvent,
  type AccessRole,
  type AccessState,
  ADMINISTRATOR_ROLE_ID,
  administrators,
  type ChangeGroup,
  type ChangeRole,
  type CreateGroup,
  type CreateRole,
  Refusal,
  VIEWER_ROLE_ID,
} from '@rdm/contracts';
import { type Decision, decided, nothing } from '../runtime/decision.ts';
import { requireExpectedRevision } from '../runtime/expected-revision.ts';

/** Registers a user with an existing role; registering the same user again changes nothing. */
export function registerUser(access: AccessState, userId: number, roleId: number): Decision<AccessEvent> {
  if (!access.roles.has(roleId)) throw new Refusal('INVALID', `There is no role ${roleId}`);
  return access.users.has(userId) ? nothing() : decided({ type: 'UserRegistered', data: { userId, roleId } });
}

export function existingUser(access: AccessState, userId: number) {
  const user = access.users.get(userId);
  if (!user) throw new Refusal('NOT_FOUND', 'There is no such user');
  return user;
}

/** Whether a user has a password or a provider account in the vault. An invited user may have neither. */
export type CanSignIn = (userId: number) => boolean;
const anyoneCanSignIn: CanSignIn = () => true;

/** Throws if the user is an active administrator and no other administrator can sign in. */
function requireAnotherAdministrator(access: AccessState, userId: number, canSignIn: CanSignIn): void {
  const all = administrators(access);
  if (!all.includes(userId) || all.some((other) => other !== userId && canSignIn(other))) return;
  throw new Refusal('LAST_ADMINISTRATOR', 'This is the last administrator: make another user an administrator first');
}

export function assignRole(
  access: AccessState,
  userId: number,
  roleId: number,
  canSignIn: CanSignIn = anyoneCanSignIn,
): Decision<AccessEvent> {
  const user = existingUser(access, userId);
  if (!access.roles.has(roleId)) throw new Refusal('INVALID', `There is no role ${roleId}`);
  if (user.roleId === roleId) return nothing();
  requireAnotherAdministrator(access, userId, canSignIn);
  return decided({ type: 'UserRoleAssigned', data: { userId, roleId } });
}

export function deactivateUser(
  access: AccessState,
  userId: number,
  canSignIn: CanSignIn = anyoneCanSignIn,
): Decision<AccessEvent> {
  if (!existingUser(access, userId).active) return nothing();
  requireAnotherAdministrator(access, userId, canSignIn);
  return decided({ type: 'UserDeactivated', data: { userId } });
}

export function reactivateUser(access: AccessState, userId: number): Decision<AccessEvent> {
  return existingUser(access, userId).active ? nothing() : decided({ type: 'UserReactivated', data: { userId } });
}

/** Deactivates an erased user and assigns the default role, so that the user's former role can be deleted. */
export function retireUser(
  access: AccessState,
  userId: number,
  canSignIn: CanSignIn = anyoneCanSignIn,
): Decision<AccessEvent> {
  const { events } = deactivateUser(access, userId, canSignIn);
  return access.users.get(userId)?.roleId === VIEWER_ROLE_ID
    ? decided(...events)
    : decided(...events, { type: 'UserRoleAssigned', data: { userId, roleId: VIEWER_ROLE_ID } });
}

export function defineRole(access: AccessState, roleId: number, role: CreateRole): Decision<AccessEvent> {
  if (access.roles.has(roleId)) throw new Refusal('CONFLICT', 'This role exists already');
  return decided({ type: 'RoleDefined', data: { roleId, ...role, ...withoutDuplicates(role) } });
}

/** Removes duplicate routes and abilities. */
const withoutDuplicates = <R extends Pick<ChangeRole, 'routes' | 'abilities'>>({ routes, abilities }: R) =>
  ({
    ...(routes === undefined ? {} : { routes: [...new Set(routes)] }),
    ...(abilities === undefined ? {} : { abilities: [...new Set(abilities)] }),
  }) as Pick<R, 'routes' | 'abilities'>;

function existingRole(access: AccessState, roleId: number): AccessRole {
  const role = access.roles.get(roleId);
  if (!role) throw new Refusal('NOT_FOUND', 'There is no such role');
  return role;
}

const isSameSet = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((value) => b.includes(value));

export function changeRole(
  access: AccessState,
  roleId: number,
  command: ChangeRole,
  expectedRevision: number | undefined,
): Decision<AccessEvent, { nameBefore: string }> {
  const role = requireExpectedRevision(existingRole(access, roleId), expectedRevision, 'role');
  const { routes, abilities } = withoutDuplicates(command);
  const changed = {
    ...(command.name === undefined || command.name === role.name ? {} : { name: command.name }),
    ...(command.description === undefined || command.description === role.description
      ? {}
      : { description: command.description }),
    ...(routes === undefined || isSameSet(routes, role.routes) ? {} : { routes }),
    ...(abilities === undefined || isSameSet(abilities, role.abilities) ? {} : { abilities }),
  };
  if (roleId === ADMINISTRATOR_ROLE_ID && (changed.routes || changed.abilities)) {
    throw new Refusal('INVALID', 'Administrators may do everything: this role keeps its routes and abilities');
  }
  return {
    events: Object.keys(changed).length === 0 ? [] : [{ type: 'RoleChanged', data: { roleId, ...changed } }],
    result: { nameBefore: role.name },
  };
}

const usersText = (count: number) => (count === 1 ? '1 user' : `${count} users`);

export function deleteRole(
  access: AccessState,
  roleId: number,
  expectedRevision: number | undefined,
): Decision<AccessEvent, { name: string }> {
  const role = requireExpectedRevision(existingRole(access, roleId), expectedRevision, 'role');
  if (roleId === ADMINISTRATOR_ROLE_ID) throw new Refusal('INVALID', 'The role of administrators cannot be deleted');
  if (roleId === VIEWER_ROLE_ID) {
    throw new Refusal('INVALID', 'This role is assigned to users who register: it cannot be deleted');
  }
  const users = [...access.users.values()].filter((user) => user.roleId === roleId).length;
  if (users > 0) {
    const have = users === 1 ? 'has' : 'have';
    throw new Refusal('ROLE_IN_USE', `This role cannot be deleted: ${usersText(users)} ${have} it`, { users });
  }
  return { events: [{ type: 'RoleDeleted', data: { roleId } }], result: { name: role.name } };
}

export function createGroup(access: AccessState, groupId: number, group: CreateGroup): Decision<AccessEvent> {
  if (access.groups.has(groupId)) throw new Refusal('CONFLICT', 'This group exists already');
  return decided({ type: 'GroupCreated', data: { groupId, ...group } });
}

function existingGroup(access: AccessState, groupId: number, expectedRevision: number | undefined) {
  const group = access.groups.get(groupId);
  if (!group) throw new Refusal('NOT_FOUND', 'There is no such group');
  return requireExpectedRevision(group, expectedRevision, 'group', {
    id: groupId,
    name: group.name,
    revision: group.revision,
  });
}

export function changeGroup(
  access: AccessState,
  groupId: number,
  command: ChangeGroup,
  expectedRevision: number | undefined,
): Decision<AccessEvent, { nameBefore: string }> {
  const group = existingGroup(access, groupId, expectedRevision);
  const changed = {
    ...(command.name === undefined || command.name === group.name ? {} : { name: command.name }),
    ...(command.description === undefined || command.description === group.description
      ? {}
      : { description: command.description }),
  };
  return {
    events: Object.keys(changed).length === 0 ? [] : [{ type: 'GroupChanged', data: { groupId, ...changed } }],
    result: { nameBefore: group.name },
  };
}

/** Deletes a group, and revokes its grants on collections that are not deleted. */
export function deleteGroup(
  access: AccessState,
  groupId: number,
  expectedRevision: number | undefined,
): Decision<AccessEvent, { name: string }> {
  const group = existingGroup(access, groupId, expectedRevision);
  const revoked = [{ entityType: 'group' as const, entityId: groupId }];
  const revocations = [...access.collections.values()]
    .filter(({ deleted, grants }) => !deleted && grants.has(`group:${groupId}`))
    .map(
      ({ collectionId }): AccessEvent => ({
        type: 'CollectionPermissionsChanged',
        data: { collectionId, granted: [], revoked },
      }),
    );
  return {
    events: [...revocations, { type: 'GroupDeleted', data: { groupId } }],
    result: { name: group.name },
  };
}

/** Replaces all members of the group. */
export function setMembers(
  access: AccessState,
  groupId: number,
  userIds: readonly number[],
  expectedRevision: number | undefined,
): Decision<AccessEvent> {
  const group = existingGroup(access, groupId, expectedRevision);
  const memberIds = new Set(userIds);
  const unknownId = [...memberIds].find((userId) => !access.users.has(userId));
  if (unknownId !== undefined) throw new Refusal('INVALID', `There is no user ${unknownId}`);
  const added = [...memberIds].filter((userId) => !group.members.has(userId));
  const removed = [...group.members].filter((userId) => !memberIds.has(userId));
  return added.length + removed.length === 0
    ? nothing()
    : decided({ type: 'GroupMembersChanged', data: { groupId, added, removed } });
}
