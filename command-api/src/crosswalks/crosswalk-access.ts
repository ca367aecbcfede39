/** Opens a crosswalk for whoever may see it, or has the level that a command asks for. */
import { type Crosswalk, type CrosswalkDefinition, Refusal, streams } from '@rdm/contracts';
import type { Execution } from '../runtime/execution.ts';
import { type Governance, loadGovernance, requireSourceLevel } from '../runtime/governance.ts';
import { kinds } from '../runtime/stream-kinds.ts';
import { existingCrosswalk } from './decider.ts';

const UNKNOWN = 'This crosswalk does not exist';

export interface Opened extends Governance {
  crosswalk: Crosswalk;
}

/** Opens a crosswalk whose source and target the actor may read; others do not know it exists. */
export async function open(x: Execution, id: number): Promise<Opened> {
  const opened = await openEver(x, id);
  existingCrosswalk(opened.crosswalk);
  return opened;
}

/** The same, also where it was deleted: by this very command, perhaps, whose answer was lost. */
export async function openEver(x: Execution, id: number): Promise<Opened> {
  const { state: crosswalk } = await x.load(kinds.crosswalk, streams.crosswalk(id));
  if (!crosswalk) throw new Refusal('NOT_FOUND', UNKNOWN);
  const { sourceSystemId, targetSystemId } = crosswalk.value;
  return { crosswalk, ...(await loadGovernance(x, sourceSystemId, targetSystemId, UNKNOWN)) };
}

/** Opens a crosswalk for somebody with the declared level on its source. */
export const openFor = async (x: Execution, id: number): Promise<Opened> => requireSourceLevel(x, await open(x, id));

/** The same, also where it was deleted: whoever takes that back. */
export const openEverFor = async (x: Execution, id: number): Promise<Opened> =>
  requireSourceLevel(x, await openEver(x, id));

/** The data sets whose grants decide who may see a crosswalk. */
export const governs = (definition: Pick<CrosswalkDefinition, 'sourceSystemId' | 'targetSystemId'>) => [
  definition.sourceSystemId,
  definition.targetSystemId,
];
