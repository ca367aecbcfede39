/** Folded streams: loaded from a cache bounded by bytes, changed one command at a time, appended at exact revisions. */
import { type DomainEvent, type EventMetadata, type ProductEvent, type RecordedEvent, Refusal } from '@rdm/contracts';
import { type EventStore, type NewEvent, requireDecodable, UnknownOutcome, WrongRevision } from '@rdm/platform';
import { LRUCache } from 'lru-cache';
import type { Decision } from './decision.ts';

/** How the streams of one category fold. `evolve` may change the state in place; deciders never do. */
export interface StreamKind<State, E extends DomainEvent> {
  initial: () => State;
  evolve: (state: State, event: E & { metadata: EventMetadata }) => State;
  /** Bytes the state takes in memory, about. */
  weigh: (state: State) => number;
}

export interface Loaded<State> {
  state: State;
  /** Revision of the last event folded; -1 for an empty stream. */
  revision: number;
  /** Instant of the last event, so that a clock running behind never dates an event before it. */
  lastAt: string;
}

/** What an append is stamped with, and how to tell whether it happened already. */
export interface AppendStamp {
  /** Ids of the events, by index; the same on every repetition. */
  eventId: (index: number) => string;
  metadata: Omit<EventMetadata, 'schemaVersion' | 'occurredAt'>;
  now: () => Date;
  /** Called with the expected revision before the append, so that recovery knows where to look. */
  beforeAppend: (expected: number) => Promise<void>;
  /** The revision an earlier run of this step expected, if there was one. */
  expectedBefore: number | undefined;
}

export interface Change<Result, State> {
  result: Result;
  /** The state this change led to. Read it at once where the kind folds in place. */
  state: State;
  /** Revision of the stream after it; position of its last event, or undefined when nothing was appended. */
  revision: number;
  position: bigint | undefined;
}

const CACHE_BYTES = 64 * 1024 * 1024;
const APPEND_ATTEMPTS = 5;
const CONFLICT_ATTEMPTS = 100;

export class Streams {
  readonly #store: EventStore;
  readonly #cache: LRUCache<string, Loaded<unknown>>;
  readonly #queues = new Map<string, Promise<unknown>>();
  readonly #waitingLoads = new Map<string, Promise<Loaded<unknown>>>();

  constructor(store: EventStore, cacheBytes = CACHE_BYTES) {
    this.#store = store;
    this.#cache = new LRUCache({ maxSize: cacheBytes });
  }

