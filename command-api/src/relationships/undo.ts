/** Undo of what a command did to relationship values and to the deletion of a relationship. */
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
import { told } from './commands.ts';
import { endsOf, openEverFor, openFor, revivingRelationship, valueRules } from './definitions.ts';
import { Standing, type ValueOutcome, type ValueRules } from './values.ts';

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

interface Said {
  undoes: string;
  comment: string | undefined;
}

/** Takes back what a command did to values, each answered for itself. */
export function undoValues(
  bucket: RelationshipValueBucket,
  done: readonly ChangedRow<RelationshipValueContent>[],
  rules: ValueRules,
  by: Reviewer,
  { undoes, comment }: Said,
): Decision<RelationshipValueEvent, ValueOutcome[]> {
  const standing = new Standing(bucket, rules);
  const { facts, returned, outcomes } = planUndo<RelationshipValueContent, RelationshipValue, ValueOutcome>(
    bucket.rows,
    done,
    by,
    (row, held) => {
      for (const pair of held) {
        const conflict = standing.refusal(pair, row.id);
        if (conflict) return { ...conflict, revision: row.revision };
      }
      if (held.length > 0) standing.take(row.id, held);
      return undefined;
    },
  );
  const said = comment === undefined ? {} : { comment };
  const events = [...facts].map(
    ([fact, ids]) => ({ type: TYPE_OF[fact], data: { ids, ...said } }) as RelationshipValueEvent,
  );
  if (returned.length > 0) {
    const rows = returned.map(({ id, to }) => ({ id, to: { ...to, authors: [...to.authors] } }));
    events.push({ type: 'RelationshipValuesUndone', data: { undoes, rows, ...said } });
  }
  return { events, result: outcomes };
}

/** How the undo of a batch takes back relationship values. */
export const undoValueItems: Undo = async (x, batch, relationshipId, ofStreams, comment) => {
  const opened = await openFor(x, relationshipId);
  const { relationship } = opened;
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
      // A job takes its time: who may undo is asked anew for each of its pieces.
      const { by, governedBy } = x.jobId === undefined ? opened : await openFor(x, relationshipId);
      const outcomes = await x.change(kinds.relationshipValues, stream, governedBy, (bucket) =>
        undoValues(bucket, rows, rules, by, { undoes: batch.commandId, comment }),
      );
      return told(x, relationship, outcomes);
    },
  );
};

/** How the undo of a batch takes back what was decided about the deletion of a relationship. */
export const undoRelationshipItems: Undo = async (x, batch, id, _streams, comment) => {
  const { by, governedBy, relationship: current } = await openEverFor(x, id);
  return undoDefinition(
    x,
    batch,
    streams.relationship(id),
    { kind: kinds.relationship, factOf: factOfDeletion, idsOf: () => [id], rowOf: (relationship) => relationship },
    async (done) => {
      const change = () =>
        x.change(kinds.relationship, streams.relationship(id), governedBy, (relationship) =>
          undoDeletion(relationship, done, by, { undoes: batch.commandId, comment }),
        );
      if (undoRefusal(done, by, HEADER_LEVEL) !== null) return change();
      if (current.deleted) return revivingRelationship(x, current, change);
      const outcomes = await change();
      const { state } = await x.load(kinds.relationship, streams.relationship(id));
      // What was restored is deleted again: it lets go of what it leant on.
      if (state?.deleted) await unregisterEnds(x, { kind: 'relationship', id }, await endsOf(x, state.value));
      return outcomes;
    },
  );
};

/** The event of each plain fact that takes something back. */
function takenBackAs(fact: TakenBack, said: { comment?: string }): RelationshipEvent {
  if (fact === 'deleted') return { type: 'RelationshipDeleted', data: {} };
  return { type: fact === 'restored' ? 'RelationshipRestored' : 'RelationshipDeletionRecalled', data: said };
}

/** Takes back what a command did about the deletion of a relationship. */
export function undoDeletion(
  relationship: Relationship | undefined,
  done: ChangedRow<RelationshipDefinition>,
  by: Reviewer,
  { undoes, comment }: Said,
): RowsDecision<RelationshipEvent> {
  if (!relationship) return { events: [], result: [refusedRow(done.id, 'NOT_FOUND')] };
  const back = undoing(relationship, done, by, HEADER_LEVEL);
  if ('refused' in back) return { events: [], result: [refusedWithChange(relationship, back.refused)] };
  const result: RowOutcome[] = [{ id: relationship.id, outcome: 'done', revision: relationship.revision + 1 }];
  const said = comment === undefined ? {} : { comment };
  if ('to' in back) {
    const to = { ...back.to, authors: [...back.to.authors] };
    return { events: [{ type: 'RelationshipDeletionUndone', data: { undoes, to, ...said } }], result };
  }
  return { events: [takenBackAs(back.fact, said)], result };
}
