/** Specifies the rules of users, roles and groups. */
import { type AccessEvent, type AccessState, levelOnCollection, SEEDED_ROLES } from '@rdm/contracts';
import { collectionCreated } from '@rdm/contracts/testing/events';
import { describe, expect, it } from 'vitest';
import { kinds } from '../runtime/stream-kinds.ts';
import { specify } from '../testing/given.ts';
import {
  assignRole,
  changeGroup,
  changeRole,
  createGroup,
  deactivateUser,
  defineRole,
  deleteGroup,
  deleteRole,
  reactivateUser,
  retireUser,
  setMembers,
} from './decider.ts';

const { given } = specify(kinds.access);
const world: AccessEvent[] = [
  ...SEEDED_ROLES.map((role): AccessEvent => ({ type: 'RoleDefined', data: role })),
  { type: 'UserRegistered', data: { userId: 1, roleId: 1 } },
  { type: 'UserRegistered', data: { userId: 2, roleId: 2 } },
];
const secondAdministrator: AccessEvent = { type: 'UserRegistered', data: { userId: 3, roleId: 1 } };
const deactivated = (userId: number): AccessEvent => ({ type: 'UserDeactivated', data: { userId } });
const assigned = (userId: number, roleId: number): AccessEvent => ({
  type: 'UserRoleAssigned',
  data: { userId, roleId },
});

describe('the last administrator', () => {
  const message = 'This is the last administrator: make another user an administrator first';

  it('cannot lose the role, be deactivated or be erased', () => {
    for (const decide of [
      (access: AccessState) => assignRole(access, 1, 2),
      (access: AccessState) => deactivateUser(access, 1),
      (access: AccessState) => retireUser(access, 1),
    ]) {
      given(...world)
        .when(decide)
        .thenRefused('LAST_ADMINISTRATOR', message);
    }
  });
  it('is the last active administrator: deactivated administrators do not count', () => {
    given(...world, secondAdministrator)
      .when((access) => assignRole(access, 1, 2))
      .then(assigned(1, 2));
    given(...world, secondAdministrator, deactivated(3))
      .when((access) => assignRole(access, 1, 2))
      .thenRefused('LAST_ADMINISTRATOR');
    given(...world, secondAdministrator, assigned(1, 2))
      .when((access) => deactivateUser(access, 3))
      .thenRefused('LAST_ADMINISTRATOR');
  });
  it('is not replaced by an invited user without a password', () =>
    given(...world, secondAdministrator)
      .when((access) => assignRole(access, 1, 2, (userId) => userId !== 3))
      .thenRefused('LAST_ADMINISTRATOR'));
  it('can be assigned the same role again', () => {
    given(...world)
      .when((access) => assignRole(access, 1, 1))
      .thenNothing();
  });
  it('is never a deactivated administrator, so this user may lose the role', () => {
    given(...world, secondAdministrator, deactivated(3))
      .when((access) => assignRole(access, 3, 4))
      .then(assigned(3, 4));
  });
});

describe('a user', () => {
  it('gets only an existing role', () => {
    given(...world)
      .when((access) => assignRole(access, 2, 3))
      .then(assigned(2, 3));
    given(...world)
      .when((access) => assignRole(access, 2, 2))
      .thenNothing();
    given(...world)
      .when((access) => assignRole(access, 2, 77))
      .thenRefused('INVALID', 'There is no role 77');
    given(...world)
      .when((access) => assignRole(access, 9, 2))
      .thenRefused('NOT_FOUND');
  });
  it('is deactivated once and reactivated once', () => {
    given(...world)
      .when((access) => deactivateUser(access, 2))
      .then(deactivated(2));
    given(...world, deactivated(2))
      .when((access) => deactivateUser(access, 2))
      .thenNothing();
    given(...world, deactivated(2))
      .when((access) => reactivateUser(access, 2))
      .then({ type: 'UserReactivated', data: { userId: 2 } });
    given(...world)
      .when((access) => reactivateUser(access, 2))
      .thenNothing();
  });
  it('who is erased becomes inactive and gets the default role', () => {
    given(...world)
      .when((access) => retireUser(access, 2))
      .then(deactivated(2), assigned(2, 4));
    given(...world, deactivated(2), assigned(2, 4))
      .when((access) => retireUser(access, 2))
      .thenNothing();
  });
});

