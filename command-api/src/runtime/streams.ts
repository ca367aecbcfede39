/**
 * Folded streams: loaded from a cache bounded by bytes, or from the rows that are kept of long ones; changed one command at
 * a time, appended at exact revisions.
 */
import { type DomainEvent, type EventMetadata, type ProductEvent, type RecordedEvent, Refusal } from '@rdm/contracts';
import { type EventStore, type NewEvent, requireDecodable, UnknownOutcome, WrongRevision } from '@rdm/platform';
import { LRUCache } from 'lru-cache';
import type { Decision } from './decision.ts';
import { Mutex } from './mutex.ts';
import type { RowCache, RowCodec, RowLookup } from './row-cache.ts';

/** How the streams of one category fold. `evolve` may change the state in place; deciders never do. */
export interface StreamKind<State, E extends DomainEvent> {
  initial: () => State;
  evolve: (state: State, event: E & { metadata: EventMetadata }) => State;
  /** Bytes the state takes in memory, about. */
  weigh: (state: State) => number;
  /** For kinds of which rows are kept (kept-rows.ts). */
  rowsOf?: RowCodec<State, E>;
}

export interface Loaded<State> {
  state: State;
  /** Revision of the last event folded; -1 for an empty stream. */
  revision: number;
  /** Id of the last event folded, by which another copy of the log is recognised; undefined for kept rows. */
  lastId?: string;
  /** Instant of the last event, so that a clock running behind never dates an event before it. */
  lastAt: string;
  /**
   * The revision up to which rows of the stream are kept, where this state may move it forward.
   */
  cachedRevision?: number | undefined;
  /** Read from the kept rows: it holds those that were asked for, no others. */
  isPartial?: boolean;
}

/** What a decision came to, kept with its step until its command is answered. */
export interface DecidedStep {
  result: unknown;
  /** How many events it appends. */
  events: number;
}

/** What an append is stamped with, and how to tell whether it happened already. */
export interface AppendStamp {
  /** Ids of the events, by index; the same on every repetition. */
  eventId: (index: number) => string;
  metadata: Omit<EventMetadata, 'schemaVersion' | 'occurredAt'>;
  now: () => Date;
  /**
   * Called with the expected revision before the append, so that recovery knows where to look; with what was decided, where
   * deciding again would read a long stream.
   */
  beforeAppend: (expected: number, decided?: DecidedStep) => Promise<void>;
  /** The revision an earlier run of this step expected, if there was one, and what it decided. */
  previousExpected: number | undefined;
  previousDecision?: DecidedStep | undefined;
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
  readonly #kept: RowCache | undefined;
  readonly #cache: LRUCache<string, Loaded<unknown>>;
  readonly #queues = new Map<string, Promise<unknown>>();
  readonly #waitingLoads = new Map<string, Promise<Loaded<unknown>>>();
  readonly #longFolds = new Mutex();

  constructor(store: EventStore, { cacheBytes = CACHE_BYTES, kept }: { cacheBytes?: number; kept?: RowCache } = {}) {
    this.#store = store;
    this.#kept = kept;
    this.#cache = new LRUCache({ maxSize: cacheBytes });
  }

