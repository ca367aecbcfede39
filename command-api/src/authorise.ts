/** Levels on data sets, asked of the log's access state at its tail: a revocation bites the next command. */
import {
  type Ability,
  type AccessState,
  type DataSet,
  hasAbility,
  hasLevel,
  isAdministrator,
  type Level,
  levelOnCollection,
  levelOnDataSet,
  Refusal,
  streams,
} from '@rdm/contracts';
import type { Execution } from './execution.ts';
import { kinds } from './kinds.ts';

/** The level of a user on a data set, for a command that decides row by row. */
export async function levelOf(x: Execution, dataSet: DataSet): Promise<Level | null> {
  return levelOnDataSet(await x.access.current(), x.actorId, dataSet);
}

/** Loads a data set that the actor has the level on. One they may not even read does not exist for them. */
export async function dataSetFor(x: Execution, id: number, needed: Level): Promise<DataSet> {
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

export async function requireAbility(x: Execution, ability: Ability): Promise<void> {
  if (hasAbility(await x.access.current(), x.actorId, ability)) return;
  throw new Refusal('FORBIDDEN', `Your role does not include ${ability}`);
}

export async function requireAdministrator(x: Execution): Promise<void> {
  if (isAdministrator(await x.access.current(), x.actorId)) return;
  throw new Refusal('FORBIDDEN', 'This needs an administrator');
}

export async function requireCollectionLevel(x: Execution, collectionId: number, needed: Level): Promise<void> {
  requireCollectionLevelIn(await x.access.current(), x.actorId, collectionId, needed);
}

export function requireCollectionLevelIn(
  access: AccessState,
  userId: number,
  collectionId: number,
  needed: Level,
): void {
  const level = levelOnCollection(access, userId, collectionId);
  if (level === null) throw new Refusal('NOT_FOUND', 'This collection does not exist');
  requireLevel(level, needed, 'collection');
}
