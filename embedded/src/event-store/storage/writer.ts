/**
 * The only writer of the log: it decides write requests in the order of their arrival and makes them durable in groups.
 */
import { randomUUID } from 'node:crypto';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { type ProposedEvent, readHeader, TOMBSTONE_REVISION } from '../wire/recorded-event.ts';
import { type Decision, decide, type ExpectedRevision } from './append-decision.ts';
import { CommitGroup, type PlacedEvent } from './commit-group.ts';
import type { EventReader } from './event-reader.ts';
import type { EventIndex } from './index/event-index.ts';
import { TOMBSTONE_TYPE } from './index/segment-index.ts';
import type { EventLog } from './log.ts';
import { RecentIds } from './recent-ids.ts';
import { DamagedLog } from './record.ts';
import {
  DELETED_BEFORE,
  isMetastream,
  METADATA_TYPE,
  type MetadataCatalogue,
  metastreamOf,
  originalOf,
  parseMetadata,
  recreatedMetadata,
} from './stream-metadata.ts';

export type Outcome =
  /**
   * The request succeeded now or in an earlier attempt. `revision` is -1 for an empty append to an empty stream.
   * `position` is undefined for an empty append, and for a repeated append whose last event was scavenged.
   */
  | { readonly kind: 'appended'; readonly revision: number; readonly position?: number }
  | Exclude<Decision, { kind: 'write' | 'repeat' }>
  /** The request was not durable in time. It can still become durable, because its group may be on its way to disk. */
  | { readonly kind: 'timeout' }
  /** Nothing was written, because a stored event that the decision needs is damaged. */
  | { readonly kind: 'damaged'; readonly details: string }
  /** Nothing was written, because the disk is full. */
  | { readonly kind: 'full' }
  /** The store can no longer write, or is closing; it is not known whether this request was applied. */
  | { readonly kind: 'stopped' };

export interface WriteRequest {
  readonly kind: 'append' | 'delete' | 'tombstone';
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly ProposedEvent[];
  /** In milliseconds since the epoch. A request that is not durable by this time is answered with a timeout. */
  readonly expiresAt: number;
  readonly answer: (outcome: Outcome) => void;
}

interface Entry extends WriteRequest {
  isAnswered: boolean;
}

const EXPIRY_CHECK_MS = 100;
const SPACE_CHECK_MS = 1_000;
/** While the queued events have more bytes than this, clients must wait. */
const MAX_QUEUED_BYTES = 16 * 1024 * 1024;

export class Writer {
  readonly #log: EventLog;
  readonly #index: EventIndex;
  readonly #reader: EventReader;
  readonly #metadata: MetadataCatalogue;
  readonly #group: CommitGroup;
  readonly #recentIds = new RecentIds();
  /** The metadata in the unfinished group, by stream. */
  readonly #unpublishedMetadata = new Map<string, Buffer>();
  readonly #expiry: NodeJS.Timeout;
  readonly #onFailure: (error: Error) => void;
  #queue: Entry[] = [];
  /** Callbacks that wait for the active segment to be sealed. */
  #sealWaiters: ((isSealed: boolean) => void)[] = [];
  #queuedBytes = 0;
  #capacityWaiters: (() => void)[] = [];
  #inFlight: Entry[] = [];
  #running: Promise<void> | undefined;
  /** The time of the latest group. It never decreases, even if the clock does. */
  #created = 0;
  #isStopped = false;
  readonly #closing = new AbortController();
  #awaitingSpace: Promise<void> | undefined;

  constructor(
    log: EventLog,
    index: EventIndex,
    reader: EventReader,
    metadata: MetadataCatalogue,
    onFailure: (error: Error) => void,
  ) {
    this.#log = log;
    this.#index = index;
    this.#reader = reader;
    this.#metadata = metadata;
    this.#group = new CommitGroup(index);
    this.#onFailure = onFailure;
    this.#expiry = setInterval(() => this.#expire(), EXPIRY_CHECK_MS).unref();
    if (log.isFull) this.#awaitSpace();
  }

