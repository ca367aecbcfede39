/**
 * Loads the folded states of streams, and caches them in memory or, for long streams, in the row cache. Changes each
 * stream one command at a time in this process, and appends at exact revisions.
 */
import { type DomainEvent, type ProductEvent, parseStream, type RecordedEvent, Refusal } from '@rdm/contracts';
import { type EventStore, type NewEvent, requireDecodable, UnknownOutcome, WrongRevision } from '@rdm/platform';
import { LRUCache } from 'lru-cache';
import type { AppendStamp, Change } from './append-stamp.ts';
import type { Decision } from './decision.ts';
import { emptyStream, foldInto, idsOf, type StreamKind } from './fold.ts';
import type { LoadedStream } from './loaded-stream.ts';
import { Mutex } from './mutex.ts';
import type { RowCache, RowLookup } from './row-cache.ts';

/** The categories of streams with rows of an entity, each with the category of the entity. */
const ENTITY_CATEGORY: Readonly<Record<string, string>> = {
  instances: 'dataSet',
  mappings: 'crosswalk',
  relationshipValues: 'relationship',
};

const CREATED_ENTITIES = 1_000;
const CACHE_BYTES = 64 * 1024 * 1024;
const APPEND_ATTEMPTS = 5;
const CONFLICT_ATTEMPTS = 100;

export class Streams {
  readonly #store: EventStore;
  readonly #rowCache: RowCache | undefined;
  readonly #cache: LRUCache<string, LoadedStream<unknown>>;
  /** By stream of an entity that this process created: the streams of its rows on which this process has decided. */
  readonly #created = new LRUCache<string, Set<string>>({ max: CREATED_ENTITIES });
  readonly #queues = new Map<string, Promise<unknown>>();
  readonly #waitingLoads = new Map<string, Promise<LoadedStream<unknown>>>();
  readonly #longFolds = new Mutex();

  constructor(
    store: EventStore,
    { cacheBytes = CACHE_BYTES, rowCache }: { cacheBytes?: number; rowCache?: RowCache } = {},
  ) {
    this.#store = store;
    this.#rowCache = rowCache;
    this.#cache = new LRUCache({ maxSize: cacheBytes });
  }

