/** Undoes what a command changed in relationship values and in the deletion of a relationship. */
import {
  DELETION_FACTS,
  type DoneFact,
  RELATIONSHIP_VALUE_FACTS,
  type Relationship,
  type RelationshipDefinition,
  type RelationshipEvent,
  type RelationshipValue,
  type RelationshipValueBucket,
  type RelationshipValueContent,
  type RelationshipValueEvent,
  type Reviewer,
  streams,
} from '@rdm/contracts';
import { undoChange } from '../review/definition-undo.ts';
import { planUndo, typesByFact, undoEvents } from '../review/row-undo.ts';
import { type ChangedRow, rowUndo, type Undo, type UndoDetails, undoDefinition } from '../review/undo.ts';
import type { Decision, RowsDecision } from '../runtime/decision.ts';
import { kinds } from '../runtime/stream-kinds.ts';
import { withKeysAndConflicts } from './commands.ts';
import {
  type RelationshipAccess,
  relationshipKind,
  requireRelationship,
  requireRelationshipOrDeleted,
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

const TYPE_OF = typesByFact(RELATIONSHIP_VALUE_FACTS);

/** Undoes what a command changed in relationship values, and returns an outcome for each value. */
export function undoValues(
  bucket: RelationshipValueBucket,
  changes: readonly ChangedRow<RelationshipValueContent>[],
  rules: ValueRules,
  by: Reviewer,
  details: UndoDetails,
): Decision<RelationshipValueEvent, ValueOutcome[]> {
  const pairs = new PairIndex(bucket, rules);
  const plan = planUndo<RelationshipValueContent, RelationshipValue, ValueOutcome>(
    bucket.rows,
    changes,
    by,
    (row, previousPairs) => {
      for (const pair of previousPairs) {
        const conflict = pairs.refusal(pair, row.id);
        if (conflict) return { ...conflict, revision: row.revision };
      }
      if (previousPairs.length > 0) pairs.set(row.id, previousPairs);
      return undefined;
    },
  );
  return {
    events: undoEvents<RelationshipValueEvent>(plan, TYPE_OF, 'RelationshipValuesUndone', details),
    result: plan.outcomes,
  };
}

/** Undoes the changes of a batch to relationship values. */
export const undoValueItems = rowUndo<
  RelationshipAccess,
  RelationshipValueContent,
  RelationshipValueBucket,
  RelationshipValueEvent
>({
  requireParent: requireRelationship,
  kind: kinds.relationshipValues,
  factOf: factOfValue,
  async undo(x, { relationship, by, governedBy }, stream, rows, details) {
    const rules = valueRules(relationship);
    const outcomes = await x.change(kinds.relationshipValues, stream, governedBy, (bucket) =>
      undoValues(bucket, rows, rules, by, details),
    );
    return withKeysAndConflicts(x, relationship, outcomes);
  },
});

/** Undoes the changes of a batch to the deletion of a relationship. */
export const undoRelationshipItems: Undo = async (x, batch, id, _streams, comment) => {
  const { by, governedBy, relationship: current } = await requireRelationshipOrDeleted(x, id);
  return undoDefinition<Relationship, RelationshipEvent, RelationshipDefinition>(x, batch, {
    of: relationshipKind,
    factOf: factOfDeletion,
    definition: current,
    by,
    undo: (undone) =>
      x.change(kinds.relationship, streams.relationship(id), governedBy, (relationship) =>
        undoDeletion(relationship, undone, by, { undoes: batch.commandId, comment }),
      ),
  });
};

/** Undoes what a command changed in the deletion of a relationship. */
export const undoDeletion = (
  relationship: Relationship | undefined,
  undone: ChangedRow<RelationshipDefinition>,
  by: Reviewer,
  details: UndoDetails,
): RowsDecision<RelationshipEvent> =>
  undoChange<RelationshipDefinition, RelationshipEvent>(relationship, undone, by, details, {
    undone: (data) => ({ type: 'RelationshipDeletionUndone', data }),
    byFact(fact, data) {
      if (fact === 'deleted') return { type: 'RelationshipDeleted', data: {} };
      return { type: fact === 'restored' ? 'RelationshipRestored' : 'RelationshipDeletionRecalled', data };
    },
  });
