/** Undoes what a command did to relationship values and to the deletion of a relationship. */
import {
  DELETION_FACTS,
  type DoneFact,
  HEADER_LEVEL,
  type PlainFact,
  RELATIONSHIP_VALUE_FACTS,
  type Relationship,
  type RelationshipDefinition,
  type RelationshipEvent,
  type RelationshipValue,
  type RelationshipValueBucket,
  type RelationshipValueContent,
  type RelationshipValueEvent,
  type Reviewer,
  type RowOutcome,
  streams,
  type TakenBack,
  touchedRows,
  undoing,
  undoRefusal,
} from '@rdm/contracts';
import { unregisterEnds } from '../invariants/dependants.ts';
import { refusedRow, refusedWithChange } from '../review/row-review.ts';
import { planUndo } from '../review/row-undo.ts';
import { type ChangedRow, type Undo, undoBuckets, undoDefinition } from '../review/undo.ts';
import type { Decision, RowsDecision } from '../runtime/decision.ts';
import { kinds } from '../runtime/stream-kinds.ts';
import { withLabels } from './commands.ts';
import {
  endsOf,
  requireRelationship,
  requireRelationshipOrDeleted,
  restoreRelationshipWithEnds,
  valueRules,
} from './definitions.ts';
import { PairIndex, type ValueOutcome, type ValueRules } from './values.ts';

const factOfValue = (type: RelationshipValueEvent['type']): DoneFact => {
  if (type === 'RelationshipValuesDrafted') return 'drafted';
  if (type === 'RelationshipValuesEdited') return 'edited';
  return type === 'RelationshipValuesUndone' ? 'undone' : RELATIONSHIP_VALUE_FACTS[type];
};

const factOfDeletion = (type: RelationshipEvent['type']): DoneFact | undefined => {
  if (type === 'RelationshipDeletionUndone') return 'undone';
  return type in DELETION_FACTS ? DELETION_FACTS[type as keyof typeof DELETION_FACTS] : undefined;
};

const TYPE_OF = Object.fromEntries(
  Object.entries(RELATIONSHIP_VALUE_FACTS).map(([type, fact]) => [fact, type]),
) as Record<PlainFact, keyof typeof RELATIONSHIP_VALUE_FACTS>;

interface UndoDetails {
  undoes: string;
  comment: string | undefined;
}

/** Undoes what a command did to values, with an outcome for each. */
export function undoValues(
  bucket: RelationshipValueBucket,
  changes: readonly ChangedRow<RelationshipValueContent>[],
  rules: ValueRules,
  by: Reviewer,
  { undoes, comment }: UndoDetails,
): Decision<RelationshipValueEvent, ValueOutcome[]> {
  const pairs = new PairIndex(bucket, rules);
  const { facts, returned, outcomes } = planUndo<RelationshipValueContent, RelationshipValue, ValueOutcome>(
    bucket.rows,
    changes,
    by,
    (row, held) => {
      for (const pair of held) {
        const conflict = pairs.refusal(pair, row.id);
        if (conflict) return { ...conflict, revision: row.revision };
      }
      if (held.length > 0) pairs.set(row.id, held);
      return undefined;
    },
  );
  const commentData = comment === undefined ? {} : { comment };
  const events = [...facts].map(
    ([fact, ids]) => ({ type: TYPE_OF[fact], data: { ids, ...commentData } }) as RelationshipValueEvent,
  );
  if (returned.length > 0) {
    const rows = returned.map(({ id, to }) => ({ id, to: { ...to, authors: [...to.authors] } }));
    events.push({ type: 'RelationshipValuesUndone', data: { undoes, rows, ...commentData } });
  }
  return { events, result: outcomes };
}

/** Undoes relationship values of a batch. */
export const undoValueItems: Undo = async (x, batch, relationshipId, ofStreams, comment) => {
  const access = await requireRelationship(x, relationshipId);
  const { relationship } = access;
  const rules = valueRules(relationship);
  return undoBuckets(
    x,
    batch,
    ofStreams,
    {
      kind: kinds.relationshipValues,
      factOf: factOfValue,
      idsOf: touchedRows,
      rowOf: ({ rows }, id) => rows.get(id),
    },
    async (stream, rows) => {
      // A job takes long: check the permissions again for each piece.
      const { by, governedBy } = x.jobId === undefined ? access : await requireRelationship(x, relationshipId);
      const outcomes = await x.change(kinds.relationshipValues, stream, governedBy, (bucket) =>
        undoValues(bucket, rows, rules, by, { undoes: batch.commandId, comment }),
      );
      return withLabels(x, relationship, outcomes);
    },
  );
};

/** Undoes decisions about the deletion of a relationship. */
export const undoRelationshipItems: Undo = async (x, batch, id, _streams, comment) => {
  const { by, governedBy, relationship: current } = await requireRelationshipOrDeleted(x, id);
  return undoDefinition(
    x,
    batch,
    streams.relationship(id),
    { kind: kinds.relationship, factOf: factOfDeletion, idsOf: () => [id], rowOf: (relationship) => relationship },
    async (undone) => {
      const change = () =>
        x.change(kinds.relationship, streams.relationship(id), governedBy, (relationship) =>
          undoDeletion(relationship, undone, by, { undoes: batch.commandId, comment }),
        );
      if (undoRefusal(undone, by, HEADER_LEVEL) !== null) return change();
      if (current.deleted) return restoreRelationshipWithEnds(x, current, change);
      const outcomes = await change();
      const { state } = await x.load(kinds.relationship, streams.relationship(id));
      // Undoing a restoration deletes the relationship again: unregister it from its ends.
      if (state?.deleted) await unregisterEnds(x, { kind: 'relationship', id }, await endsOf(x, state.value));
      return outcomes;
    },
  );
};

/** The event for each fact that undoes a change. */
function undoEvent(fact: TakenBack, commentData: { comment?: string }): RelationshipEvent {
  if (fact === 'deleted') return { type: 'RelationshipDeleted', data: {} };
  return { type: fact === 'restored' ? 'RelationshipRestored' : 'RelationshipDeletionRecalled', data: commentData };
}

/** Undoes what a command did to the deletion of a relationship. */
export function undoDeletion(
  relationship: Relationship | undefined,
  undone: ChangedRow<RelationshipDefinition>,
  by: Reviewer,
  { undoes, comment }: UndoDetails,
): RowsDecision<RelationshipEvent> {
  if (!relationship) return { events: [], result: [refusedRow(undone.id, 'NOT_FOUND')] };
  const step = undoing(relationship, undone, by, HEADER_LEVEL);
  if ('refused' in step) return { events: [], result: [refusedWithChange(relationship, step.refused)] };
  const result: RowOutcome[] = [{ id: relationship.id, outcome: 'done', revision: relationship.revision + 1 }];
  const commentData = comment === undefined ? {} : { comment };
  if ('to' in step) {
    const to = { ...step.to, authors: [...step.to.authors] };
    return { events: [{ type: 'RelationshipDeletionUndone', data: { undoes, to, ...commentData } }], result };
  }
  return { events: [undoEvent(step.fact, commentData)], result };
}
