/** Types of a change of a stream: the ids and metadata of its events, and its outcome. */
import type { EventMetadata } from '@rdm/contracts';

/** The outcome of a decision, stored with its step until the command is answered. */
export interface DecidedStep {
  result: unknown;
  /** The number of events that the step appends. */
  events: number;
}

/** The ids and metadata of an append, and the data for detecting that it already happened. */
export interface AppendStamp {
  /** Ids of the events, by index; the same whenever the command runs again. */
  eventId: (index: number) => string;
  metadata: Omit<EventMetadata, 'schemaVersion' | 'occurredAt'>;
  now: () => Date;
  /**
   * Called before each attempt to append, with the expected revision, which recovery needs. `decided` is the decision
   * if deciding again would read a long stream, otherwise undefined.
   */
  beforeAppend: (expected: number, decided?: DecidedStep) => Promise<void>;
  /** The revision that an earlier run of this step expected; undefined if no earlier run tried to append. */
  previousExpected: number | undefined;
  /** The decision of that run, if it was passed to `beforeAppend`. */
  previousDecision?: DecidedStep | undefined;
}

export interface Change<Result, State> {
  result: Result;
  /**
   * The state after this change, or a later state if the result is a stored decision (`previousDecision`). Read it
   * before any await if the kind of stream folds in place: later events change the same object.
   */
  state: State;
  /**
   * The revision of the stream after the change. `position` is that of the last appended event; undefined if nothing
   * was appended.
   */
  revision: number;
  position: bigint | undefined;
}
