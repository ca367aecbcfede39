/** Specifies that levelOnDataSet and readableDataSets agree on the data sets that a user can read. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AccessEvent, emptyAccess, evolveAccess } from './access.ts';
import { levelOnDataSet, readableDataSets } from './actor-rights.ts';
import { hasLevel, LEVELS, SEEDED_ROLES } from './permissions.ts';

const arbitraryId = (max: number) => fc.integer({ min: 1, max });
const grant = fc.record({
  entityType: fc.constantFrom('user' as const, 'group' as const),
  entityId: arbitraryId(4),
  permissionLevel: fc.constantFrom(...LEVELS),
});
const arbitraryEvent: fc.Arbitrary<AccessEvent> = fc.oneof(
  fc.record({
    type: fc.constant('UserRegistered' as const),
    data: fc.record({ userId: arbitraryId(4), roleId: arbitraryId(4) }),
  }),
  fc.record({ type: fc.constant('UserDeactivated' as const), data: fc.record({ userId: arbitraryId(4) }) }),
  fc.record({
    type: fc.constant('GroupCreated' as const),
    data: fc.record({ groupId: arbitraryId(3), name: fc.constant('g'), description: fc.constant('') }),
  }),
  fc.record({
    type: fc.constant('GroupMembersChanged' as const),
    data: fc.record({ groupId: arbitraryId(3), added: fc.array(arbitraryId(4)), removed: fc.array(arbitraryId(4)) }),
  }),
  fc.record({ type: fc.constant('GroupDeleted' as const), data: fc.record({ groupId: arbitraryId(3) }) }),
  fc.record({
    type: fc.constant('CollectionCreated' as const),
    data: fc.record({
      collectionId: arbitraryId(3),
      name: fc.constant('c'),
      description: fc.constant(''),
      tags: fc.constant<string[]>([]),
      ownerId: arbitraryId(4),
    }),
  }),
  fc.record({ type: fc.constant('CollectionDeleted' as const), data: fc.record({ collectionId: arbitraryId(3) }) }),
  fc.record({
    type: fc.constant('CollectionItemsAdded' as const),
    data: fc.record({ collectionId: arbitraryId(3), dataSetIds: fc.array(arbitraryId(5)) }),
  }),
  fc.record({
    type: fc.constant('CollectionItemsRemoved' as const),
    data: fc.record({ collectionId: arbitraryId(3), dataSetIds: fc.array(arbitraryId(5)) }),
  }),
  fc.record({
    type: fc.constant('CollectionPermissionsChanged' as const),
    data: fc.record({
      collectionId: arbitraryId(3),
      granted: fc.array(grant),
      revoked: fc.constant<{ entityType: 'user' | 'group'; entityId: number }[]>([]),
    }),
  }),
);

describe('any grants', () => {
  it('make the same data sets readable in levelOnDataSet and readableDataSets', () => {
    fc.assert(
      fc.property(
        fc.array(arbitraryEvent, { maxLength: 60 }),
        arbitraryId(4),
        arbitraryId(4),
        (events, userId, createdBy) => {
          const state = emptyAccess();
          for (const role of SEEDED_ROLES) evolveAccess(state, { type: 'RoleDefined', data: role });
          for (const event of events) evolveAccess(state, event);
          const readable = readableDataSets(state, userId);
          for (let dataSetId = 1; dataSetId <= 5; dataSetId++) {
            const level = levelOnDataSet(state, userId, { id: dataSetId, createdBy });
            const active = state.users.get(userId)?.active === true;
            const listed =
              readable.all ||
              readable.ids.includes(dataSetId) ||
              (active && !readable.collected.includes(dataSetId) && createdBy === readable.ownerId);
            expect(hasLevel(level, 'READ')).toBe(listed);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
