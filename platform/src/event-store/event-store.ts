/** The interface of the event store, and the errors that its operations throw. */
import {
  type DomainEvent,
  type EventMetadata,
  type EventStoreMember,
  type RecordedEvent,
  Refusal,
  WORDS,
} from '@rdm/contracts';

/** The condition of an append: the stream must have this revision, or have no events. */
export type ExpectedRevision = number | 'NO_STREAM';

/** An event to append. The store recognises a repeated append by the ids of its events. `json` is stored unchanged. */
export interface NewEvent extends DomainEvent {
  id: string;
  metadata: Omit<EventMetadata, 'schemaVersion'>;
}

/** An event of `$all`. To resume a subscription, both halves of its position are needed: `position` and `prepare`. */
export type LoggedEvent = RecordedEvent & {
  prepare: bigint;
  /** The number of bytes of the data in the log, if known without decoding. */
  bytes?: number;
};

export interface LogPosition {
  commit: bigint;
  prepare: bigint;
}

/** A mark that a subscription delivers between events. It is about the events before it. */
export interface LogMark {
  /** Set if every product event up to this position was delivered. */
  deliveredUpTo?: LogPosition;
  /** Set if all events in the log were delivered. A subscription may deliver this mark several times. */
  isCaughtUp?: true;
}

export const isMark = (item: object): item is LogMark => 'deliveredUpTo' in item || 'isCaughtUp' in item;

/** Thrown if the stream does not have the expected revision, because another writer appended first. */
export class WrongRevision extends Error {
  readonly stream: string;
  constructor(stream: string) {
    super(`${stream} does not have the expected revision`);
    this.name = 'WrongRevision';
    this.stream = stream;
  }
}

/**
 * Thrown if the outcome of an append or a tombstone is unknown. Repeat the call unchanged, then read the stream
 * (decision 59).
 */
export class UnknownOutcome extends Error {
  constructor(stream: string, cause: unknown) {
    super(`The event store did not answer an append to ${stream}`, { cause });
    this.name = 'UnknownOutcome';
  }
}

/** Thrown if the store takes no appends because its disk is full. The events were not stored. */
export class StoreFull extends Error {
  constructor(stream: string, cause: unknown) {
    super(`The event store has no space for an append to ${stream}`, { cause });
    this.name = 'StoreFull';
  }
}

/** Thrown if a purge has tombstoned the stream: nothing can be read from it or appended to it again. */
export class Purged extends Refusal {
  constructor(cause: unknown) {
    super('PURGED', WORDS.purged);
    this.name = 'Purged';
    this.cause = cause;
  }
}

export interface EventStore {
  /**
   * Appends at an exact revision. Throws WrongRevision, Purged, UnknownOutcome, StoreFull, or a refusal of events that
   * are too large for one append.
   */
  append(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): Promise<Appended>;
  /** Reads the events of a stream from a revision on, oldest first. A missing stream has none. Throws Purged. */
  read(stream: string, from?: number, maxCount?: number): AsyncIterable<RecordedEvent>;
  /** Returns the last event of a stream; undefined if the stream is empty. Throws Purged. */
  tail(stream: string): Promise<RecordedEvent | undefined>;
  /** Reads the product events after a position, up to the end of the log. Tombstones are no product events. */
  readAll(after: LogPosition | null): AsyncIterable<LoggedEvent>;
  /**
   * Reads like `readAll`, then delivers new events, with marks between the events. Ends or throws if the connection is
   * lost or the consumer is too slow: then subscribe again (keep-subscribed.ts).
   */
  subscribeToAll(after: LogPosition | null, signal: AbortSignal): AsyncIterable<LoggedEvent | LogMark>;
  /** Whether a stream was deleted or tombstoned. */
  isDeleted(stream: string): Promise<boolean>;
  /**
   * Deletes a stream permanently: later reads and appends throw Purged. A repeated call changes nothing. Throws
   * WrongRevision if the last event has another revision, or UnknownOutcome.
   */
  tombstone(stream: string, revision: number): Promise<void>;
  /** Reads the events of one stream after a revision, and then delivers new events. */
  subscribeToStream(stream: string, after: number | null, signal: AbortSignal): AsyncIterable<RecordedEvent>;
  /** Returns the position of the last event of the log; null if the log is empty. */
  head(): Promise<LogPosition | null>;
  /**
   * Returns what an operator must correct: the address or the account after a failed read, or a version that is too
   * old. Undefined if there is nothing to correct.
   */
  problem(): Promise<string | undefined>;
  /** Returns why the store takes no appends; undefined if it takes them. Probes the store without writing. */
  appendProblem(): Promise<string | undefined>;
  /** Returns the version of the server; null if it reports none. */
  version(): Promise<string | null>;
  /** Returns the nodes that the server knows, itself included. Throws if the account may not read them. */
  members(): Promise<EventStoreMember[]>;
  close(): Promise<void>;
}

export interface Appended {
  /** The revision of the last appended event. */
  revision: number;
  position: bigint;
}
