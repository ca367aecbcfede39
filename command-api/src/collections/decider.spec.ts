import { type AccessEvent, type Grant, levelOnDataSet, SEEDED_ROLES } from '@rdm/contracts';
import { collectionCreated } from '@rdm/contracts/testing/events';
import { describe, expect, it } from 'vitest';
import { registerUser } from '../identity/decider.ts';
import { addItems, removeItems } from '../invariants/collection-items.ts';
import { claim, release } from '../invariants/unique-names.ts';
import { kinds } from '../runtime/stream-kinds.ts';
import { specify } from '../testing/given.ts';
import { changeCollection, createCollection, deleteCollection, requiringLevel, setPermissions } from './decider.ts';

const { given } = specify(kinds.access);
const world: AccessEvent[] = [
  ...SEEDED_ROLES.map((role): AccessEvent => ({ type: 'RoleDefined', data: role })),
  { type: 'UserRegistered', data: { userId: 1, roleId: 1 } },
  { type: 'UserRegistered', data: { userId: 2, roleId: 2 } },
  { type: 'UserRegistered', data: { userId: 3, roleId: 3 } },
  { type: 'GroupCreated', data: { groupId: 40, name: 'Data office', description: '' } },
  { type: 'GroupMembersChanged', data: { groupId: 40, added: [3], removed: [] } },
];
const geo = collectionCreated({ collectionId: 9, name: 'Geo', ownerId: 2 });
const approver: Grant = { entityType: 'user', entityId: 3, permissionLevel: 'APPROVER' };

describe('a collection', () => {
  it('gives its owner ADMIN on its data sets', () => {
    given(...world)
      .when((access) =>
        createCollection(access, { collectionId: 9, name: 'Geo', description: '', tags: [], ownerId: 2 }),
      )
      .then(geo);
    const state = given(...world, geo, {
      type: 'CollectionItemsAdded',
      data: { collectionId: 9, dataSetIds: [5] },
    }).state();
    expect(levelOnDataSet(state, 2, { id: 5, createdBy: 1 })).toBe('ADMIN');
    expect(levelOnDataSet(state, 3, { id: 5, createdBy: 1 })).toBeNull();
    expect(levelOnDataSet(state, 1, { id: 5, createdBy: 2 })).toBe('ADMIN');
  });
  it('adds a data set once, and removes only data sets that it contains', () => {
    given(...world, geo)
      .when((access) => addItems(access, 9, [5, 5]))
      .then({ type: 'CollectionItemsAdded', data: { collectionId: 9, dataSetIds: [5] } });
    given(...world, geo, { type: 'CollectionItemsAdded', data: { collectionId: 9, dataSetIds: [5] } })
      .when((access) => addItems(access, 9, [5]))
      .thenNothing();
    given(...world, geo)
      .when((access) => removeItems(access, 9, [5]))
      .thenNothing();
    given(...world)
      .when((access) => addItems(access, 9, [5]))
      .thenRefused('NOT_FOUND');
  });
  it('changes only details that differ, and refuses an outdated revision', () => {
    given(...world, geo)
      .when((access) => changeCollection(access, 9, { description: 'Places', tags: ['iso'] }, 1))
      .then({ type: 'CollectionChanged', data: { collectionId: 9, description: 'Places', tags: ['iso'] } });
    given(...world, geo)
      .when((access) => changeCollection(access, 9, { name: 'Geo', tags: [] }, 1))
      .thenNothing();
    given(...world, geo)
      .when((access) => changeCollection(access, 9, { name: 'x' }, 4))
      .thenRefused('STALE');
  });
  it('is deleted once', () => {
    given(...world, geo)
      .when((access) => deleteCollection(access, 9, 1))
      .then({ type: 'CollectionDeleted', data: { collectionId: 9 } });
    given(...world, geo, { type: 'CollectionDeleted', data: { collectionId: 9 } })
      .when((access) => deleteCollection(access, 9, undefined))
      .thenRefused('NOT_FOUND');
  });
});

