/**
 * Checks roles, and levels on data sets and collections, against the access state at the tail of the log, so that a
 * revocation applies to the next command.
 */
import {
  type AccessState,
  type Actor,
  type DataSet,
  hasLevel,
  type Level,
  levelOnCollection,
  levelOnDataSet,
  Refusal,
  streams,
} from '@rdm/contracts';
import { requireRole } from '@rdm/platform';
import type { Execution } from './execution.ts';
import { kinds } from './stream-kinds.ts';

/** The actor's level on a data set; null for none. */
export async function levelOf(x: Execution, dataSet: DataSet): Promise<Level | null> {
  return levelOnDataSet(await x.access.current(), await x.actor(), dataSet);
}

/**
 * Repeats the check of the role or ability that the command's route requires: the actor may have lost the role since an
 * earlier run of the command.
 */
export async function requireDeclaredRole(x: Execution): Promise<void> {
  const { needs } = x.meta;
  if (!needs || !('administrator' in needs || 'ability' in needs || 'route' in needs)) return;
  requireRole(needs, await x.access.current(), await x.actor());
}

/**
 * Loads a data set on which the actor has the required level, by default the level of the route. Throws NOT_FOUND if
 * the data set is missing, deleted or hidden from the actor, and FORBIDDEN if the level is too low.
 */
export async function dataSetFor(x: Execution, id: number, needed: Level = x.level): Promise<DataSet> {
  const { state: dataSet } = await x.load(kinds.dataSet, streams.dataSet(id));
  const level = dataSet && (await levelOf(x, dataSet));
  if (!dataSet || !level || dataSet.deleted) throw new Refusal('NOT_FOUND', 'This data set does not exist');
  requireLevel(level, needed, 'data set');
  return dataSet;
}

/** Throws FORBIDDEN if a level is too low; `objectName` names the object in the message. */
export function requireLevel(level: Level | null, needed: Level, objectName: string): void {
  if (hasLevel(level, needed)) return;
  throw new Refusal('FORBIDDEN', `This needs ${needed} permission on the ${objectName}`);
}

/** Requires a level on a collection, by default the level of the route. */
export async function requireCollectionLevel(
  x: Execution,
  collectionId: number,
  needed: Level = x.level,
): Promise<void> {
  requireCollectionLevelIn(await x.access.current(), await x.actor(), collectionId, needed);
}

export function requireCollectionLevelIn(access: AccessState, actor: Actor, collectionId: number, needed: Level): void {
  const level = levelOnCollection(access, actor, collectionId);
  if (level === null) throw new Refusal('NOT_FOUND', 'This collection does not exist');
  requireLevel(level, needed, 'collection');
}
