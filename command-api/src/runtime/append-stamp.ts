/** The ids and metadata of a change of a stream, and its outcome. */
import type { EventMetadata } from '@rdm/contracts';

/** The outcome of a decision, stored with its step until the command is answered. */
export interface DecidedStep {
  result: unknown;
  /** The number of events that the step appends. */
  events: number;
}

/** The ids and metadata of an append, and what is needed to detect that it already happened. */
export interface AppendStamp {
  /** Ids of the events, by index; the same whenever the command runs again. */
  eventId: (index: number) => string;
  metadata: Omit<EventMetadata, 'schemaVersion' | 'occurredAt'>;
  now: () => Date;
  /**
   * Called before the append with the expected revision, for recovery; also with the decision, where deciding again
   * would read a long stream.
   */
  beforeAppend: (expected: number, decided?: DecidedStep) => Promise<void>;
  /** The revision that an earlier run of this step expected, and its decision. */
  previousExpected: number | undefined;
  previousDecision?: DecidedStep | undefined;
}

export interface Change<Result, State> {
  result: Result;
  /** The state after this change. Read it before any await where the kind folds in place. */
  state: State;
  /** Revision of the stream after the change; position of its last event, or undefined when nothing was appended. */
  revision: number;
  position: bigint | undefined;
}
