/**
 * Numbers the log as if no event had been purged: a manifest entry with the same number replaces each purged event. So
 * a scavenge, which removes purged events, changes no number.
 */
import { PURGES_STREAM, type PurgedEvent } from '@rdm/contracts';
import { type EventStore, isMark, type LoggedEvent, type LogMark, type LogPosition } from './event-store.ts';
import {
  InvalidManifest,
  type ManifestPart,
  type PurgeManifest,
  type RegisteredPurge,
  readManifest,
  readPart,
  readRegisteredPurges,
  readSigningKeys,
} from './purge-log.ts';

/** The entry that replaces an event that was purged. */
export interface PurgedEntry extends PurgedEvent {
  purgeId: number;
}

/** An event of the log, or an entry that replaces a purged event, each with its number. */
export type NumberedLogEvent =
  | { seq: number; event: LoggedEvent }
  /** `position` is the position of the last item before the entry, so that a reader can resume there. */
  | { seq: number; purged: PurgedEntry; position: LogPosition };

/** The purges that are registered in the log. Entries of their manifests are read on demand. */
export class PurgedEvents {
  readonly #store: Pick<EventStore, 'read'>;
  #manifests: readonly PurgeManifest[] = [];
  /** The last purged revision and the purge, by stream. */
  #streams = new Map<string, { revision: number; purgeId: number }>();
  /** The parts of all manifests, ordered by their first number. */
  #parts: readonly ManifestPart[] = [];
  #registered: ReadonlyMap<number, RegisteredPurge> = new Map();

  constructor(store: Pick<EventStore, 'read'>) {
    this.#store = store;
  }

  /** Changes whenever `load` finds newly registered purges. */
  get version(): number {
    return this.#registered.size;
  }

  get manifests(): readonly PurgeManifest[] {
    return this.#manifests;
  }

