/** Types of an append to a stream: the ids and metadata of its events, and its outcome. */
import type { EventMetadata } from '@rdm/contracts';

/** The outcome of a decision, stored with its step until the command is answered. */
export interface DecidedStep {
  result: unknown;
  /** The number of events that the step appends. */
  events: number;
}

/** The ids and metadata of an append, and the data for detecting that it already happened. */
export interface AppendStamp {
  /** Returns the id of the event with this index; each run of the command gets the same ids. */
  eventId: (index: number) => string;
  metadata: Omit<EventMetadata, 'schemaVersion' | 'occurredAt'>;
  now: () => Date;
  /**
   * Stores the expected revision before each attempt to append, for recovery. `decided` is given if a new decision
   * would read a long stream.
   */
  beforeAppend: (expected: number, decided?: DecidedStep) => Promise<void>;
  /** The revision that an earlier run of this step expected; undefined if no earlier run tried to append. */
  previousExpected: number | undefined;
  /** The decision that an earlier run passed to `beforeAppend`. */
  previousDecision?: DecidedStep | undefined;
}

export interface Change<Result, State> {
  result: Result;
  /**
   * The state after this change; a later state if the result is that of a `previousDecision`. Read it before the next
   * await: a stream that folds in place changes this object with later events.
   */
  state: State;
  /** The revision of the stream after the change. */
  revision: number;
  /** The position of the last appended event; undefined if nothing was appended. */
  position: bigint | undefined;
}
