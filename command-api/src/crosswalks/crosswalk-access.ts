/** Loads a crosswalk with the user's permissions on it. */
import { type Crosswalk, type CrosswalkDefinition, type CrosswalkEvent, Refusal, streams } from '@rdm/contracts';
import type { DefinitionKind } from '../invariants/definition-ends.ts';
import type { Execution } from '../runtime/execution.ts';
import { type Governance, loadGovernance, requireSourceLevel } from '../runtime/governance.ts';
import { kinds } from '../runtime/stream-kinds.ts';
import { existingCrosswalk } from './decider.ts';

const UNKNOWN = 'This crosswalk does not exist';

export const crosswalkKind: DefinitionKind<Crosswalk, CrosswalkEvent> = {
  referrer: 'crosswalk',
  streamKind: kinds.crosswalk,
  stream: streams.crosswalk,
  endFieldsOf: ({ sourceSystemId, sourceFieldId, targetSystemId, targetFieldId }) => [
    [sourceSystemId, sourceFieldId],
    [targetSystemId, targetFieldId],
  ],
};

export interface CrosswalkAccess extends Governance {
  crosswalk: Crosswalk;
}

/** Loads a crosswalk. Throws NOT_FOUND if it is missing or deleted, or if the user cannot read one of its ends. */
export async function loadCrosswalk(x: Execution, id: number): Promise<CrosswalkAccess> {
  const access = await loadCrosswalkOrDeleted(x, id);
  existingCrosswalk(access.crosswalk);
  return access;
}

/** Like `loadCrosswalk`, but accepts a deleted crosswalk, for restorations and repeated deletions. */
export async function loadCrosswalkOrDeleted(x: Execution, id: number): Promise<CrosswalkAccess> {
  const { state: crosswalk } = await x.load(kinds.crosswalk, streams.crosswalk(id));
  if (!crosswalk) throw new Refusal('NOT_FOUND', UNKNOWN);
  const { sourceSystemId, targetSystemId } = crosswalk.value;
  return { crosswalk, ...(await loadGovernance(x, sourceSystemId, targetSystemId, UNKNOWN)) };
}

/** Like `loadCrosswalk`, but requires the route's permission level on the source. */
export const requireCrosswalk = async (x: Execution, id: number): Promise<CrosswalkAccess> =>
  requireSourceLevel(x, await loadCrosswalk(x, id));

/** Like `requireCrosswalk`, but accepts a deleted crosswalk, to undo its deletion. */
export const requireCrosswalkOrDeleted = async (x: Execution, id: number): Promise<CrosswalkAccess> =>
  requireSourceLevel(x, await loadCrosswalkOrDeleted(x, id));

/** The data sets whose grants control who can see a crosswalk. */
export const governingDataSets = (definition: Pick<CrosswalkDefinition, 'sourceSystemId' | 'targetSystemId'>) => [
  definition.sourceSystemId,
  definition.targetSystemId,
];
