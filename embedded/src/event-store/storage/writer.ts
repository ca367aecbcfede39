/** The single writer: decides appends one after the other and makes them durable in groups. */
import { randomUUID } from 'node:crypto';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { type ProposedEvent, readHeader, TOMBSTONE_REVISION } from '../wire/recorded-event.ts';
import { type Decision, decide, type ExpectedRevision } from './append-decision.ts';
import { CommitGroup, type PlacedEvent } from './commit-group.ts';
import { type EventIndex, TOMBSTONE_TYPE } from './event-index.ts';
import type { EventReader } from './event-reader.ts';
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
  recreatedFrom,
} from './stream-metadata.ts';

export type Outcome =
  /** `revision` is -1 when an empty append met an empty stream; `position` is absent when nothing was written. */
  | { readonly kind: 'appended'; readonly revision: number; readonly position?: number }
  | Exclude<Decision, { kind: 'write' | 'repeat' }>
  | { readonly kind: 'timeout' }
  /** What had to be read to decide is damaged; nothing was written. */
  | { readonly kind: 'damaged'; readonly details: string }
  /** The disk is full; nothing was written. */
  | { readonly kind: 'full' }
  /** The store can no longer write; whether this request took effect is not known. */
  | { readonly kind: 'stopped' };

export interface WriteRequest {
  readonly kind: 'append' | 'delete' | 'tombstone';
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly ProposedEvent[];
  /** Milliseconds since the epoch; answered with a timeout when it is not durable by then. */
  readonly expiresAt: number;
  readonly answer: (outcome: Outcome) => void;
}

interface Entry extends WriteRequest {
  answered: boolean;
}

const EXPIRY_CHECK_MS = 100;
const SPACE_CHECK_MS = 1_000;
/** Bytes of events that wait for their group before clients are made to wait. */
const MAX_WAITING = 16 * 1024 * 1024;

export class Writer {
  readonly #log: EventLog;
  readonly #index: EventIndex;
  readonly #reader: EventReader;
  readonly #metadata: MetadataCatalogue;
  readonly #group: CommitGroup;
  readonly #recent = new RecentIds();
  /** Metadata written in the unfinished group. */
  readonly #unpublished = new Map<string, Buffer>();
  readonly #expiry: NodeJS.Timeout;
  readonly #onFailure: (error: Error) => void;
  #queue: Entry[] = [];
  #waiting = 0;
  #crowd: (() => void)[] = [];
  #inFlight: Entry[] = [];
  #running: Promise<void> | undefined;
  #created = 0;
  #stopped = false;
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

