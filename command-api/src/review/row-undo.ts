/** Plans the undo of a change to many mappings or relationship values, and creates the events. */
import {
  type MappingEvent,
  type PlainFact,
  type RelationshipValueEvent,
  type RestorableState,
  type Reviewer,
  type RowOutcome,
  type Tracked,
  undoing,
} from '@rdm/contracts';
import { refusedRow, refusedWithChange } from './row-review.ts';
import type { ChangedRow, UndoDetails } from './undo.ts';

interface UndoPlan<Value, Outcome> {
  /** The ids of rows whose undo restores no previous state, by the facts of the undo. */
  facts: Map<PlainFact, number[]>;
  /** The rows whose undo restores a previous state. */
  restored: { id: number; to: RestorableState<Value> }[];
  outcomes: (Outcome | RowOutcome)[];
}

/**
 * Plans the undo of `changes`, in order. `blocked` returns a refusal if the row must not hold these values after the
 * undo. Rows that another rule refuses are not passed to `blocked`.
 */
export function planUndo<Value, Row extends Tracked<Value> & { id: number }, Outcome extends RowOutcome>(
  rows: ReadonlyMap<number, Row>,
  changes: readonly ChangedRow<Value>[],
  by: Reviewer,
  blocked: (row: Row, values: readonly Value[]) => Outcome | undefined,
): UndoPlan<Value, Outcome> {
  // The recalls come first, because a pending row is recalled and then deleted.
  const facts = new Map<PlainFact, number[]>([['recalled', []]]);
  const restored: { id: number; to: RestorableState<Value> }[] = [];
  const outcomes: (Outcome | RowOutcome)[] = [];
  for (const change of changes) {
    const row = rows.get(change.id);
    const undoStep = row && undoing(row, change, by);
    if (!row || !undoStep) outcomes.push(refusedRow(change.id, 'NOT_FOUND'));
    else if ('refused' in undoStep) outcomes.push(refusedWithChange(row, undoStep.refused));
    else {
      const block = blocked(row, valuesAfterUndo(row, undoStep));
      if (!block) {
        if ('to' in undoStep) restored.push({ id: row.id, to: undoStep.to });
        else for (const fact of undoFacts(row, undoStep.fact)) facts.set(fact, [...(facts.get(fact) ?? []), row.id]);
      }
      const steps = 'to' in undoStep ? 1 : undoFacts(row, undoStep.fact).length;
      outcomes.push(block ?? { id: row.id, outcome: 'done', revision: row.revision + steps });
    }
  }
  if (facts.get('recalled')?.length === 0) facts.delete('recalled');
  return { facts, restored, outcomes };
}

/** Inverts a table of facts by event type: returns the event type of each fact. */
export const typesByFact = <Type extends string>(facts: Readonly<Record<Type, PlainFact>>): Record<PlainFact, Type> =>
  Object.fromEntries(Object.entries(facts).map(([type, fact]) => [fact, type]));

/** Creates the events of a plan. Events of mappings and of relationship values differ only in their types. */
export function undoEvents<E extends MappingEvent | RelationshipValueEvent>(
  { facts, restored }: Pick<UndoPlan<unknown, unknown>, 'facts' | 'restored'>,
  typeOf: Readonly<Record<PlainFact, E['type']>>,
  undoneType: E['type'],
  { undoes, comment }: UndoDetails,
): E[] {
  const commentData = comment === undefined ? {} : { comment };
  const events: { type: E['type']; data: object }[] = [...facts].map(([fact, ids]) => ({
    type: typeOf[fact],
    data: { ids, ...commentData },
  }));
  if (restored.length > 0) {
    const rows = restored.map(({ id, to }) => ({ id, to: { ...to, authors: [...to.authors] } }));
    events.push({ type: undoneType, data: { undoes, rows, ...commentData } });
  }
  return events as E[];
}

/** A pending row is recalled before it is deleted. */
const undoFacts = (row: Tracked<unknown>, fact: PlainFact): PlainFact[] =>
  fact === 'deleted' && row.approvalStatus === 'PENDING' ? ['recalled', fact] : [fact];

/** Returns the values after the undo that may no longer be allowed. */
function valuesAfterUndo<Value>(
  row: Tracked<Value>,
  undoStep: { fact: PlainFact } | { to: RestorableState<Value> },
): Value[] {
  if ('fact' in undoStep) return undoStep.fact === 'restored' ? [row.value] : [];
  const { value, served, deleted } = undoStep.to;
  return deleted ? [] : served === null ? [value] : [value, served];
}
