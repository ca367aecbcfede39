/** Loads the level of a user on a relationship or crosswalk, which is the user's level on the source. */
import { Refusal, type Reviewer } from '@rdm/contracts';
import { dataSetFor, levelOf, requireLevel } from './authorise.ts';
import type { Execution } from './execution.ts';

export interface Governance {
  /** The reviewing user, with their level on the source. */
  by: Reviewer;
  /** The data sets whose grants control who can see the relationship or crosswalk. */
  governedBy: number[];
}

/** Requires READ on source and target; otherwise throws NOT_FOUND. */
export async function loadGovernance(
  x: Execution,
  sourceId: number,
  targetId: number,
  notFoundMessage: string,
): Promise<Governance> {
  const toNotFound = (error: unknown): never => {
    if (error instanceof Refusal) throw new Refusal('NOT_FOUND', notFoundMessage);
    throw error;
  };
  const [source, target] = await Promise.all([
    dataSetFor(x, sourceId, 'READ').catch(toNotFound),
    dataSetFor(x, targetId, 'READ').catch(toNotFound),
  ]);
  const level = await levelOf(x, source);
  return { by: { userId: x.actorId, level, needed: x.level }, governedBy: [source.id, target.id] };
}

/** Throws if the user does not have the route's level on the source. */
export function requireSourceLevel<Parent extends Governance>(x: Execution, parent: Parent): Parent {
  requireLevel(parent.by.level, x.level, 'source data set');
  return parent;
}
