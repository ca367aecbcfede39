/** Undo of many rows, whatever they hold: which compensating facts their states take, each row answered for itself. */
import { type PlainFact, type Reviewer, type RowOutcome, type Standing, type Tracked, undoing } from '@rdm/contracts';
import { refusedAt, refusedRow } from './row-review.ts';
import type { DoneRow } from './undo.ts';

interface Undone<Value, Outcome> {
  /** Rows that a plain fact takes back. */
  facts: Map<PlainFact, number[]>;
  /** Rows that return to what they were. */
  returned: { id: number; to: Standing<Value> }[];
  outcomes: (Outcome | RowOutcome)[];
}

/** `blocked` says why the room refuses a row the values that it would hold again; asked row by row, in order. */
export function undoneRows<Value, Row extends Tracked<Value> & { id: number }, Outcome extends RowOutcome>(
  rows: ReadonlyMap<number, Row>,
  done: readonly DoneRow<Value>[],
  by: Reviewer,
  blocked: (row: Row, held: readonly Value[]) => Outcome | undefined,
): Undone<Value, Outcome> {
  // In this order: what is recalled may be deleted.
  const facts = new Map<PlainFact, number[]>([['recalled', []]]);
  const returned: { id: number; to: Standing<Value> }[] = [];
  const outcomes: (Outcome | RowOutcome)[] = [];
  for (const each of done) {
    const row = rows.get(each.id);
    const back = row && undoing(row, each, by);
    if (!row || !back) outcomes.push(refusedRow(each.id, 'NOT_FOUND'));
    else if ('refused' in back) outcomes.push(refusedAt(row, back.refused));
    else {
      const block = blocked(row, heldAfter(row, back));
      if (!block) {
        if ('to' in back) returned.push({ id: row.id, to: back.to });
        else for (const fact of factsOf(row, back.fact)) facts.set(fact, [...(facts.get(fact) ?? []), row.id]);
      }
      const steps = 'to' in back ? 1 : factsOf(row, back.fact).length;
      outcomes.push(block ?? { id: row.id, outcome: 'done', revision: row.revision + steps });
    }
  }
  if (facts.get('recalled')?.length === 0) facts.delete('recalled');
  return { facts, returned, outcomes };
}

/** What is under review is recalled before it is deleted. */
const factsOf = (row: Tracked<unknown>, fact: PlainFact): PlainFact[] =>
  fact === 'deleted' && row.approvalStatus === 'PENDING' ? ['recalled', fact] : [fact];

/** Values that a row holds once it is undone, where it may not hold them now. */
function heldAfter<Value>(row: Tracked<Value>, back: { fact: PlainFact } | { to: Standing<Value> }): Value[] {
  if ('fact' in back) return back.fact === 'restored' ? [row.value] : [];
  const { value, served, deleted } = back.to;
  return deleted ? [] : served === null ? [value] : [value, served];
}
