/** What a decider answers: events to append and, for the caller, a result. */
import type { DomainEvent, RowOutcome } from '@rdm/contracts';

export interface Decision<E extends DomainEvent, Result = undefined> {
  events: E[];
  result: Result;
}

export const decided = <E extends DomainEvent>(...events: E[]): Decision<E> => ({ events, result: undefined });
export const nothing = <E extends DomainEvent>(): Decision<E> => ({ events: [], result: undefined });

/** A decision over many rows: what was done and what was refused, row by row. */
export type RowsDecision<E extends DomainEvent> = Decision<E, RowOutcome[]>;
