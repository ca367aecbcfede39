/** Undoes what a command did to mapping values and to a crosswalk. */
import {
  CROSSWALK_FACTS,
  type Crosswalk,
  type CrosswalkDefinition,
  type CrosswalkEvent,
  type DoneFact,
  HEADER_LEVEL,
  MAPPING_FACTS,
  type MappingBucketEvent,
  type Reviewer,
  type RowOutcome,
  streams,
  type TakenBack,
  touchedRows,
  undoing,
  undoRefusal,
} from '@rdm/contracts';
import { unregisterEnds } from '../invariants/dependants.ts';
import { withRowLabels } from '../review/row-labels.ts';
import { refusedRow, refusedWithChange } from '../review/row-review.ts';
import { type ChangedRow, type Undo, undoBuckets, undoDefinition } from '../review/undo.ts';
import type { RowsDecision } from '../runtime/decision.ts';
import { kinds } from '../runtime/stream-kinds.ts';
import { endsOf, restoreCrosswalkWithEnds, restoreDefinition } from './commands.ts';
import { requireCrosswalk, requireCrosswalkOrDeleted } from './crosswalk-access.ts';
import { isLockedTo } from './decider.ts';
import { mappingKeyIn, undoMappings } from './mappings.ts';

const factOfMapping = (type: MappingBucketEvent['type']): DoneFact | undefined => {
  // Dismissed suggestions are not reviewed: they are restored, not undone.
  if (type === 'SuggestionsDismissed' || type === 'SuggestionsRestored') return undefined;
  if (type === 'MappingsDrafted') return 'drafted';
  if (type === 'MappingsEdited') return 'edited';
  return type === 'MappingsUndone' ? 'undone' : MAPPING_FACTS[type];
};

/** Undoes mapping values of a batch. */
export const undoMappingItems: Undo = async (x, batch, crosswalkId, ofStreams, comment) => {
  const access = await requireCrosswalk(x, crosswalkId);
  return undoBuckets(
    x,
    batch,
    ofStreams,
    {
      kind: kinds.mappings,
      factOf: factOfMapping,
      idsOf: touchedRows,
      rowOf: ({ rows }, id) => rows.get(id),
    },
    async (stream, rows) => {
      // A job takes long: check the permissions again for each piece.
      const { by, governedBy } = x.jobId === undefined ? access : await requireCrosswalk(x, crosswalkId);
      const outcomes = await x.change(kinds.mappings, stream, governedBy, (bucket) =>
        undoMappings(bucket, rows, by, { undoes: batch.commandId, comment }),
      );
      return withRowLabels(x, kinds.mappings, stream, outcomes, mappingKeyIn);
    },
  );
};

/** Undoes the review of a crosswalk. */
export const undoCrosswalkItems: Undo = async (x, batch, id, _streams, comment) => {
  const { by, governedBy, crosswalk: current } = await requireCrosswalkOrDeleted(x, id);
  return undoDefinition(
    x,
    batch,
    streams.crosswalk(id),
    {
      kind: kinds.crosswalk,
      factOf: (type) => (type === 'CrosswalkUndone' ? 'undone' : CROSSWALK_FACTS[type]),
      idsOf: () => [id],
      rowOf: (crosswalk) => crosswalk,
    },
    async (undone) => {
      const decide = (crosswalk: Crosswalk | undefined) =>
        undoHeader(crosswalk, undone, by, { undoes: batch.commandId, comment });
      const change = () => x.change(kinds.crosswalk, streams.crosswalk(id), governedBy, decide);
      if (undoRefusal(undone, by, HEADER_LEVEL) !== null) return change();
      if (current.deleted) return restoreCrosswalkWithEnds(x, current, change);
      if (undone.fact === 'discarded' && undone.before)
        return restoreDefinition(x, id, undone.before.value, governedBy, decide);
      const outcomes = await change();
      const { state } = await x.load(kinds.crosswalk, streams.crosswalk(id));
      // Undoing a restoration deletes the crosswalk again: unregister it from its ends.
      if (state?.deleted) await unregisterEnds(x, { kind: 'crosswalk', id }, await endsOf(x, state.value));
      return outcomes;
    },
  );
};

/** Undoes what a command did to the review of a crosswalk. */
export function undoHeader(
  crosswalk: Crosswalk | undefined,
  undone: ChangedRow<CrosswalkDefinition>,
  by: Reviewer,
  { undoes, comment }: { undoes: string; comment: string | undefined },
): RowsDecision<CrosswalkEvent> {
  if (!crosswalk) return { events: [], result: [refusedRow(undone.id, 'NOT_FOUND')] };
  const step = undoing(crosswalk, undone, by, HEADER_LEVEL);
  if ('refused' in step) return { events: [], result: [refusedWithChange(crosswalk, step.refused)] };
  const result: RowOutcome[] = [{ id: crosswalk.id, outcome: 'done', revision: crosswalk.revision + 1 }];
  const commentData = comment === undefined ? {} : { comment };
  if ('to' in step) {
    if (isLockedTo(crosswalk, step.to.value)) return { events: [], result: [refusedWithChange(crosswalk, 'LOCKED')] };
    const to = { ...step.to, authors: [...step.to.authors] };
    return { events: [{ type: 'CrosswalkUndone', data: { undoes, to, ...commentData } }], result };
  }
  return { events: [{ type: UNDO_EVENT[step.fact], data: commentData }], result };
}

/** The event type for each fact that undoes a change. */
const UNDO_EVENT = {
  recalled: 'CrosswalkRecalled',
  restored: 'CrosswalkRestored',
  deleted: 'CrosswalkDeleted',
} as const satisfies Record<TakenBack, CrosswalkEvent['type']>;