  /**
   * The position of the last registration; null if there is no purge. A fold that ended earlier in the log can contain
   * purged events.
   */
  get lastRegisteredAt(): bigint | null {
    let last: bigint | null = null;
    for (const { position } of this.#registered.values()) if (last === null || position > last) last = position;
    return last;
  }

  registered(purgeId: number): RegisteredPurge | undefined {
    return this.#registered.get(purgeId);
  }

  /**
   * Reads manifests that were registered since the last call, and returns whether there were any. Throws
   * InvalidManifest. With `onInvalid`, an invalid manifest is reported and skipped, but two manifests with the same
   * stream still throw.
   */
  async load(onInvalid?: (error: InvalidManifest, registered: RegisteredPurge) => void): Promise<boolean> {
    const registered = await readRegisteredPurges(this.#store);
    const added = [...registered.values()].filter(({ purgeId }) => !this.#registered.has(purgeId));
    if (added.length === 0) return false;
    const keys = await readSigningKeys(this.#store);
    const manifests = [...this.#manifests];
    const streams = new Map(this.#streams);
    for (const each of added) {
      const { purgeId } = each;
      const manifest = await readManifest(this.#store, purgeId, keys).catch((error: unknown) => {
        if (!(error instanceof InvalidManifest) || onInvalid === undefined) throw error;
        onInvalid(error, each);
      });
      if (manifest === undefined) continue;
      for (const [stream, revision] of manifest.streams) {
        const other = streams.get(stream);
        if (other) throw new InvalidManifest(purgeId, `it names ${stream}, which purge ${other.purgeId} names`);
        streams.set(stream, { revision, purgeId });
      }
      manifests.push(manifest);
    }
    this.#parts = manifests.flatMap(({ parts }) => parts).sort((a, b) => a.firstSeq - b.firstSeq);
    this.#manifests = manifests;
    this.#streams = streams;
    this.#registered = registered;
    return true;
  }

  /** Returns the id of the purge of an event; undefined if the event was not purged. */
  purgeOf(stream: string, revision: number | bigint): number | undefined {
    const purged = this.#streams.get(stream);
    return purged && revision <= purged.revision ? purged.purgeId : undefined;
  }

  /** Returns the manifest that lists a stream; undefined if the stream was not purged. */
  manifestOf(stream: string): PurgeManifest | undefined {
    const purged = this.#streams.get(stream);
    return purged && this.#manifests.find(({ purgeId }) => purgeId === purged.purgeId);
  }

  /** Yields the entries after the number `seq`, in order. Only parts that may contain the next number are in memory. */
  async *entriesAfter(seq: number): AsyncGenerator<PurgedEntry, undefined> {
    const parts = this.#parts.filter(({ lastSeq }) => lastSeq > seq);
    const openParts: { purgeId: number; events: readonly PurgedEvent[]; at: number }[] = [];
    const nextOf = ({ events, at }: (typeof openParts)[number]) => (events[at] as PurgedEvent).seq;
    const byNext = () => openParts.sort((a, b) => nextOf(a) - nextOf(b));
    let last = seq;
    for (let next = 0; ; ) {
      for (let part = parts[next]; part !== undefined; part = parts[next]) {
        if (openParts[0] && nextOf(openParts[0]) < part.firstSeq) break;
        const events = await readPart(this.#store, part);
        openParts.push({ purgeId: part.purgeId, events, at: events.findIndex((event) => event.seq > seq) });
        next += 1;
        byNext();
      }
      const [first] = openParts;
      if (first === undefined) return undefined;
      const entry = { ...(first.events[first.at] as PurgedEvent), purgeId: first.purgeId };
      if (entry.seq <= last) throw new InvalidManifest(first.purgeId, `another manifest names event ${entry.seq}, too`);
      yield entry;
      last = entry.seq;
      first.at += 1;
      if (first.at === first.events.length) openParts.shift();
      if (openParts.length > 1) byNext();
    }
  }
}

/** Loads the purges of a log. Throws InvalidManifest. */
export async function loadPurgedEvents(store: Pick<EventStore, 'read'>): Promise<PurgedEvents> {
  const purged = new PurgedEvents(store);
  await purged.load();
  return purged;
}

/** Gives a reader of the log the entries after a number, one by one. */
export class DueEntries {
  readonly #entries: AsyncGenerator<PurgedEntry, undefined>;
  #next: PurgedEntry | undefined;

  private constructor(purged: PurgedEvents, seq: number) {
    this.#entries = purged.entriesAfter(seq);
  }

  static async after(purged: PurgedEvents, seq: number): Promise<DueEntries> {
    const due = new DueEntries(purged, seq);
    due.#next = (await due.#entries.next()).value;
    return due;
  }

  /** Whether the event with this number was purged. Call this for each number, in order. */
  isDue(seq: number): boolean {
    return this.#next?.seq === seq;
  }

  /** Returns the entry with the number for which `isDue` was true. */
  async take(): Promise<PurgedEntry> {
    const entry = this.#next;
    if (entry === undefined) throw new Error('No purged entry is due');
    this.#next = (await this.#entries.next()).value;
    return entry;
  }
}

const START: LogPosition = { commit: 0n, prepare: 0n };

/**
 * Numbers the events after a checkpoint, and passes log marks on unchanged. Loads the manifest of a new purge before it
 * yields the registration. Throws InvalidManifest.
 */
export async function* numberLog<Item extends LoggedEvent | LogMark>(
  items: AsyncIterable<Item>,
  purged: PurgedEvents,
  after: { seq: number; position: LogPosition | null },
): AsyncGenerator<NumberedLogEvent | Exclude<Item, LoggedEvent>> {
  let { seq } = after;
  let position = after.position ?? START;
  let { version } = purged;
  let due = await DueEntries.after(purged, seq);
  while (due.isDue(seq + 1)) yield { seq: ++seq, purged: await due.take(), position };
  for await (const each of items) {
    const item: LoggedEvent | LogMark = each;
    if (isMark(item)) {
      position = item.deliveredUpTo ?? position;
      yield each as Exclude<Item, LoggedEvent>;
      continue;
    }
    position = { commit: item.position, prepare: item.prepare };
    if (isNewRegistration(item, purged)) await purged.load();
    // Compare versions, because another reader may have loaded the manifest.
    if (purged.version !== version) {
      ({ version } = purged);
      due = await DueEntries.after(purged, seq);
      while (due.isDue(seq + 1)) yield { seq: ++seq, purged: await due.take(), position };
    }
    if (purged.purgeOf(item.stream, item.revision) !== undefined) continue;
    seq += 1;
    yield { seq, event: item };
    while (due.isDue(seq + 1)) yield { seq: ++seq, purged: await due.take(), position };
  }
}

const isNewRegistration = ({ stream, type, data }: LoggedEvent, purged: PurgedEvents): boolean =>
  stream === PURGES_STREAM &&
  type === 'PurgeRegistered' &&
  purged.registered((data as { purgeId: number }).purgeId) === undefined;
