/** Decides how a change of a definition is undone. */
import {
  DEFINITION_LEVEL,
  type DomainEvent,
  type RestorableState,
  type RevertingFact,
  type Reviewer,
  type RowOutcome,
  type Tracked,
  undoing,
} from '@rdm/contracts';
import type { RowsDecision } from '../runtime/decision.ts';
import { refusedRow, refusedWithChange } from './row-review.ts';
import type { ChangedRow, UndoDetails } from './undo.ts';

interface Comment {
  comment?: string;
}

interface UndoEvents<Value, E> {
  /** The event that returns the definition to a previous state. */
  undone: (data: { undoes: string; to: RestorableState<Value> & { authors: number[] } } & Comment) => E;
  /** Returns the event of a fact that undoes a change, such as `recalled` after a submission. */
  byFact: (fact: RevertingFact, data: Comment) => E;
  /** Whether the definition cannot return to this value, because its rows use fields that would change. */
  isLocked?: (value: Value) => boolean;
}

/** Undoes a change. A refusal is returned as the outcome of the row, not thrown. */
export function undoChange<Value, E extends DomainEvent>(
  definition: (Tracked<Value> & { id: number }) | undefined,
  change: ChangedRow<Value>,
  by: Reviewer,
  { undoes, comment }: UndoDetails,
  events: UndoEvents<Value, E>,
): RowsDecision<E> {
  if (!definition) return { events: [], result: [refusedRow(change.id, 'NOT_FOUND')] };
  const step = undoing(definition, change, by, DEFINITION_LEVEL);
  if ('refused' in step) return { events: [], result: [refusedWithChange(definition, step.refused)] };
  const result: RowOutcome[] = [{ id: definition.id, outcome: 'done', revision: definition.revision + 1 }];
  const commentData = comment === undefined ? {} : { comment };
  if ('fact' in step) return { events: [events.byFact(step.fact, commentData)], result };
  if (events.isLocked?.(step.to.value)) return { events: [], result: [refusedWithChange(definition, 'LOCKED')] };
  const to = { ...step.to, authors: [...step.to.authors] };
  return { events: [events.undone({ undoes, to, ...commentData })], result };
}