describe('permissions', () => {
  it('are stored as the differences from the current grants', () => {
    given(...world, geo)
      .when((access) => setPermissions(access, 9, [approver], undefined))
      .then({ type: 'CollectionPermissionsChanged', data: { collectionId: 9, granted: [approver], revoked: [] } });
    const granted: AccessEvent = {
      type: 'CollectionPermissionsChanged',
      data: { collectionId: 9, granted: [approver], revoked: [] },
    };
    given(...world, geo, granted)
      .when((access) => setPermissions(access, 9, [approver], undefined))
      .thenNothing();
    given(...world, geo, granted)
      .when((access) => setPermissions(access, 9, [], undefined))
      .then({
        type: 'CollectionPermissionsChanged',
        data: { collectionId: 9, granted: [], revoked: [{ entityType: 'user', entityId: 3 }] },
      });
  });
  it('are refused for an unknown user, and for a user that the request lists twice', () => {
    const stranger: Grant = { entityType: 'user', entityId: 99, permissionLevel: 'READ' };
    given(...world, geo)
      .when((access) => setPermissions(access, 9, [stranger], undefined))
      .thenRefused('INVALID');
    given(...world, geo)
      .when((access) => setPermissions(access, 9, [approver, approver], undefined))
      .thenRefused('INVALID');
  });
  it('drop the grant of a deleted group that the request still contains', () => {
    const office: Grant = { entityType: 'group', entityId: 40, permissionLevel: 'READ' };
    given(
      ...world,
      geo,
      { type: 'CollectionPermissionsChanged', data: { collectionId: 9, granted: [office], revoked: [] } },
      { type: 'GroupDeleted', data: { groupId: 40 } },
    )
      .when((access) => setPermissions(access, 9, [office, approver], undefined))
      .then({
        type: 'CollectionPermissionsChanged',
        data: { collectionId: 9, granted: [approver], revoked: [{ entityType: 'group', entityId: 40 }] },
      });
  });
  it('must give ADMIN to an active user while the owner is inactive', () => {
    const ownerDeactivated: AccessEvent = { type: 'UserDeactivated', data: { userId: 2 } };
    const office: Grant = { entityType: 'group', entityId: 40, permissionLevel: 'ADMIN' };
    given(...world, geo, ownerDeactivated)
      .when((access) => setPermissions(access, 9, [approver], undefined))
      .thenRefused('CONFLICT');
    given(...world, geo, ownerDeactivated)
      .when((access) => setPermissions(access, 9, [office], undefined))
      .then({ type: 'CollectionPermissionsChanged', data: { collectionId: 9, granted: [office], revoked: [] } });
  });
  it('apply to the members of a group', () => {
    const state = given(
      ...world,
      geo,
      { type: 'CollectionItemsAdded', data: { collectionId: 9, dataSetIds: [5] } },
      {
        type: 'CollectionPermissionsChanged',
        data: {
          collectionId: 9,
          granted: [{ entityType: 'group', entityId: 40, permissionLevel: 'WRITE' }],
          revoked: [],
        },
      },
    ).state();
    expect(levelOnDataSet(state, 3, { id: 5, createdBy: null })).toBe('WRITE');
  });
});

describe('users', () => {
  it('are registered once, with a role that exists', () => {
    given(...world)
      .when((access) => registerUser(access, 7, 4))
      .then({ type: 'UserRegistered', data: { userId: 7, roleId: 4 } });
    given(...world)
      .when((access) => registerUser(access, 2, 2))
      .thenNothing();
    given(...world)
      .when((access) => registerUser(access, 7, 77))
      .thenRefused('INVALID');
  });
});

describe('names', () => {
  const names = specify(kinds.names);
  const claimed = { type: 'NameClaimed' as const, data: { name: 'Country', ownerId: 7 } };

  it('belong to one owner, ignoring case and spacing', () => {
    names
      .given()
      .when((state) => claim(state, 'Country', 7))
      .then(claimed);
    names
      .given(claimed)
      .when((state) => claim(state, ' COUNTRY ', 8))
      .thenRefused('NAME_TAKEN');
    names
      .given(claimed)
      .when((state) => claim(state, 'country', 7))
      .thenNothing();
  });
  it('are released only by their owner', () => {
    names
      .given(claimed)
      .when((state) => release(state, 'Country', 8))
      .thenNothing();
    names
      .given(claimed)
      .when((state) => release(state, 'Country', 7))
      .then({ type: 'NameReleased', data: { name: 'Country', ownerId: 7 } });
  });
});

describe('administering a collection', () => {
  const admin: Grant = { entityType: 'user', entityId: 3, permissionLevel: 'ADMIN' };
  const granted: AccessEvent = {
    type: 'CollectionPermissionsChanged',
    data: { collectionId: 9, granted: [admin], revoked: [] },
  };
  const revoked: AccessEvent = {
    type: 'CollectionPermissionsChanged',
    data: { collectionId: 9, granted: [], revoked: [{ entityType: 'user', entityId: 3 }] },
  };
  const changeDescription = requiringLevel('ADMIN', 3, 9, (access) =>
    changeCollection(access, 9, { description: 'mine' }, undefined),
  );

  it('requires ADMIN at the time of the decision', () => {
    given(...world, geo, granted)
      .when(changeDescription)
      .then({ type: 'CollectionChanged', data: { collectionId: 9, description: 'mine' } });
    given(...world, geo, granted, revoked)
      .when(changeDescription)
      .thenRefused('NOT_FOUND');
    given(...world, geo, { ...granted, data: { ...granted.data, granted: [approver] } })
      .when(changeDescription)
      .thenRefused('FORBIDDEN');
  });
});
