/** Undo of what a command did to mapping values and to the crosswalk itself. */
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
import { endsOf, returning, revivingCrosswalk } from './commands.ts';
import { openEverFor, openFor } from './crosswalk-access.ts';
import { isLockedTo } from './decider.ts';
import { mappingKeyIn, undoMappings } from './mappings.ts';

const factOfMapping = (type: MappingBucketEvent['type']): DoneFact | undefined => {
  // A dismissed suggestion is no row under review: it is restored, not undone.
  if (type === 'SuggestionsDismissed' || type === 'SuggestionsRestored') return undefined;
  if (type === 'MappingsDrafted') return 'drafted';
  if (type === 'MappingsEdited') return 'edited';
  return type === 'MappingsUndone' ? 'undone' : MAPPING_FACTS[type];
};

/** How the undo of a batch takes back mapping values. */
export const undoMappingItems: Undo = async (x, batch, crosswalkId, ofStreams, comment) => {
  const opened = await openFor(x, crosswalkId);
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
      // A job takes its time: who may undo is asked anew for each of its pieces.
      const { by, governedBy } = x.jobId === undefined ? opened : await openFor(x, crosswalkId);
      const outcomes = await x.change(kinds.mappings, stream, governedBy, (bucket) =>
        undoMappings(bucket, rows, by, { undoes: batch.commandId, comment }),
      );
      return withRowLabels(x, kinds.mappings, stream, outcomes, mappingKeyIn);
    },
  );
};

/** How the undo of a batch takes back the review of a crosswalk itself. */
export const undoCrosswalkItems: Undo = async (x, batch, id, _streams, comment) => {
  const { by, governedBy, crosswalk: current } = await openEverFor(x, id);
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
    async (done) => {
      const decide = (crosswalk: Crosswalk | undefined) =>
        undoHeader(crosswalk, done, by, { undoes: batch.commandId, comment });
      const change = () => x.change(kinds.crosswalk, streams.crosswalk(id), governedBy, decide);
      if (undoRefusal(done, by, HEADER_LEVEL) !== null) return change();
      if (current.deleted) return revivingCrosswalk(x, current, change);
      if (done.fact === 'discarded' && done.before) return returning(x, id, done.before.value, governedBy, decide);
      const outcomes = await change();
      const { state } = await x.load(kinds.crosswalk, streams.crosswalk(id));
      // What was restored is deleted again: it lets go of what it leant on.
      if (state?.deleted) await unregisterEnds(x, { kind: 'crosswalk', id }, await endsOf(x, state.value));
      return outcomes;
    },
  );
};

/** Takes back what a command did to the review of a crosswalk. */
export function undoHeader(
  crosswalk: Crosswalk | undefined,
  done: ChangedRow<CrosswalkDefinition>,
  by: Reviewer,
  { undoes, comment }: { undoes: string; comment: string | undefined },
): RowsDecision<CrosswalkEvent> {
  if (!crosswalk) return { events: [], result: [refusedRow(done.id, 'NOT_FOUND')] };
  const back = undoing(crosswalk, done, by, HEADER_LEVEL);
  if ('refused' in back) return { events: [], result: [refusedWithChange(crosswalk, back.refused)] };
  const result: RowOutcome[] = [{ id: crosswalk.id, outcome: 'done', revision: crosswalk.revision + 1 }];
  const said = comment === undefined ? {} : { comment };
  if ('to' in back) {
    if (isLockedTo(crosswalk, back.to.value)) return { events: [], result: [refusedWithChange(crosswalk, 'LOCKED')] };
    const to = { ...back.to, authors: [...back.to.authors] };
    return { events: [{ type: 'CrosswalkUndone', data: { undoes, to, ...said } }], result };
  }
  return { events: [{ type: TAKEN_BACK_AS[back.fact], data: said }], result };
}

/** The event of each plain fact that takes something back. */
const TAKEN_BACK_AS = {
  recalled: 'CrosswalkRecalled',
  restored: 'CrosswalkRestored',
  deleted: 'CrosswalkDeleted',
} as const satisfies Record<TakenBack, CrosswalkEvent['type']>;
