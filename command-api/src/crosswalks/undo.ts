/** Undoes the changes of a command to mappings and to a crosswalk. */
import {
  CROSSWALK_FACTS,
  type Crosswalk,
  type CrosswalkDefinition,
  type CrosswalkEvent,
  type DoneFact,
  MAPPING_FACTS,
  type MappingBucket,
  type MappingBucketEvent,
  type MappingValue,
  type RevertingFact,
  type Reviewer,
  streams,
} from '@rdm/contracts';
import { undoChange } from '../review/definition-undo.ts';
import { withRowTexts } from '../review/row-labels.ts';
import { type ChangedRow, rowUndo, type Undo, type UndoDetails, undoDefinition } from '../review/undo.ts';
import type { RowsDecision } from '../runtime/decision.ts';
import { kinds } from '../runtime/stream-kinds.ts';
import { restoreDefinition } from './commands.ts';
import {
  type CrosswalkAccess,
  crosswalkKind,
  requireCrosswalk,
  requireCrosswalkOrDeleted,
} from './crosswalk-access.ts';
import { changesFieldsInUse } from './decider.ts';
import { mappingTextIn, undoMappings } from './mappings.ts';

const factOfMapping = (type: MappingBucketEvent['type']): DoneFact | undefined => {
  // Dismissed suggestions are not reviewed: they are restored, not undone.
  if (type === 'SuggestionsDismissed' || type === 'SuggestionsRestored') return undefined;
  if (type === 'MappingsDrafted') return 'drafted';
  if (type === 'MappingsEdited') return 'edited';
  return type === 'MappingsUndone' ? 'undone' : MAPPING_FACTS[type];
};

/** Undoes the changes of a batch to mappings. */
export const undoMappingItems = rowUndo<CrosswalkAccess, MappingValue, MappingBucket, MappingBucketEvent>({
  requireParent: requireCrosswalk,
  kind: kinds.mappings,
  factOf: factOfMapping,
  async undo(x, { by, governedBy }, stream, rows, details) {
    const outcomes = await x.change(kinds.mappings, stream, governedBy, (bucket) =>
      undoMappings(bucket, rows, by, details),
    );
    return withRowTexts(x, kinds.mappings, stream, outcomes, mappingTextIn);
  },
});

/** Undoes the change of a batch to a crosswalk. */
export const undoCrosswalkItems: Undo = async (x, batch, id, _streams, comment) => {
  const { by, governedBy, crosswalk: current } = await requireCrosswalkOrDeleted(x, id);
  return undoDefinition<Crosswalk, CrosswalkEvent, CrosswalkDefinition>(x, batch, {
    of: crosswalkKind,
    factOf: (type) => (type === 'CrosswalkUndone' ? 'undone' : CROSSWALK_FACTS[type]),
    definition: current,
    by,
    undo: (change, isUndoable) => {
      const decide = (crosswalk: Crosswalk | undefined) =>
        undoCrosswalk(crosswalk, change, by, { undoes: batch.commandId, comment });
      return isUndoable && !current.deleted && change.fact === 'discarded' && change.before
        ? restoreDefinition(x, id, change.before.value, governedBy, decide)
        : x.change(kinds.crosswalk, streams.crosswalk(id), governedBy, decide);
    },
  });
};

const UNDO_EVENT = {
  recalled: 'CrosswalkRecalled',
  restored: 'CrosswalkRestored',
  deleted: 'CrosswalkDeleted',
} as const satisfies Record<RevertingFact, CrosswalkEvent['type']>;

/** Decides how the change of a command to a crosswalk is undone. */
export const undoCrosswalk = (
  crosswalk: Crosswalk | undefined,
  change: ChangedRow<CrosswalkDefinition>,
  by: Reviewer,
  details: UndoDetails,
): RowsDecision<CrosswalkEvent> =>
  undoChange<CrosswalkDefinition, CrosswalkEvent>(crosswalk, change, by, details, {
    undone: (data) => ({ type: 'CrosswalkUndone', data }),
    byFact: (fact, data) => ({ type: UNDO_EVENT[fact], data }),
    isLocked: (value) => crosswalk !== undefined && changesFieldsInUse(crosswalk, value),
  });
