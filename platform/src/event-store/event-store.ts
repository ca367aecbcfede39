import {
  type DomainEvent,
  type EventMetadata,
  type EventStoreMember,
  type RecordedEvent,
  Refusal,
  WORDS,
} from '@rdm/contracts';

/** The revision a stream must have for an append to succeed: an exact one, or that it holds nothing. */
export type ExpectedRevision = number | 'NO_STREAM';

/** An event to append; its id makes a repeated append recognisable. Data given as JSON are stored unchanged. */
export interface NewEvent extends DomainEvent {
  id: string;
  metadata: Omit<EventMetadata, 'schemaVersion'>;
}

/** An event of `$all`, with the second half of its position, which resuming a subscription needs. */
export type LoggedEvent = RecordedEvent & {
  prepare: bigint;
  /** Bytes of its data in the log, if known without decoding. */
  bytes?: number;
};

export interface LogPosition {
  commit: bigint;
  prepare: bigint;
}

/** A notice that a subscription delivers between events, about the events before it. */
export interface LogMark {
  /** Every product event up to this position was delivered. */
  reached?: LogPosition;
  /** All events in the log were delivered; what follows is new. May be delivered again. */
  isCaughtUp?: true;
}

export const isMark = (item: object): item is LogMark => 'reached' in item || 'isCaughtUp' in item;

/** Another writer appended first. */
export class WrongRevision extends Error {
  readonly stream: string;
  constructor(stream: string) {
    super(`${stream} has moved on`);
    this.name = 'WrongRevision';
    this.stream = stream;
  }
}

/** The store did not answer whether it took the append: repeat it unchanged, then read the stream (domain.md). */
export class UnknownOutcome extends Error {
  constructor(stream: string, cause: unknown) {
    super(`The event store did not answer an append to ${stream}`, { cause });
    this.name = 'UnknownOutcome';
  }
}

/** The store takes no appends because its disk is full; this one was not written. */
export class StoreFull extends Error {
  constructor(stream: string, cause: unknown) {
    super(`The event store has no space for an append to ${stream}`, { cause });
    this.name = 'StoreFull';
  }
}

/** The stream was tombstoned by a purge: nothing can be read from it or appended to it again. */
export class Purged extends Refusal {
  constructor(cause: unknown) {
    super('PURGED', WORDS.purged);
    this.name = 'Purged';
    this.cause = cause;
  }
}

export interface EventStore {
  /** Appends at an exact revision. Throws WrongRevision, Purged, UnknownOutcome or StoreFull; refuses what is too large for one append. */
  append(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): Promise<Appended>;
  /** Events of a stream from a revision on, oldest first; none for a stream that does not exist. Throws Purged. */
  read(stream: string, from?: number, maxCount?: number): AsyncIterable<RecordedEvent>;
  /** Revision of a stream's last event, or undefined for an empty stream. Throws Purged. */
  tail(stream: string): Promise<RecordedEvent | undefined>;
  /** Product events of the whole log after a position, to its end; without the store's own events, such as tombstones. */
  readAll(after: LogPosition | null): AsyncIterable<LoggedEvent>;
  /**
   * Like `readAll`, then live, with marks between the events. Ends or throws when the connection to the store
   * is lost, and when the store ends a live subscription that takes events too slowly: subscribe again (keep-subscribed.ts).
   */
  subscribeToAll(after: LogPosition | null, signal: AbortSignal): AsyncIterable<LoggedEvent | LogMark>;
  /** Whether a stream was deleted, so that its events are gone or hidden. */
  isDeleted(stream: string): Promise<boolean>;
  /**
   * Deletes a stream for good, if it ends with this revision: nothing can be read from it or appended to it again. May be
   * repeated. Throws WrongRevision or UnknownOutcome.
   */
  tombstone(stream: string, revision: number): Promise<void>;
  /** Events of one stream after a revision, then live. */
  subscribeToStream(stream: string, after: number | null, signal: AbortSignal): AsyncIterable<RecordedEvent>;
  /** Position of the last event of the log; null for an empty one. */
  head(): Promise<LogPosition | null>;
  /**
   * What an operator must correct before the store can be read, as of the last read: the address, the account's rights, the
   * version. Undefined while reads succeed or fail for other reasons.
   */
  problem(): Promise<string | undefined>;
  /** Why the store takes no appends; undefined if it does. Probes the store and writes nothing. */
  appendProblem(): Promise<string | undefined>;
  /** The version of the server; null if it does not report one. */
  version(): Promise<string | null>;
  /** The nodes that the server knows, itself included. Throws where the account may not read them. */
  members(): Promise<EventStoreMember[]>;
  close(): Promise<void>;
}

export interface Appended {
  /** Revision of the last event appended. */
  revision: number;
  position: bigint;
}