  /**
   * The state of a stream at its tail; of a long one the `touched` rows alone, where they are given. Read it at once: a
   * later command may change it in place. Whoever asks for all while a load still waits for its turn shares it: it begins
   * after they asked.
   */
  async load<State, E extends DomainEvent>(
    kind: StreamKind<State, E>,
    stream: string,
    touched?: RowLookup,
  ): Promise<Loaded<State>> {
    if (touched && this.#keeping(kind)) {
      return this.#inTurn(stream, async () => {
        const { loaded, atTail } = await this.#open(kind, stream, touched);
        return atTail ? loaded : this.#toTail(kind, stream, loaded, touched);
      });
    }
    const waiting = this.#waitingLoads.get(stream);
    if (waiting) return waiting as Promise<Loaded<State>>;
    const load = this.#inTurn(stream, () => {
      this.#waitingLoads.delete(stream);
      return this.#toTail(kind, stream, this.#cached<State>(stream));
    });
    this.#waitingLoads.set(stream, load);
    return load;
  }

  /** Position of the last event of the log. */
  async end(): Promise<bigint | undefined> {
    return (await this.#store.head())?.commit;
  }

  /** The events of a stream from its beginning, for what must be known of its past. */
  async *events(stream: string): AsyncIterable<RecordedEvent> {
    for await (const event of this.#store.read(stream)) {
      requireDecodable(event);
      yield event;
    }
  }

  /**
   * Keeps the rows of a stream as it is now, if it is long, so that the next decision need not read it. Answers whether it
   * is long.
   */
  async cacheRows<State, E extends DomainEvent>(kind: StreamKind<State, E>, stream: string): Promise<boolean> {
    return this.#inTurn(stream, async () => {
      this.#cache.delete(stream);
      const { loaded, atTail } = await this.#open(kind, stream, {});
      const { isPartial: isPart, cachedRevision: keptAt } = atTail
        ? loaded
        : await this.#toTail(kind, stream, loaded, {});
      // Nobody here decides on it next.
      this.#cache.delete(stream);
      return isPart === true || keptAt !== undefined;
    });
  }

  /**
   * Decides on a stream and appends what was decided. The cached state decides first; before a refusal or a no-op is
   * answered the tail is read, and after a conflict the decision is made anew. Repeating the same stamp is one effect.
   * `touched` are the rows that the decision looks up: of a long stream it sees no others.
   */
  async change<State, E extends ProductEvent, Result>(
    kind: StreamKind<State, E>,
    stream: string,
    stamp: AppendStamp,
    decide: (state: State) => Decision<E, Result>,
    touched?: RowLookup,
  ): Promise<Change<Result, State>> {
    return this.#inTurn(stream, async () => {
      if (stamp.previousExpected !== undefined) {
        const finished = await this.#finished(kind, stream, stamp, stamp.previousExpected, decide, touched);
        if (finished) return finished;
      }
      let { loaded, atTail } = await this.#open(kind, stream, touched);
      const toTail = async () => {
        loaded = await this.#toTail(kind, stream, loaded, touched);
        atTail = true;
      };
      for (let attempt = 0; attempt < CONFLICT_ATTEMPTS; attempt++) {
        let decision: Decision<E, Result>;
        try {
          decision = decide(loaded.state);
        } catch (error) {
          if (atTail || !(error instanceof Refusal)) throw error;
          await toTail();
          continue;
        }
        if (decision.events.length === 0) {
          if (atTail) {
            const { state, revision } = loaded;
            return { result: decision.result, state, revision, position: undefined };
          }
          await toTail();
          continue;
        }
        const expected = loaded.revision;
        const events = this.#stamped(decision.events, stamp, loaded.lastAt);
        const isLong = loaded.isPartial || loaded.cachedRevision !== undefined;
        await stamp.beforeAppend(expected, isLong ? { result: decision.result, events: events.length } : undefined);
        const appended =
          (await this.#append(stream, events, expected)) ?? (await this.#appendedAs(stream, events, expected));
        if (appended) {
          for (const event of events) {
            foldInto(kind, loaded, { ...event, revision: loaded.revision + 1 } as unknown as RecordedEvent);
          }
          await this.#keep(kind, stream, loaded, events, touched);
          return { result: decision.result, state: loaded.state, ...appended };
        }
        await toTail();
        // Kept rows that are ahead of the log are of another log.
        if (loaded.isPartial && loaded.revision === expected) {
          await this.#kept?.evict(stream);
          loaded = await this.#whole(kind, stream, touched);
        }
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

  /** Where rows of such streams are kept. */
  #keeping<State, E extends DomainEvent>({ rowsOf }: StreamKind<State, E>) {
    return this.#kept && rowsOf ? { kept: this.#kept, rowsOf } : undefined;
  }

  /** A state to decide on: from memory, from the kept rows, or from the whole stream, which is at the tail then. */
  async #open<State, E extends DomainEvent>(
    kind: StreamKind<State, E>,
    stream: string,
    touched: RowLookup | undefined,
  ): Promise<{ loaded: Loaded<State>; atTail: boolean }> {
    const keeping = touched && this.#keeping(kind);
    const cached =
      this.#cached<State>(stream) ?? (keeping ? await keeping.kept.read(keeping.rowsOf, stream, touched) : undefined);
    if (cached) return { loaded: cached, atTail: false };
    return { loaded: await this.#whole(kind, stream, touched), atTail: true };
  }

  #whole<State, E extends DomainEvent>(
    kind: StreamKind<State, E>,
    stream: string,
    touched: RowLookup | undefined,
  ): Promise<Loaded<State>> {
    return this.#toTail(kind, stream, undefined, touched);
  }

  async #toTail<State, E extends DomainEvent>(
    kind: StreamKind<State, E>,
    stream: string,
    from: Loaded<State> | undefined,
    touched?: RowLookup,
  ): Promise<Loaded<State>> {
    if (from?.isPartial) return this.#toTailOfKept(kind, stream, from, touched);
    const loaded = from ?? { state: kind.initial(), revision: -1, lastAt: '' };
    const keeping = touched && this.#keeping(kind);
    const folded: RecordedEvent[] = [];
    let end: (() => void) | undefined;
    // The read begins with the last event that was folded: if that is another one, so is the log.
    let { revision: known, lastId } = loaded;
    if (lastId === undefined) known += 1;
    try {
      for await (const event of this.#store.read(stream, known)) {
        if (lastId !== undefined) {
          if (event.id !== lastId) break;
          lastId = undefined;
          continue;
        }
        foldInto(kind, loaded, event);
        if (loaded.cachedRevision !== undefined) folded.push(event);
        // States of long streams are large: one is built at a time.
        if (!end && keeping?.kept.isLong(kind, loaded)) end = await this.#longFolds.acquire();
      }
      if (lastId === undefined) await this.#keep(kind, stream, loaded, folded, touched);
    } finally {
      end?.();
    }
    if (lastId === undefined) return loaded;
    this.#cache.delete(stream);
    await this.#kept?.evict(stream);
    return this.#toTail(kind, stream, undefined, touched);
  }

  /** The touched rows at the tail, and those that the events behind the kept ones are about. */
  async #toTailOfKept<State, E extends DomainEvent>(
    kind: StreamKind<State, E>,
    stream: string,
    from: Loaded<State>,
    touched: RowLookup = {},
  ): Promise<Loaded<State>> {
    const keeping = this.#keeping(kind);
    if (!keeping) throw new Error(`No rows are kept of ${stream}`);
    const tail: RecordedEvent[] = [];
    for await (const event of this.#store.read(stream, from.revision + 1)) tail.push(event);
    if (tail.length === 0) return from;
    const { ids = [], ...keys } = touched;
    const lookup = { ...keys, ids: [...ids, ...idsOf(keeping.rowsOf, tail)] };
    const loaded = await keeping.kept.read(keeping.rowsOf, stream, lookup);
    if (!loaded) return this.#whole(kind, stream, touched);
    for (const event of tail) foldInto(kind, loaded, event);
    await this.#keep(kind, stream, loaded, tail, touched);
    return loaded;
  }

  /** Remembers a state that `events` led to: in memory, or by its rows. */
  async #keep<State, E extends DomainEvent>(
    kind: StreamKind<State, E>,
    stream: string,
    loaded: Loaded<State>,
    events: readonly Pick<RecordedEvent, 'type' | 'data'>[],
    touched: RowLookup | undefined,
  ): Promise<void> {
    const keeping = this.#keeping(kind);
    if (keeping && loaded.cachedRevision !== undefined) {
      const ids = idsOf(keeping.rowsOf, events);
      loaded.cachedRevision = await keeping.kept.update(keeping.rowsOf, stream, loaded, ids);
    } else if (keeping && touched && !loaded.isPartial && keeping.kept.isLong(kind, loaded)) {
      this.#cache.delete(stream);
      loaded.cachedRevision = await keeping.kept.store(keeping.rowsOf, stream, loaded);
    } else if (!loaded.isPartial) {
      this.#cache.set(stream, loaded, { size: Math.max(1, Math.round(kind.weigh(loaded.state))) });
    }
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

  /** Appends; an unknown outcome is repeated unchanged. Undefined when the stream had moved on. */
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

  /** Where these very events stand behind the revision they expected: an append of theirs was not in vain. */
  async #appendedAs(stream: string, events: readonly { id: string }[], expected: number) {
    // A step's first event can only stand right behind the revision it expected.
    const first = await this.#eventAt(stream, expected + 1);
    if (first?.id !== events[0]?.id) return undefined;
    const last = events.length === 1 ? first : await this.#eventAt(stream, expected + events.length);
    return last && { revision: last.revision, position: last.position };
  }

  /**
   * Whether this very step has been appended after `expected`. If so its answer is what was kept with it, or rebuilt: the
   * decision is pure, so deciding again on the state it was made on gives the same result.
   */
  async #finished<State, E extends ProductEvent, Result>(
    kind: StreamKind<State, E>,
    stream: string,
    stamp: AppendStamp,
    expected: number,
    decide: (state: State) => Decision<E, Result>,
    touched: RowLookup | undefined,
  ): Promise<Change<Result, State> | undefined> {
    const idsOfStep = (count: number) => Array.from({ length: count }, (_, index) => ({ id: stamp.eventId(index) }));
    if (!(await this.#appendedAs(stream, idsOfStep(1), expected))) return undefined;
    const { previousDecision: decidedBefore } = stamp;
    if (decidedBefore) {
      const appended = await this.#appendedAs(stream, idsOfStep(decidedBefore.events), expected);
      if (!appended) throw new Error(`${stream} holds a part of what was appended at once`);
      const { loaded, atTail } = await this.#open(kind, stream, touched);
      const { state } = atTail ? loaded : await this.#toTail(kind, stream, loaded, touched);
      return { result: decidedBefore.result as Result, state, ...appended };
    }
    const before: Loaded<State> = { state: kind.initial(), revision: -1, lastAt: '' };
    if (expected >= 0) {
      for await (const event of this.#store.read(stream, 0, expected + 1)) foldInto(kind, before, event);
    }
    const decision = decide(before.state);
    let position: bigint | undefined;
    for await (const event of this.#store.read(stream, expected + 1, decision.events.length)) {
      foldInto(kind, before, event);
      position = event.position;
    }
    return { result: decision.result, state: before.state, revision: before.revision, position };
  }

  async #eventAt(stream: string, revision: number): Promise<RecordedEvent | undefined> {
    for await (const event of this.#store.read(stream, revision, 1)) return event;
    return undefined;
  }
}

const idsOf = <State, E extends DomainEvent>(
  rowsOf: RowCodec<State, E>,
  events: readonly Pick<RecordedEvent, 'type' | 'data'>[],
): number[] => events.flatMap((event) => [...rowsOf.idsOf(event as unknown as E)]);

function foldInto<State, E extends DomainEvent>(
  kind: StreamKind<State, E>,
  loaded: Loaded<State>,
  event: RecordedEvent,
): void {
  if (event.revision !== loaded.revision + 1) return;
  requireDecodable(event);
  loaded.state = kind.evolve(loaded.state, event as unknown as E & { metadata: EventMetadata });
  loaded.revision = event.revision;
  loaded.lastId = event.id;
  loaded.lastAt = event.metadata.occurredAt;
}