  /**
   * Loads the current state of a stream; of a long stream only the `touched` rows, if given. Callers must read the
   * state before any await, because a later command can change the state in place. While a load of a whole state waits,
   * further loads of this state share its result.
   */
  async load<State, E extends DomainEvent>(
    kind: StreamKind<State, E>,
    stream: string,
    touched?: RowLookup,
  ): Promise<LoadedStream<State>> {
    if (touched && this.#caching(kind)) {
      return this.#runSerially(stream, async () => {
        const { loaded, atTail } = await this.#loadForDecision(kind, stream, touched);
        return atTail ? loaded : this.#readToTail(kind, stream, loaded, touched);
      });
    }
    const waiting = this.#waitingLoads.get(stream);
    if (waiting) return waiting as Promise<LoadedStream<State>>;
    const load = this.#runSerially(stream, () => {
      this.#waitingLoads.delete(stream);
      return this.#readToTail(kind, stream, this.#cached<State>(stream));
    });
    this.#waitingLoads.set(stream, load);
    return load;
  }

  /** Position of the last event of the log. */
  async end(): Promise<bigint | undefined> {
    return (await this.#store.head())?.commit;
  }

  /** The events of a stream from its beginning, for decisions that depend on its history. */
  async *events(stream: string): AsyncIterable<RecordedEvent> {
    for await (const event of this.#store.read(stream)) {
      requireDecodable(event);
      yield event;
    }
  }

  /**
   * Caches the rows of a long stream, so that the next decision need not read the stream. Returns false for a short
   * stream, whose rows are not cached.
   */
  async cacheRows<State, E extends DomainEvent>(kind: StreamKind<State, E>, stream: string): Promise<boolean> {
    return this.#runSerially(stream, async () => {
      this.#cache.delete(stream);
      const { loaded, atTail } = await this.#loadForDecision(kind, stream, {});
      const { isPartial, cachedRevision } = atTail ? loaded : await this.#readToTail(kind, stream, loaded, {});
      // This process will probably not decide on the stream soon.
      this.#cache.delete(stream);
      return isPartial === true || cachedRevision !== undefined;
    });
  }

  /**
   * Decides on a stream and appends the events. The first decision uses a cached state, or an empty state for a stream
   * that is probably new. Before a refusal, before an empty result and after a conflict, reads the stream to its end
   * and decides again. Two calls with the same stamp have one effect. Of a long stream, the state has only the
   * `touched` rows.
   */
  async change<State, E extends ProductEvent, Result>(
    kind: StreamKind<State, E>,
    stream: string,
    stamp: AppendStamp,
    decide: (state: State) => Decision<E, Result>,
    touched?: RowLookup,
  ): Promise<Change<Result, State>> {
    return this.#runSerially(stream, async () => {
      if (stamp.previousExpected !== undefined) {
        const finished = await this.#finishedResult(kind, stream, stamp, stamp.previousExpected, decide, touched);
        if (finished) return finished;
      }
      let isAssumedEmpty = this.#isProbablyNew(stream);
      let { loaded, atTail } = isAssumedEmpty
        ? { loaded: emptyStream(kind), atTail: false }
        : await this.#loadForDecision(kind, stream, touched);
      const readToTail = async () => {
        if (isAssumedEmpty) {
          isAssumedEmpty = false;
          ({ loaded, atTail } = await this.#loadForDecision(kind, stream, touched));
          if (atTail) return;
        }
        loaded = await this.#readToTail(kind, stream, loaded, touched);
        atTail = true;
      };
      for (let attempt = 0; attempt < CONFLICT_ATTEMPTS; attempt++) {
        let decision: Decision<E, Result>;
        try {
          decision = decide(loaded.state);
        } catch (error) {
          if (atTail || !(error instanceof Refusal)) throw error;
          await readToTail();
          continue;
        }
        if (decision.events.length === 0) {
          if (atTail) {
            const { state, revision } = loaded;
            return { result: decision.result, state, revision, position: undefined };
          }
          await readToTail();
          continue;
        }
        const expected = loaded.revision;
        const events = this.#stamped(decision.events, stamp, loaded.lastAt);
        const isLong = loaded.isPartial || loaded.cachedRevision !== undefined;
        await stamp.beforeAppend(expected, isLong ? { result: decision.result, events: events.length } : undefined);
        const appended =
          (await this.#tryAppend(stream, events, expected)) ?? (await this.#findAppended(stream, events, expected));
        if (appended) {
          for (const event of events) {
            foldInto(kind, loaded, { ...event, revision: loaded.revision + 1 } as unknown as RecordedEvent);
          }
          await this.#remember(kind, stream, loaded, events, touched);
          return { result: decision.result, state: loaded.state, ...appended };
        }
        await readToTail();
        // If the cached rows are ahead of the log, they belong to another copy of the log.
        if (loaded.isPartial && loaded.revision === expected) {
          await this.#rowCache?.evict(stream);
          loaded = await this.#loadWhole(kind, stream, touched);
        }
      }
      throw new Refusal('UNAVAILABLE', 'Too many people are changing this at once. Please try again.', undefined, 1);
    });
  }

  #cached<State>(stream: string): LoadedStream<State> | undefined {
    return this.#cache.get(stream) as LoadedStream<State> | undefined;
  }

  /** Runs work on a stream when earlier work on the stream has ended, with success or not. */
  #runSerially<T>(stream: string, work: () => Promise<T>): Promise<T> {
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

  /** The row cache and codec, for kinds whose rows are cached. */
  #caching<State, E extends DomainEvent>({ rowsOf }: StreamKind<State, E>) {
    return this.#rowCache && rowsOf ? { rowCache: this.#rowCache, rowsOf } : undefined;
  }

  /**
   * Loads a state to decide on: from memory, from the row cache, or by a read of the whole stream. Only a read of the
   * stream returns a state that is certainly current (`atTail`).
   */
  async #loadForDecision<State, E extends DomainEvent>(
    kind: StreamKind<State, E>,
    stream: string,
    touched: RowLookup | undefined,
  ): Promise<{ loaded: LoadedStream<State>; atTail: boolean }> {
    const caching = touched && this.#caching(kind);
    const cached =
      this.#cached<State>(stream) ??
      (caching ? await caching.rowCache.read(caching.rowsOf, stream, touched) : undefined);
    if (cached) return { loaded: cached, atTail: false };
    return { loaded: await this.#loadWhole(kind, stream, touched), atTail: true };
  }

  /**
   * Whether this process created the entity of the rows and now makes its first decision on the stream; records the
   * decision. If another process has written the stream, the append finds another revision, and the stream is read.
   */
  #isProbablyNew(stream: string): boolean {
    const { category, id } = parseStream(stream);
    const decidedOn = this.#created.get(`${ENTITY_CATEGORY[category]}-${id}`);
    if (decidedOn === undefined || decidedOn.has(stream) || this.#cache.has(stream)) return false;
    decidedOn.add(stream);
    return true;
  }

  #loadWhole<State, E extends DomainEvent>(
    kind: StreamKind<State, E>,
    stream: string,
    touched: RowLookup | undefined,
  ): Promise<LoadedStream<State>> {
    return this.#readToTail(kind, stream, undefined, touched);
  }

  async #readToTail<State, E extends DomainEvent>(
    kind: StreamKind<State, E>,
    stream: string,
    from: LoadedStream<State> | undefined,
    touched?: RowLookup,
  ): Promise<LoadedStream<State>> {
    if (from?.isPartial) return this.#readCachedToTail(kind, stream, from, touched);
    const loaded = from ?? emptyStream(kind);
    const caching = touched && this.#caching(kind);
    const folded: RecordedEvent[] = [];
    let releaseFold: (() => void) | undefined;
    // Read the last folded event again: if its id differs, the log was replaced by another copy.
    let { revision: firstRevision, lastId } = loaded;
    if (lastId === undefined) firstRevision += 1;
    try {
      for await (const event of this.#store.read(stream, firstRevision)) {
        if (lastId !== undefined) {
          if (event.id !== lastId) break;
          lastId = undefined;
          continue;
        }
        foldInto(kind, loaded, event);
        if (loaded.cachedRevision !== undefined) folded.push(event);
        // States of long streams are large: build one at a time.
        if (!releaseFold && caching?.rowCache.isLong(kind, loaded)) releaseFold = await this.#longFolds.acquire();
      }
      if (lastId === undefined) await this.#remember(kind, stream, loaded, folded, touched);
    } finally {
      releaseFold?.();
    }
    if (lastId === undefined) return loaded;
    this.#cache.delete(stream);
    await this.#rowCache?.evict(stream);
    return this.#readToTail(kind, stream, undefined, touched);
  }

  /**
   * Reads the touched rows and all rows that changed since the cached revision, and folds the events after that
   * revision.
   */
  async #readCachedToTail<State, E extends DomainEvent>(
    kind: StreamKind<State, E>,
    stream: string,
    from: LoadedStream<State>,
    touched: RowLookup = {},
  ): Promise<LoadedStream<State>> {
    const caching = this.#caching(kind);
    if (!caching) throw new Error(`Rows of ${stream} are not cached`);
    const tail: RecordedEvent[] = [];
    for await (const event of this.#store.read(stream, from.revision + 1)) tail.push(event);
    if (tail.length === 0) return from;
    const { ids = [], ...keys } = touched;
    const lookup = { ...keys, ids: [...ids, ...idsOf(caching.rowsOf, tail)] };
    const loaded = await caching.rowCache.read(caching.rowsOf, stream, lookup);
    if (!loaded) return this.#loadWhole(kind, stream, touched);
    for (const event of tail) foldInto(kind, loaded, event);
    await this.#remember(kind, stream, loaded, tail, touched);
    return loaded;
  }

  /**
   * Stores a state in memory, or in the row cache: the rows that `events` changed or, if none is cached yet, all rows.
   */
  async #remember<State, E extends DomainEvent>(
    kind: StreamKind<State, E>,
    stream: string,
    loaded: LoadedStream<State>,
    events: readonly Pick<RecordedEvent, 'type' | 'data'>[],
    touched: RowLookup | undefined,
  ): Promise<void> {
    const caching = this.#caching(kind);
    if (caching && loaded.cachedRevision !== undefined) {
      const ids = idsOf(caching.rowsOf, events);
      loaded.cachedRevision = await caching.rowCache.update(caching.rowsOf, stream, loaded, ids);
    } else if (caching && touched && !loaded.isPartial && caching.rowCache.isLong(kind, loaded)) {
      this.#cache.delete(stream);
      loaded.cachedRevision = await caching.rowCache.store(caching.rowsOf, stream, loaded);
    } else if (!loaded.isPartial) {
      this.#cache.set(stream, loaded, { size: Math.max(1, Math.round(kind.estimateBytes(loaded.state))) });
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

  /** Appends, and repeats the append if its outcome is unknown. Returns undefined if the revision was wrong. */
  async #tryAppend(stream: string, events: readonly NewEvent[], revision: number) {
    const expected = revision < 0 ? 'NO_STREAM' : revision;
    for (let attempt = 1; ; attempt++) {
      try {
        const appended = await this.#store.append(stream, events, expected);
        if (revision < 0 && parseStream(stream).bucket === undefined) this.#created.set(stream, new Set());
        return appended;
      } catch (error) {
        if (error instanceof WrongRevision) return undefined;
        if (!(error instanceof UnknownOutcome) || attempt === APPEND_ATTEMPTS) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50 * 2 ** attempt));
      }
    }
  }

  /** Returns the last revision and position of these events, if they directly follow the expected revision. */
  async #findAppended(stream: string, events: readonly { id: string }[], expected: number) {
    const first = await this.#eventAt(stream, expected + 1);
    if (first?.id !== events[0]?.id) return undefined;
    const last = events.length === 1 ? first : await this.#eventAt(stream, expected + events.length);
    return last && { revision: last.revision, position: last.position };
  }

  /**
   * Returns the result of a step that was already appended: the stored result or, because deciders are pure, the result
   * of deciding again on the same state. Returns undefined if the step was not appended.
   */
  async #finishedResult<State, E extends ProductEvent, Result>(
    kind: StreamKind<State, E>,
    stream: string,
    stamp: AppendStamp,
    expected: number,
    decide: (state: State) => Decision<E, Result>,
    touched: RowLookup | undefined,
  ): Promise<Change<Result, State> | undefined> {
    const stepEvents = (count: number) => Array.from({ length: count }, (_, index) => ({ id: stamp.eventId(index) }));
    if (!(await this.#findAppended(stream, stepEvents(1), expected))) return undefined;
    const { previousDecision } = stamp;
    if (previousDecision) {
      const appended = await this.#findAppended(stream, stepEvents(previousDecision.events), expected);
      if (!appended) throw new Error(`${stream} has only some of the events of one append`);
      const { loaded, atTail } = await this.#loadForDecision(kind, stream, touched);
      const { state } = atTail ? loaded : await this.#readToTail(kind, stream, loaded, touched);
      return { result: previousDecision.result as Result, state, ...appended };
    }
    const replayed: LoadedStream<State> = { state: kind.initial(), revision: -1, lastAt: '' };
    if (expected >= 0) {
      for await (const event of this.#store.read(stream, 0, expected + 1)) foldInto(kind, replayed, event);
    }
    const decision = decide(replayed.state);
    let position: bigint | undefined;
    for await (const event of this.#store.read(stream, expected + 1, decision.events.length)) {
      foldInto(kind, replayed, event);
      position = event.position;
    }
    return { result: decision.result, state: replayed.state, revision: replayed.revision, position };
  }

  async #eventAt(stream: string, revision: number): Promise<RecordedEvent | undefined> {
    for await (const event of this.#store.read(stream, revision, 1)) return event;
    return undefined;
  }
}