  /** Hands a request in; it is answered once. */
  submit(request: WriteRequest): void {
    const entry: Entry = { ...request, answered: false };
    if (this.#stopped) settle(entry, { kind: 'stopped' });
    else {
      this.#queue.push(entry);
      this.#waiting += sizeOf(entry);
      this.#running ??= this.#run();
    }
  }

  /** Resolves when so much has been written that more may be handed in; `undefined` when it may be now. */
  room(): Promise<void> | undefined {
    if (this.#waiting <= MAX_WAITING) return undefined;
    return new Promise((resolve) => this.#crowd.push(resolve));
  }

  /** Finishes what was handed in and takes no more. */
  async close(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#expiry);
    this.#closing.abort();
    await this.#awaitingSpace;
    await this.#running;
  }

  async #run(): Promise<void> {
    try {
      while (this.#queue.length > 0) {
        // What has arrived by now but was not read off its socket yet shares the group.
        await setImmediate();
        await this.#commitGroup();
      }
    } catch (error) {
      // After a failed write or sync nobody knows what the disk holds, and trying again may only seem to succeed.
      this.#stopped = true;
      for (const entry of [...this.#inFlight, ...this.#queue]) settle(entry, { kind: 'stopped' });
      this.#queue = [];
      this.#onFailure(error instanceof Error ? error : new Error(String(error)));
    } finally {
      this.#inFlight = [];
      this.#running = undefined;
    }
  }

  async #commitGroup(): Promise<void> {
    if (!this.#log.isFull && !(await this.#log.rollOver())) this.#awaitSpace();
    this.#group.reset(this.#log.tail);
    const now = Date.now();
    this.#created = Math.max(this.#created, now);
    const outcomes: Outcome[] = [];
    this.#inFlight = [];
    for (const entry of this.#queue) {
      if (!this.#group.hasRoom(entry.stream, entry.events)) break;
      this.#inFlight.push(entry);
      outcomes.push(entry.answered || entry.expiresAt <= now ? { kind: 'timeout' } : this.#attempt(entry));
    }
    this.#queue = this.#queue.slice(this.#inFlight.length);
    this.#waiting -= this.#inFlight.reduce((sum, entry) => sum + sizeOf(entry), 0);
    if (this.#waiting <= MAX_WAITING) for (const enter of this.#crowd.splice(0)) enter();
    // Without their group, other requests of it were decided on events that are not there.
    if (this.#group.bytes.length > 0 && !(await this.#makeDurable())) outcomes.fill({ kind: 'full' });
    this.#inFlight.forEach((entry, at) => {
      settle(entry, outcomes[at] ?? { kind: 'stopped' });
    });
  }

  /** Writes the group and shows it to readers; takes it back and answers false when the disk is full. */
  async #makeDurable(): Promise<boolean> {
    const isDurable = await this.#log.append(this.#group.bytes);
    for (const part of [this.#index, this.#recent]) isDurable ? part.publish() : part.discard();
    this.#unpublished.clear();
    if (!isDurable) this.#awaitSpace();
    return isDurable;
  }

  /** Looks again and again whether there is space to write. */
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
      // Deciding comes before laying out, so the group holds nothing of it.
      if (error instanceof DamagedLog) return { kind: 'damaged', details: error.message };
      throw error;
    }
  }

  /** Decides a request and lays its events out in the group. */
  #write(request: WriteRequest): Outcome {
    const { kind, stream, events } = request;
    const decision = this.#decide(request);
    if (decision.kind === 'repeat') {
      const ordinal = this.#index.stream(stream)?.ordinals[decision.revision] ?? 0;
      return { kind: 'appended', revision: decision.revision, position: this.#index.position(ordinal) };
    }
    if (decision.kind === 'deleted') return decision;
    // Before a wrong version: a probe expects a revision that no stream has, and reads the full disk from this answer.
    if (this.#log.isFull) return { kind: 'full' };
    if (decision.kind === 'wrong-version') return decision;
    const head = this.#head(stream);
    if (kind === 'tombstone') {
      return this.#place([{ stream, revision: TOMBSTONE_REVISION, event: systemEvent(TOMBSTONE_TYPE, '') }], 0);
    }
    if (kind === 'delete') {
      if (head < 0 && this.#head(metastreamOf(stream)) < 0) return { kind: 'wrong-version', head };
      return this.#place([this.#metadataEvent(stream, Buffer.from(`{"$tb":${DELETED_BEFORE}}`), 1)], 0);
    }
    if (events.length === 0) return { kind: 'appended', revision: head };
    const placed = events.map((event, at): PlacedEvent => ({ stream, revision: head + 1 + at, event }));
    return this.#place([...placed, ...this.#revival(request)], placed.length - 1);
  }

  #decide({ kind, stream, expected, events }: WriteRequest): Decision {
    const entry = this.#index.stream(stream);
    const original = isMetastream(stream) ? this.#index.stream(originalOf(stream)) : undefined;
    const state = {
      entry,
      softDeleted: this.#isSoftDeleted(stream),
      hasMetadata: this.#head(metastreamOf(stream)) >= 0,
      tombstoned: (entry?.tombstone ?? original?.tombstone) !== undefined,
      recent: (id: string) => this.#recent.revision(id, stream),
      holds: (revision: number, id: string) => {
        if (this.#recent.revision(id, stream) === revision) return true;
        const ordinal = entry?.ordinals[revision];
        if (ordinal === undefined || ordinal >= this.#index.visible) return false;
        return readHeader(this.#reader.read(ordinal)).id === id;
      },
    };
    // A deletion is an event with an id of its own, which no stream can hold yet.
    return decide(state, expected, kind === 'append' ? events.map((event) => event.id) : [randomUUID()]);
  }

  /** Lays out one append and answers for its event number `last`. */
  #place(events: readonly PlacedEvent[], last: number): Outcome {
    const positions = this.#group.add(events, this.#created);
    for (const { stream, revision, event } of events) {
      this.#recent.add(event.id, stream, revision);
      if (isMetastream(stream)) this.#unpublished.set(originalOf(stream), Buffer.from(event.data));
    }
    return { kind: 'appended', revision: events[last]?.revision ?? -1, position: positions[last] ?? 0 };
  }

  /** Writing to a softly deleted stream, or to its metadata, lets it begin anew behind what was deleted. */
  #revival({ stream, events }: WriteRequest): PlacedEvent[] {
    if (this.#isSoftDeleted(stream)) {
      const raw = this.#unpublished.get(stream) ?? this.#metadata.raw(stream) ?? Buffer.from('{}');
      const data = recreatedFrom(raw, this.#head(stream) + 1);
      return data ? [this.#metadataEvent(stream, data, 1)] : [];
    }
    const original = originalOf(stream);
    if (!isMetastream(stream) || !this.#isSoftDeleted(original)) return [];
    const data = recreatedFrom(events.at(-1)?.data ?? Buffer.from('{}'), this.#head(original) + 1);
    return data ? [this.#metadataEvent(original, data, events.length + 1)] : [];
  }

  #metadataEvent(stream: string, data: Buffer, ahead: number): PlacedEvent {
    const metastream = metastreamOf(stream);
    return {
      stream: metastream,
      revision: this.#head(metastream) + ahead,
      event: { ...systemEvent(METADATA_TYPE, ''), data },
    };
  }

  #isSoftDeleted(stream: string): boolean {
    const unpublished = this.#unpublished.get(stream);
    return (unpublished ? parseMetadata(unpublished) : this.#metadata.of(stream)).softDeleted;
  }

  #head(stream: string): number {
    return (this.#index.stream(stream)?.ordinals.length ?? 0) - 1;
  }

  #expire(): void {
    const now = Date.now();
    for (const entry of this.#inFlight) if (entry.expiresAt <= now) settle(entry, { kind: 'timeout' });
    for (const entry of this.#queue) if (entry.expiresAt <= now) settle(entry, { kind: 'timeout' });
  }
}

function settle(entry: Entry, outcome: Outcome): void {
  if (entry.answered) return;
  entry.answered = true;
  entry.answer(outcome);
}

function sizeOf({ events }: WriteRequest): number {
  return events.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0);
}

function systemEvent(type: string, data: string): ProposedEvent {
  return { id: randomUUID(), type, isJson: true, data: Buffer.from(data), metadata: Buffer.alloc(0) };
}