  /** Queues a request. Its `answer` is called exactly once. */
  submit(request: WriteRequest): void {
    const entry: Entry = { ...request, isAnswered: false };
    if (this.#isStopped) answerOnce(entry, { kind: 'stopped' });
    else {
      this.#queue.push(entry);
      this.#queuedBytes += byteSize(entry);
      this.#running ??= this.#run();
    }
  }

  /** Seals the active segment, between two groups. Resolves with false if the log cannot be written. */
  seal(): Promise<boolean> {
    if (this.#isStopped) return Promise.resolve(false);
    return new Promise((resolve) => {
      this.#sealWaiters.push(resolve);
      this.#running ??= this.#run();
    });
  }

  /** Resolves when the queue is short enough for more requests; returns undefined if it is short enough now. */
  capacity(): Promise<void> | undefined {
    if (this.#queuedBytes <= MAX_QUEUED_BYTES) return undefined;
    return new Promise((resolve) => this.#capacityWaiters.push(resolve));
  }

  /** Finishes the queued requests and accepts no more. */
  async close(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#expiry);
    this.#closing.abort();
    await this.#awaitingSpace;
    await this.#running;
  }

  async #run(): Promise<void> {
    try {
      while (this.#queue.length > 0 || this.#sealWaiters.length > 0) {
        // Wait until requests that have already arrived are read from their sockets, so that they share the group.
        await setImmediate();
        if (this.#sealWaiters.length > 0) await this.#seal();
        if (this.#queue.length > 0) await this.#commitGroup();
      }
    } catch (error) {
      // Do not retry a failed write or sync. The content of the disk is unknown, so a retry could report success after
      // a loss.
      this.#isStopped = true;
      for (const entry of [...this.#inFlight, ...this.#queue]) answerOnce(entry, { kind: 'stopped' });
      this.#queue = [];
      for (const answer of this.#sealWaiters.splice(0)) answer(false);
      this.#onFailure(error instanceof Error ? error : new Error(String(error)));
    } finally {
      this.#inFlight = [];
      this.#running = undefined;
    }
  }

  async #seal(): Promise<void> {
    let isSealed = false;
    if (!this.#log.isFull) {
      isSealed = await this.#log.rollOver('seal');
      if (!isSealed) this.#awaitSpace();
    }
    for (const answer of this.#sealWaiters.splice(0)) answer(isSealed);
  }

  async #commitGroup(): Promise<void> {
    if (!this.#log.isFull && !(await this.#log.rollOver())) this.#awaitSpace();
    this.#group.reset(this.#log.tail);
    const now = Date.now();
    this.#created = Math.max(this.#created, now);
    const outcomes: Outcome[] = [];
    this.#inFlight = [];
    for (const entry of this.#queue) {
      if (!this.#group.fits(entry.stream, entry.events)) break;
      this.#inFlight.push(entry);
      outcomes.push(entry.isAnswered || entry.expiresAt <= now ? { kind: 'timeout' } : this.#attempt(entry));
    }
    this.#queue = this.#queue.slice(this.#inFlight.length);
    this.#queuedBytes -= this.#inFlight.reduce((sum, entry) => sum + byteSize(entry), 0);
    if (this.#queuedBytes <= MAX_QUEUED_BYTES) for (const unblock of this.#capacityWaiters.splice(0)) unblock();
    // If the group is not written, all its requests fail, because their decisions may depend on events of the group.
    if (this.#group.bytes.length > 0 && !(await this.#makeDurable())) outcomes.fill({ kind: 'full' });
    this.#inFlight.forEach((entry, at) => {
      answerOnce(entry, outcomes[at] ?? { kind: 'stopped' });
    });
  }

  /** Writes the group and publishes it to readers; discards it and returns false when the disk is full. */
  async #makeDurable(): Promise<boolean> {
    const isDurable = await this.#log.append(this.#group.bytes);
    for (const part of [this.#index, this.#recentIds]) isDurable ? part.publish() : part.discard();
    this.#unpublishedMetadata.clear();
    if (!isDurable) this.#awaitSpace();
    return isDurable;
  }

  /** Checks every second whether enough space is free, until the log accepts appends again. */
  #awaitSpace(): void {
    const { signal } = this.#closing;
    const check = async () => {
      do await sleep(SPACE_CHECK_MS, undefined, { signal, ref: false });
      while (!(await this.#log.resume()));
    };
    this.#awaitingSpace = check().catch((error: Error) => {
      if (!signal.aborted) this.#onFailure(error);
    });
  }

  #attempt(request: WriteRequest): Outcome {
    try {
      return this.#write(request);
    } catch (error) {
      // The decision failed before the request was encoded, so the group does not contain any of its events.
      if (error instanceof DamagedLog) return { kind: 'damaged', details: error.message };
      throw error;
    }
  }

  /** Decides a request and encodes its events in the group. */
  #write(request: WriteRequest): Outcome {
    const { kind, stream, events } = request;
    const decision = this.#decide(request);
    if (decision.kind === 'repeat') {
      const { revision } = decision;
      const ordinal = this.#index.ordinalOf(stream, revision);
      // A scavenge may have dropped the event since it was written.
      if (ordinal === undefined) return { kind: 'appended', revision };
      return { kind: 'appended', revision, position: this.#index.position(ordinal) };
    }
    if (decision.kind === 'deleted') return decision;
    // Report a full disk before a wrong version: to check for a full disk, clients append at a revision that no stream
    // has.
    if (this.#log.isFull) return { kind: 'full' };
    if (decision.kind === 'wrong-version') return decision;
    const head = this.#index.head(stream);
    if (kind === 'tombstone') {
      return this.#addToGroup([{ stream, revision: TOMBSTONE_REVISION, event: systemEvent(TOMBSTONE_TYPE, '') }], 0);
    }
    if (kind === 'delete') {
      if (head < 0 && this.#index.head(metastreamOf(stream)) < 0) return { kind: 'wrong-version', head };
      return this.#addToGroup([this.#metadataEvent(stream, Buffer.from(`{"$tb":${DELETED_BEFORE}}`), 1)], 0);
    }
    if (events.length === 0) return { kind: 'appended', revision: head };
    const placed = events.map((event, at): PlacedEvent => ({ stream, revision: head + 1 + at, event }));
    return this.#addToGroup([...placed, ...this.#recreationEvents(request)], placed.length - 1);
  }

  #decide({ kind, stream, expected, events }: WriteRequest): Decision {
    const tombstone =
      this.#index.tombstone(stream) ?? (isMetastream(stream) ? this.#index.tombstone(originalOf(stream)) : undefined);
    const state = {
      head: this.#index.head(stream),
      isSoftDeleted: this.#isSoftDeleted(stream),
      hasMetadata: this.#index.head(metastreamOf(stream)) >= 0,
      isTombstoned: tombstone !== undefined,
      recentRevision: (id: string) => this.#recentIds.revision(id, stream),
      hasEvent: (revision: number, id: string) => {
        if (this.#recentIds.revision(id, stream) === revision) return true;
        const ordinal = this.#index.ordinalOf(stream, revision);
        if (ordinal === undefined || ordinal >= this.#index.visible) return false;
        return readHeader(this.#reader.read(ordinal)).id === id;
      },
    };
    // A deletion is decided like an append of one event with a new id.
    return decide(state, expected, kind === 'append' ? events.map((event) => event.id) : [randomUUID()]);
  }

  /**
   * Encodes the events of a request in the group. Returns the outcome of the request, with the revision and position of
   * the event at the index `last`.
   */
  #addToGroup(events: readonly PlacedEvent[], last: number): Outcome {
    const positions = this.#group.add(events, this.#created);
    for (const { stream, revision, event } of events) {
      this.#recentIds.add(event.id, stream, revision);
      if (isMetastream(stream)) this.#unpublishedMetadata.set(originalOf(stream), Buffer.from(event.data));
    }
    return { kind: 'appended', revision: events[last]?.revision ?? -1, position: positions[last] ?? 0 };
  }

  /**
   * Returns the metadata event that recreates a softly deleted stream when events or metadata are written to it; none
   * for other streams. The stream continues after the deleted events.
   */
  #recreationEvents({ stream, events }: WriteRequest): PlacedEvent[] {
    if (this.#isSoftDeleted(stream)) {
      const raw = this.#unpublishedMetadata.get(stream) ?? this.#metadata.raw(stream) ?? Buffer.from('{}');
      const data = recreatedMetadata(raw, this.#index.head(stream) + 1);
      return data ? [this.#metadataEvent(stream, data, 1)] : [];
    }
    const original = originalOf(stream);
    if (!isMetastream(stream) || !this.#isSoftDeleted(original)) return [];
    const data = recreatedMetadata(events.at(-1)?.data ?? Buffer.from('{}'), this.#index.head(original) + 1);
    return data ? [this.#metadataEvent(original, data, events.length + 1)] : [];
  }

  #metadataEvent(stream: string, data: Buffer, offset: number): PlacedEvent {
    const metastream = metastreamOf(stream);
    return {
      stream: metastream,
      revision: this.#index.head(metastream) + offset,
      event: { ...systemEvent(METADATA_TYPE, ''), data },
    };
  }

  #isSoftDeleted(stream: string): boolean {
    const unpublished = this.#unpublishedMetadata.get(stream);
    return (unpublished ? parseMetadata(unpublished) : this.#metadata.of(stream)).isSoftDeleted;
  }

  #expire(): void {
    const now = Date.now();
    for (const entry of this.#inFlight) if (entry.expiresAt <= now) answerOnce(entry, { kind: 'timeout' });
    for (const entry of this.#queue) if (entry.expiresAt <= now) answerOnce(entry, { kind: 'timeout' });
  }
}

function answerOnce(entry: Entry, outcome: Outcome): void {
  if (entry.isAnswered) return;
  entry.isAnswered = true;
  entry.answer(outcome);
}

function byteSize({ events }: WriteRequest): number {
  return events.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0);
}

function systemEvent(type: string, data: string): ProposedEvent {
  return { id: randomUUID(), type, isJson: true, data: Buffer.from(data), metadata: Buffer.alloc(0) };
}