describe('a role', () => {
  const auditor = { name: 'Auditor', description: '', routes: ['/monitor'], abilities: [] };
  const defined: AccessEvent = { type: 'RoleDefined', data: { roleId: 100, ...auditor } };

  it('is defined once, and has each route once', () => {
    given(...world)
      .when((access) => defineRole(access, 100, { ...auditor, routes: ['/monitor', '/monitor'] }))
      .then(defined);
    given(...world, defined)
      .when((access) => defineRole(access, 100, auditor))
      .thenRefused('CONFLICT');
  });
  it('records only the changed properties, and requires the current revision', () => {
    given(...world, defined)
      .when((access) => changeRole(access, 100, { name: 'Auditor', routes: ['/monitor', '/crosswalks'] }, 1))
      .then({ type: 'RoleChanged', data: { roleId: 100, routes: ['/monitor', '/crosswalks'] } });
    given(...world, defined)
      .when((access) => changeRole(access, 100, { ...auditor }, 1))
      .thenNothing();
    given(...world, defined, { type: 'RoleChanged', data: { roleId: 100, description: 'Looks' } })
      .when((access) => changeRole(access, 100, { name: 'Controller' }, 1))
      .thenRefused('STALE');
    given(...world)
      .when((access) => changeRole(access, 100, { name: 'Controller' }, undefined))
      .thenRefused('NOT_FOUND');
  });
  it('of administrators can be renamed, but not restricted or deleted', () => {
    given(...world)
      .when((access) => changeRole(access, 1, { name: 'Owner', routes: ['/'] }, undefined))
      .then({ type: 'RoleChanged', data: { roleId: 1, name: 'Owner' } });
    for (const less of [{ routes: ['/monitor'] }, { abilities: [] }]) {
      given(...world)
        .when((access) => changeRole(access, 1, less, undefined))
        .thenRefused('INVALID');
    }
    given(...world)
      .when((access) => deleteRole(access, 1, undefined))
      .thenRefused('INVALID');
  });
  it('that new users get cannot be deleted', () => {
    given(...world)
      .when((access) => deleteRole(access, 4, undefined))
      .thenRefused('INVALID');
  });
  it('can be deleted only if no user has it, active or deactivated', () => {
    given(...world)
      .when((access) => deleteRole(access, 2, undefined))
      .thenRefused('ROLE_IN_USE', 'This role cannot be deleted: 1 user has it');
    given(...world, { type: 'UserRegistered', data: { userId: 5, roleId: 2 } }, deactivated(5))
      .when((access) => deleteRole(access, 2, undefined))
      .thenRefused('ROLE_IN_USE', 'This role cannot be deleted: 2 users have it');
    given(...world, defined)
      .when((access) => deleteRole(access, 100, 1))
      .then({ type: 'RoleDeleted', data: { roleId: 100 } });
  });
});

describe('a group', () => {
  const office: AccessEvent = { type: 'GroupCreated', data: { groupId: 40, name: 'Data office', description: '' } };
  const members = (added: number[], removed: number[]): AccessEvent => ({
    type: 'GroupMembersChanged',
    data: { groupId: 40, added, removed },
  });
  const collection = (collectionId: number) => collectionCreated({ collectionId });
  const granted = (collectionId: number): AccessEvent => ({
    type: 'CollectionPermissionsChanged',
    data: {
      collectionId,
      granted: [{ entityType: 'group', entityId: 40, permissionLevel: 'WRITE' }],
      revoked: [],
    },
  });
  const revoked = (collectionId: number): AccessEvent => ({
    type: 'CollectionPermissionsChanged',
    data: { collectionId, granted: [], revoked: [{ entityType: 'group', entityId: 40 }] },
  });

  it('is created, and changed only at the current revision', () => {
    given(...world)
      .when((access) => createGroup(access, 40, { name: 'Data office', description: '' }))
      .then(office);
    given(...world, office)
      .when((access) => changeGroup(access, 40, { name: 'Data office', description: 'Codes' }, 1))
      .then({ type: 'GroupChanged', data: { groupId: 40, description: 'Codes' } });
    given(...world, office)
      .when((access) => changeGroup(access, 40, { name: 'Data office' }, 1))
      .thenNothing();
    given(...world, office, members([2], []))
      .when((access) => changeGroup(access, 40, { name: 'Office' }, 1))
      .thenRefused('STALE');
  });
  it('records the added and the removed members', () => {
    given(...world, office)
      .when((access) => setMembers(access, 40, [2, 2], 1))
      .then(members([2], []));
    given(...world, office, members([2], []))
      .when((access) => setMembers(access, 40, [1], 2))
      .then(members([1], [2]));
    given(...world, office, members([2], []))
      .when((access) => setMembers(access, 40, [2], undefined))
      .thenNothing();
    given(...world, office)
      .when((access) => setMembers(access, 40, [77], undefined))
      .thenRefused('INVALID', 'There is no user 77');
    given(...world, office, members([2], []))
      .when((access) => setMembers(access, 40, [1], 1))
      .thenRefused('STALE');
  });
  it('loses its grants when it is deleted', () => {
    const story = [...world, office, members([2], []), collection(8), collection(9), granted(9)];
    given(...story)
      .when((access) => deleteGroup(access, 40, undefined))
      .then(revoked(9), { type: 'GroupDeleted', data: { groupId: 40 } });
    const before = given(...story).state();
    expect(levelOnCollection(before, 2, 9)).toBe('WRITE');
    const after = given(...story, revoked(9), { type: 'GroupDeleted', data: { groupId: 40 } }).state();
    expect(levelOnCollection(after, 2, 9)).toBeNull();
    expect(after.collections.get(9)?.grants.size).toBe(0);
  });
  it('that is deleted leaves the grants of deleted collections unchanged', () => {
    given(...world, office, collection(9), granted(9), { type: 'CollectionDeleted', data: { collectionId: 9 } })
      .when((access) => deleteGroup(access, 40, undefined))
      .then({ type: 'GroupDeleted', data: { groupId: 40 } });
  });
});
