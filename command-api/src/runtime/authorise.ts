/** Levels on data sets, asked of the log's access state at its tail: a revocation bites the next command. */
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

/** The actor's level on a data set, for a command that decides row by row. */
export async function levelOf(x: Execution, dataSet: DataSet): Promise<Level | null> {
  return levelOnDataSet(await x.access.current(), await x.actor(), dataSet);
}

/** Asks of the actor's role again what the command's route declares: between two tries it may have lost it. */
export async function requireDeclaredRole(x: Execution): Promise<void> {
  const { needs } = x.meta;
  if (!needs || !('administrator' in needs || 'ability' in needs || 'route' in needs)) return;
  requireRole(needs, await x.access.current(), await x.actor());
}

/**
 * Loads a data set that the actor has the level on: the declared one, unless the command needs another on a second
 * data set. One they may not even read does not exist for them.
 */
export async function dataSetFor(x: Execution, id: number, needed: Level = x.level): Promise<DataSet> {
  const { state: dataSet } = await x.load(kinds.dataSet, streams.dataSet(id));
  const level = dataSet && (await levelOf(x, dataSet));
  if (!dataSet || !level || dataSet.deleted) throw new Refusal('NOT_FOUND', 'This data set does not exist');
  requireLevel(level, needed, 'data set');
  return dataSet;
}

/** Refuses a level that is too low; `what` names what it is a level on. */
export function requireLevel(level: Level | null, needed: Level, what: string): void {
  if (hasLevel(level, needed)) return;
  throw new Refusal('FORBIDDEN', `This needs ${needed} permission on the ${what}`);
}

/** Asks for the declared level on a collection. */
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