  /**
   * The state of a stream at its tail. Read it at once: a later command may change it in place. Whoever asks while a
   * load still waits for its turn shares it: it begins after they asked.
   */
  async load<State, E extends DomainEvent>(kind: StreamKind<State, E>, stream: string): Promise<Loaded<State>> {
    const waiting = this.#waitingLoads.get(stream);
    if (waiting) return waiting as Promise<Loaded<State>>;
    const load = this.#inTurn(stream, () => {
      this.#waitingLoads.delete(stream);
      return this.#toTail(kind, stream, this.#cached<State>(stream));
    });
    this.#waitingLoads.set(stream, load);
    return load;
  }

  /** The events of a stream from its beginning, for what must be known of its past. */
  async *events(stream: string): AsyncIterable<RecordedEvent> {
    for await (const event of this.#store.read(stream)) {
      requireDecodable(event);
      yield event;
    }
  }

  /**
   * Decides on a stream and appends what was decided. The cached state decides first; before a refusal or a no-op is
   * answered the tail is read, and after a conflict the decision is made anew. Repeating the same stamp is one effect.
   */
  async change<State, E extends ProductEvent, Result>(
    kind: StreamKind<State, E>,
    stream: string,
    stamp: AppendStamp,
    decide: (state: State) => Decision<E, Result>,
  ): Promise<Change<Result, State>> {
    return this.#inTurn(stream, async () => {
      if (stamp.expectedBefore !== undefined) {
        const done = await this.#finished(kind, stream, stamp, stamp.expectedBefore, decide);
        if (done) return done;
      }
      let loaded = this.#cached<State>(stream);
      let atTail = loaded === undefined;
      loaded ??= await this.#toTail(kind, stream, undefined);
      for (let attempt = 0; attempt < CONFLICT_ATTEMPTS; attempt++) {
        let decision: Decision<E, Result>;
        try {
          decision = decide(loaded.state);
        } catch (error) {
          if (atTail || !(error instanceof Refusal)) throw error;
          loaded = await this.#toTail(kind, stream, loaded);
          atTail = true;
          continue;
        }
        if (decision.events.length === 0) {
          if (atTail) {
            const { state, revision } = loaded;
            return { result: decision.result, state, revision, position: undefined };
          }
          loaded = await this.#toTail(kind, stream, loaded);
          atTail = true;
          continue;
        }
        const expected = loaded.revision;
        const events = this.#stamped(decision.events, stamp, loaded.lastAt);
        await stamp.beforeAppend(expected);
        const appended = await this.#append(stream, events, expected);
        if (appended) {
          this.#foldNew(kind, stream, loaded, events);
          return { result: decision.result, state: loaded.state, ...appended };
        }
        const mine = await this.#finished(kind, stream, stamp, expected, decide);
        if (mine) return mine;
        loaded = await this.#toTail(kind, stream, this.#cached<State>(stream));
        atTail = true;
      }
      throw new Refusal('UNAVAILABLE', 'Too many people are changing this at once. Please try again.', undefined, 1);
    });
  }

  #cached<State>(stream: string): Loaded<State> | undefined {
    return this.#cache.get(stream) as Loaded<State> | undefined;
  }

  /** One after the other per stream, whatever the previous one came to. */
  #inTurn<T>(stream: string, work: () => Promise<T>): Promise<T> {
    const previous = this.#queues.get(stream) ?? Promise.resolve();
    const turn = previous.then(work, work);
    const settled = turn
      .catch(() => undefined)
      .then(() => {
        if (this.#queues.get(stream) === settled) this.#queues.delete(stream);
      });
    this.#queues.set(stream, settled);
    return turn;
  }

  async #toTail<State, E extends DomainEvent>(
    kind: StreamKind<State, E>,
    stream: string,
    from: Loaded<State> | undefined,
  ): Promise<Loaded<State>> {
    const loaded = from ?? { state: kind.initial(), revision: -1, lastAt: '' };
    for await (const event of this.#store.read(stream, loaded.revision + 1)) foldInto(kind, loaded, event);
    this.#keep(kind, stream, loaded);
    return loaded;
  }

  #keep<State, E extends DomainEvent>(kind: StreamKind<State, E>, stream: string, loaded: Loaded<State>): void {
    this.#cache.set(stream, loaded, { size: Math.max(1, Math.round(kind.weigh(loaded.state))) });
  }

  #stamped<E extends DomainEvent>(events: readonly E[], stamp: AppendStamp, lastAt: string): NewEvent[] {
    const now = stamp.now().toISOString();
    const occurredAt = now > lastAt ? now : lastAt;
    return events.map(({ type, data, json }, index) => ({
      id: stamp.eventId(index),
      type,
      data,
      ...(json === undefined ? {} : { json }),
      metadata: { ...stamp.metadata, occurredAt },
    }));
  }

  #foldNew<State, E extends DomainEvent>(
    kind: StreamKind<State, E>,
    stream: string,
    loaded: Loaded<State>,
    events: readonly NewEvent[],
  ): void {
    for (const event of events) {
      foldInto(kind, loaded, { ...event, revision: loaded.revision + 1 } as unknown as RecordedEvent);
    }
    this.#keep(kind, stream, loaded);
  }

  /** Appends; an unknown outcome is repeated unchanged. False when the stream had moved on. */
  async #append(stream: string, events: readonly NewEvent[], revision: number) {
    const expected = revision < 0 ? 'NO_STREAM' : revision;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#store.append(stream, events, expected);
      } catch (error) {
        if (error instanceof WrongRevision) return undefined;
        if (!(error instanceof UnknownOutcome) || attempt === APPEND_ATTEMPTS) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50 * 2 ** attempt));
      }
    }
  }

  /**
   * Whether this very step has been appended after `expected`. If so its answer is rebuilt: the decision is pure, so
   * deciding again on the state it was made on gives the same result.
   */
  async #finished<State, E extends ProductEvent, Result>(
    kind: StreamKind<State, E>,
    stream: string,
    stamp: AppendStamp,
    expected: number,
    decide: (state: State) => Decision<E, Result>,
  ): Promise<Change<Result, State> | undefined> {
    const firstId = stamp.eventId(0);
    // The step's first event can only stand right behind the revision it expected.
    const found = await this.#eventAt(stream, expected + 1);
    if (found?.id !== firstId) return undefined;
    const before: Loaded<State> = { state: kind.initial(), revision: -1, lastAt: '' };
    if (expected >= 0) {
      for await (const event of this.#store.read(stream, 0, expected + 1)) foldInto(kind, before, event);
    }
    const decision = decide(before.state);
    let last = found;
    for await (const event of this.#store.read(stream, expected + 1, decision.events.length)) {
      foldInto(kind, before, event);
      last = event;
    }
    return { result: decision.result, state: before.state, revision: last.revision, position: last.position };
  }

  async #eventAt(stream: string, revision: number): Promise<RecordedEvent | undefined> {
    for await (const event of this.#store.read(stream, revision, 1)) return event;
    return undefined;
  }
}

function foldInto<State, E extends DomainEvent>(
  kind: StreamKind<State, E>,
  loaded: Loaded<State>,
  event: RecordedEvent,
): void {
  if (event.revision !== loaded.revision + 1) return;
  requireDecodable(event);
  loaded.state = kind.evolve(loaded.state, event as unknown as E & { metadata: EventMetadata });
  loaded.revision = event.revision;
  loaded.lastAt = event.metadata.occurredAt;
}
