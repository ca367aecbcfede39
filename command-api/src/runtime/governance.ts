/** What joins two data sets is governed by its source: it is opened for whoever may read both. */
import { Refusal, type Reviewer } from '@rdm/contracts';
import { dataSetFor, levelOf, requireLevel } from './authorise.ts';
import type { Execution } from './execution.ts';

export interface Governance {
  /** Who reviews it, at which level on its source. */
  by: Reviewer;
  /** The data sets whose grants decide who may hear of it. */
  governedBy: number[];
}

/** For somebody who may read source and target; others do not know that it exists. */
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

/** Refuses who has not the declared level on the source. */
export function requireSourceLevel<Parent extends Governance>(x: Execution, parent: Parent): Parent {
  requireLevel(parent.by.level, x.level, 'source data set');
  return parent;
}
