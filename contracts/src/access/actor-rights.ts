/** The rights of an actor in an access state: roles, abilities, routes, and levels on collections and data sets. */
import type { AccessCollection, AccessState } from './access.ts';
import { API_KEY_ROUTES, type ApiKeyActor } from './api-key-actor.ts';
import { type Ability, ADMINISTRATOR_ROLE_ID, hasLevel, highest, type Level } from './permissions.ts';

/** The id of the acting user, or the acting API key with its scopes. */
export type Actor = number | ApiKeyActor;

/** The user on whose behalf the actor acts: for an API key, `createdBy`. */
export const authorOf = (actor: Actor): number => (typeof actor === 'number' ? actor : actor.createdBy);

/** An API key is never an administrator, not even if an administrator created it. */
export const isAdministrator = (state: AccessState, actor: Actor): boolean => {
  const user = typeof actor === 'number' ? state.users.get(actor) : undefined;
  return user?.active === true && user.roleId === ADMINISTRATOR_ROLE_ID;
};

/** The active administrators. */
export const administrators = (state: AccessState): number[] =>
  [...state.users.keys()].filter((userId) => isAdministrator(state, userId));

/**
 * Whether the product serves requests of the actor. An API key is always active, because the secret of a revoked or
 * expired key finds no actor.
 */
export const isActive = (state: AccessState, actor: Actor): boolean =>
  typeof actor === 'number' ? state.users.get(actor)?.active === true : true;

export function hasAbility(state: AccessState, actor: Actor, ability: Ability): boolean {
  if (isAdministrator(state, actor)) return true;
  const user = typeof actor === 'number' ? state.users.get(actor) : undefined;
  return user?.active === true && (state.roles.get(user.roleId)?.abilities.includes(ability) ?? false);
}

/** Whether the actor has at least the needed level on at least one collection. */
export const hasLevelSomewhere = (state: AccessState, actor: Actor, needed: Level): boolean =>
  [...state.collections.keys()].some((id) => hasLevel(levelOnCollection(state, actor, id), needed));

/**
 * The routes of the actor's role. API keys have no role: every key that may do more than translate has the same routes.
 */
export function allowedRoutes(state: AccessState, actor: Actor): readonly string[] {
  if (typeof actor !== 'number') return actor.scopes.some(({ scope }) => scope !== 'translate') ? API_KEY_ROUTES : [];
  return state.roles.get(state.users.get(actor)?.roleId ?? 0)?.routes ?? [];
}

/** The actor's level on a collection; null if the actor has none or the collection is deleted. */
export function levelOnCollection(state: AccessState, actor: Actor, collectionId: number): Level | null {
  const collection = state.collections.get(collectionId);
  return collection && !collection.deleted ? grantedLevel(state, actor, collection) : null;
}

/**
 * The actor's level on a collection, also if the collection is deleted, because users who could see it may see its
 * past.
 */
export function levelOnPastOfCollection(state: AccessState, actor: Actor, collectionId: number): Level | null {
  const collection = state.collections.get(collectionId);
  return collection ? grantedLevel(state, actor, collection) : null;
}

/**
 * Whether the actor may receive changes of a collection. Users who could see it before its deletion also receive the
 * deletion.
 */
export const canReceiveCollection = (state: AccessState, actor: Actor, collectionId: number): boolean =>
  levelOnPastOfCollection(state, actor, collectionId) !== null;

function grantedLevel(state: AccessState, actor: Actor, collection: AccessCollection): Level | null {
  if (typeof actor !== 'number') return levelOfKey(actor, collection.collectionId);
  if (state.users.get(actor)?.active !== true) return null;
  if (collection.ownerId === actor || isAdministrator(state, actor)) return 'ADMIN';
  let level = collection.grants.get(`user:${actor}`) ?? null;
  for (const groupId of state.groupsOf.get(actor) ?? []) {
    level = highest(level, collection.grants.get(`group:${groupId}`) ?? null);
  }
  return level;
}

const LEVEL_OF_SCOPE = { read: 'READ', write: 'WRITE', translate: null } as const;

const levelOfKey = (key: ApiKeyActor, collectionId: number): Level | null =>
  key.scopes.reduce<Level | null>(
    (level, { collectionId: id, scope }) => (id === collectionId ? highest(level, LEVEL_OF_SCOPE[scope]) : level),
    null,
  );

/**
 * The actor's level on a data set: the highest level on the collections that contain it. A data set in no collection
 * belongs to its creator and the administrators.
 */
export function levelOnDataSet(
  state: AccessState,
  actor: Actor,
  dataSet: { id: number; createdBy: number | null },
): Level | null {
  if (!isActive(state, actor)) return null;
  if (isAdministrator(state, actor)) return 'ADMIN';
  const collectionIds = state.collectionsOf.get(dataSet.id);
  if (!collectionIds || collectionIds.size === 0) return dataSet.createdBy === actor ? 'ADMIN' : null;
  let level: Level | null = null;
  for (const collectionId of collectionIds) level = highest(level, levelOnCollection(state, actor, collectionId));
  return level;
}

/** The data sets whose values an API key may translate: those in the collections of its `translate` scopes. */
export function translatableDataSets(state: AccessState, actor: Actor): number[] {
  if (typeof actor === 'number') return [];
  return actor.scopes.flatMap(({ collectionId, scope }) => {
    const collection = scope === 'translate' ? state.collections.get(collectionId) : undefined;
    return collection && !collection.deleted ? [...collection.dataSetIds] : [];
  });
}

/**
 * The readable data sets in a form for SQL: all data sets, or `ids` and the data sets that `ownerId` created and that
 * are in no collection. `collected` lists the data sets that are in a collection.
 */
export type ReadableDataSets =
  | { all: true }
  | {
      all: false;
      ids: number[];
      collected: number[];
      /** Null for an API key, which owns no data sets. */
      ownerId: number | null;
    };

/** The data sets on which an active actor has at least the level `needed`. */
export function readableDataSets(state: AccessState, actor: Actor, needed: Level = 'READ'): ReadableDataSets {
  if (isAdministrator(state, actor)) return { all: true };
  const ids: number[] = [];
  const collected: number[] = [];
  const levels = new Map<number, Level | null>();
  for (const [dataSetId, collectionIds] of state.collectionsOf) {
    if (collectionIds.size === 0) continue;
    collected.push(dataSetId);
    for (const collectionId of collectionIds) {
      if (!levels.has(collectionId)) levels.set(collectionId, levelOnCollection(state, actor, collectionId));
      if (hasLevel(levels.get(collectionId) ?? null, needed)) {
        ids.push(dataSetId);
        break;
      }
    }
  }
  return { all: false, ids, collected, ownerId: typeof actor === 'number' ? actor : null };
}
