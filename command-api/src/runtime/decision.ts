/** The result of a decider: events to append and a result for the caller. */
import type { DomainEvent, RowOutcome } from '@rdm/contracts';

export interface Decision<E extends DomainEvent, Result = undefined> {
  events: E[];
  result: Result;
}

export const decided = <E extends DomainEvent>(...events: E[]): Decision<E> => ({ events, result: undefined });
export const nothing = <E extends DomainEvent>(): Decision<E> => ({ events: [], result: undefined });

/** A decision over many rows, with one outcome per row. */
export type RowsDecision<E extends DomainEvent> = Decision<E, RowOutcome[]>;
