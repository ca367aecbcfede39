/** Rules of collections: creation, details, deletion and permissions. */
import {
  type AccessCollection,
  type AccessEvent,
  type AccessState,
  type Actor,
  type ChangeCollection,
  type CreateCollection,
  type Grant,
  type Level,
  levelOnCollection,
  Refusal,
} from '@rdm/contracts';
import { requireCollection } from '../invariants/collection-items.ts';
import { requireCollectionLevelIn } from '../runtime/authorise.ts';
import { type Decision, decided } from '../runtime/decision.ts';
import { requireExpectedRevision } from '../runtime/expected-revision.ts';

export function createCollection(
  access: AccessState,
  command: CreateCollection & { collectionId: number; ownerId: number },
): Decision<AccessEvent> {
  if (access.collections.has(command.collectionId)) throw new Refusal('CONFLICT', 'This collection exists already');
  return decided({ type: 'CollectionCreated', data: command });
}

export function changeCollection(
  access: AccessState,
  collectionId: number,
  command: ChangeCollection,
  expectedRevision: number | undefined,
): Decision<AccessEvent, { nameBefore: string }> {
  const collection = requireExpectedRevision(requireCollection(access, collectionId), expectedRevision, 'collection', {
    id: collectionId,
  });
  const tagsDiffer = command.tags !== undefined && command.tags.join('\n') !== collection.tags.join('\n');
  const changed = {
    ...(command.name !== undefined && command.name !== collection.name ? { name: command.name } : {}),
    ...(command.description !== undefined && command.description !== collection.description
      ? { description: command.description }
      : {}),
    ...(tagsDiffer ? { tags: command.tags } : {}),
  };
  return {
    events:
      Object.keys(changed).length === 0
        ? []
        : [{ type: 'CollectionChanged', data: { collectionId, ...changed } } as AccessEvent],
    result: { nameBefore: collection.name },
  };
}

export function deleteCollection(
  access: AccessState,
  collectionId: number,
  expectedRevision: number | undefined,
): Decision<AccessEvent, { name: string }> {
  const collection = requireExpectedRevision(requireCollection(access, collectionId), expectedRevision, 'collection', {
    id: collectionId,
  });
  return { events: [{ type: 'CollectionDeleted', data: { collectionId } }], result: { name: collection.name } };
}

/**
 * Checks the actor's level in the state that `decide` gets. Otherwise a user whose grant was revoked after the command
 * arrived could restore the grant.
 */
export const requiringLevel =
  <Result>(
    level: Level,
    actor: Actor,
    collectionId: number,
    decide: (access: AccessState) => Decision<AccessEvent, Result>,
  ) =>
  (access: AccessState): Decision<AccessEvent, Result> => {
    requireCollectionLevelIn(access, actor, collectionId, level);
    return decide(access);
  };

/** Replaces all grants of the collection. */
export function setPermissions(
  access: AccessState,
  collectionId: number,
  requested: readonly Grant[],
  expectedRevision: number | undefined,
): Decision<AccessEvent> {
  const collection = requireExpectedRevision(requireCollection(access, collectionId), expectedRevision, 'collection', {
    id: collectionId,
  });
  const byKey = new Map<string, Grant>();
  for (const grant of requested) {
    const key = `${grant.entityType}:${grant.entityId}`;
    if (byKey.has(key)) throw new Refusal('INVALID', `The ${grant.entityType} ${grant.entityId} is listed twice`);
    const exists = grant.entityType === 'user' ? access.users.has(grant.entityId) : access.groups.has(grant.entityId);
    // The list may still contain the grant of a deleted group: skip it.
    if (!exists && collection.grants.has(key)) continue;
    if (!exists) throw new Refusal('INVALID', `There is no ${grant.entityType} ${grant.entityId}`);
    byKey.set(key, grant);
  }
  const granted = [...byKey].filter(([key, grant]) => collection.grants.get(key) !== grant.permissionLevel);
  const revoked = [...collection.grants.keys()].filter((key) => !byKey.has(key));
  if (granted.length + revoked.length === 0) return decided();
  if (!hasAdmin(access, collection, byKey)) {
    throw new Refusal(
      'CONFLICT',
      'At least one user must keep ADMIN on this collection: grant it to another user first',
    );
  }
  return decided({
    type: 'CollectionPermissionsChanged',
    data: {
      collectionId,
      granted: granted.map(([, grant]) => grant),
      revoked: revoked.map((key) => {
        const [entityType, id] = key.split(':');
        return { entityType: entityType as Grant['entityType'], entityId: Number(id) };
      }),
    },
  });
}

/** Whether an active user has ADMIN as the owner or by a grant. The role of an administrator alone does not count. */
function hasAdmin(access: AccessState, collection: AccessCollection, grants: Map<string, Grant>): boolean {
  if (levelOnCollection(access, collection.ownerId, collection.collectionId) === 'ADMIN') return true;
  const isActive = (userId: number) => access.users.get(userId)?.active === true;
  return [...grants.values()].some((grant) => {
    if (grant.permissionLevel !== 'ADMIN') return false;
    if (grant.entityType === 'user') return isActive(grant.entityId);
    return [...(access.groups.get(grant.entityId)?.members ?? [])].some(isActive);
  });
}
