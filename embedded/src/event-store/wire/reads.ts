/** Serves `Streams/Read`: reads of, and subscriptions to, one stream or `$all`. */
import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { EventIndex } from '../storage/index/event-index.ts';
import { DamagedLog } from '../storage/record.ts';
import type { ResolvedEvent, StreamReader } from '../storage/stream-reader.ts';
import { consumerTooSlow, damaged, invalidArgument, streamDeleted } from './errors.ts';
import { type EventFilter, eventFilter } from './filter.ts';
import type { Call } from './grpc.ts';
import { encoder, type Long, type ReadOptions, type ReadReq } from './protocol.ts';
import { withStructuredId } from './recorded-event.ts';

const encode = encoder('ReadResp');
/** Number of events in a page. Between two pages, other calls are served. */
const PAGE_EVENTS = 256;
/** The number of events that a filter tests in one turn. Between two turns, other calls are served. */
const FILTERED_PER_TURN = 8_192;
/** The search window of EventStoreDB if a filter specifies none. */
const DEFAULT_WINDOW = 32;
const BACKWARDS = 1;
/** The number of events that EventStoreDB 23.10 buffers for a live subscription. */
const LIVE_BUFFER = 32;

/** Sends the responses of one call, and waits while the client reads too slowly. */
class ResponseSender {
  readonly closed: AbortSignal;
  readonly #call: Call;
  readonly #structuredIds: boolean;
  /** Waits for new events; throws if too many events wait for the client. Undefined if there is no limit. */
  #requireProgress: (() => Promise<void>) | undefined;

  constructor(call: Call, structuredIds: boolean) {
    this.closed = call.closed;
    this.#call = call;
    this.#structuredIds = structuredIds;
  }

  async send(response: object): Promise<void> {
    if (!this.#call.send(encode(response))) await this.#drained();
    this.closed.throwIfAborted();
  }

  /**
   * Limits the number of events that wait for the client. `waitingCount` returns this number; `nextPublish` resolves
   * when new events exist.
   */
  limitBacklog(maxWaiting: number, waitingCount: () => number, nextPublish: () => Promise<void>): void {
    this.#requireProgress = async () => {
      await nextPublish();
      if (waitingCount() > maxWaiting) throw consumerTooSlow();
    };
  }

  async #drained(): Promise<void> {
    const drained = this.#call.drained().then(() => true);
    if (!this.#requireProgress) await drained;
    else while (!(await Promise.race([drained, this.#requireProgress()])));
  }

  async sendEvents(events: Iterable<ResolvedEvent>): Promise<void> {
    const withRequestedId = (bytes: Buffer) => (this.#structuredIds ? withStructuredId(bytes) : bytes);
    for (const { event, link, position } of events) {
      const content = { ...(event && { event: withRequestedId(event) }), ...(link && { link: withRequestedId(link) }) };
      if (this.#call.send(encode({ event: { ...content, commitPosition: position } }))) continue;
      await this.#drained();
      this.closed.throwIfAborted();
    }
    this.closed.throwIfAborted();
  }
}

export class ReadService {
  readonly #index: EventIndex;
  readonly #streams: StreamReader;
  readonly #endsSlowSubscriptions: boolean;

  constructor(index: EventIndex, streams: StreamReader, { endsSlowSubscriptions = false } = {}) {
    this.#index = index;
    this.#streams = streams;
    this.#endsSlowSubscriptions = endsSlowSubscriptions;
  }

  async serve({ options }: ReadReq, call: Call): Promise<void> {
    try {
      if (options?.uuidOption == null) throw invalidArgument('`uuidOption` is a required argument');
      const sender = new ResponseSender(call, options.uuidOption.content !== 'string');
      if (options.countOption === 'subscription') await this.#subscribe(options, sender);
      else if (options.countOption === 'count') await this.#read(options, sender);
      else throw invalidArgument('A read needs a count or a subscription');
      call.end();
    } catch (error) {
      call.fail(error instanceof DamagedLog ? damaged(error.message) : error);
    }
  }

  #read(options: ReadOptions, sender: ResponseSender): Promise<void> {
    const count = options.count?.toNumber() ?? 0;
    if (options.streamOption === 'stream') return this.#readStream(options, count, sender);
    if (options.streamOption === 'all') return this.#readAll(options, count, sender);
    throw invalidArgument('A read needs a stream or $all');
  }

  async #readStream(options: ReadOptions, count: number, sender: ResponseSender): Promise<void> {
    const stream = streamName(options);
    const step = options.readDirection === BACKWARDS ? -1 : 1;
    const state = this.#streams.state(stream);
    if (state === 'tombstoned') throw streamDeleted(stream);
    if (state === 'none') {
      await sender.send({ streamNotFound: { streamIdentifier: { streamName: Buffer.from(stream) } } });
      return;
    }
    let from = startPosition(options.stream?.revisionOption, options.stream?.revision);
    if (step === -1) from = Math.min(from, this.#streams.head(stream));
    for (let remaining = count; remaining > 0; ) {
      // The first events of the stream may have been dropped since the last page.
      if (step === 1) from = Math.max(from, this.#streams.first(stream));
      const ordinals = this.#streams.ordinals(stream, from, step, Math.min(PAGE_EVENTS, remaining));
      if (ordinals.length === 0) break;
      await this.#send(ordinals, options.resolveLinks, sender);
      from += step * ordinals.length;
      remaining -= ordinals.length;
    }
    if (step === 1 && (options.controlOption?.compatibility ?? 0) >= 1) {
      await sender.send({ lastStreamPosition: this.#streams.head(stream) });
    }
  }

  /**
   * Reads `$all` from a position. A forward read begins with the event at the position. A backward read begins with the
   * event before the position, like in EventStoreDB.
   */
  async #readAll(options: ReadOptions, count: number, sender: ResponseSender): Promise<void> {
    const matches = this.#filter(options);
    const position = startPosition(options.all?.allOption, options.all?.position?.commitPosition);
    const step = options.readDirection === BACKWARDS ? -1 : 1;
    let ordinal = this.#index.ordinalAt(position) + (step === -1 ? -1 : 0);
    // A read ends with the events that existed when it began.
    const end = step === -1 ? -1 : this.#index.visible;
    for (let remaining = count; remaining > 0 && (end - ordinal) * step > 0; ) {
      const ordinals: number[] = [];
      const turnLength = Math.min(FILTERED_PER_TURN, (end - ordinal) * step);
      for (
        let tested = 0;
        tested < turnLength && ordinals.length < Math.min(PAGE_EVENTS, remaining);
        tested += 1, ordinal += step
      ) {
        if (!this.#index.isDropped(ordinal) && matches(ordinal)) ordinals.push(ordinal);
      }
      await this.#send(ordinals, options.resolveLinks, sender);
      remaining -= ordinals.length;
    }
  }

  async #subscribe(options: ReadOptions, sender: ResponseSender): Promise<void> {
    if (options.readDirection === BACKWARDS) throw invalidArgument('A subscription reads forwards');
    const confirmation = { subscriptionId: randomUUID() };
    if (options.streamOption === 'stream') {
      const stream = streamName(options);
      const after = startAfter(options.stream?.revisionOption, options.stream?.revision, this.#streams.head(stream));
      await sender.send({ confirmation });
      await this.#followStream(stream, after + 1, options.resolveLinks, sender);
    } else if (options.streamOption === 'all') {
      const { allOption, position } = options.all ?? {};
      const first = this.#firstAfter(allOption, position?.commitPosition);
      const filter = options.filterOption === 'filter' ? this.#checkpointingFilter(options) : undefined;
      await sender.send({ confirmation });
      await this.#followAll(first, filter, options.resolveLinks, sender);
    } else throw invalidArgument('A subscription needs a stream or $all');
  }

  async #followStream(stream: string, first: number, resolveLinks: boolean, sender: ResponseSender): Promise<void> {
    let isCaughtUp = false;
    let next = first;
    for (;;) {
      if (this.#streams.state(stream) === 'tombstoned') {
        if (isCaughtUp) await this.#send(this.#streams.tombstone(stream), false, sender);
        throw streamDeleted(stream);
      }
      const from = Math.max(next, this.#streams.first(stream));
      const ordinals = this.#streams.ordinals(stream, from, 1, PAGE_EVENTS);
      if (ordinals.length > 0) {
        await this.#send(ordinals, resolveLinks, sender);
        next = from + ordinals.length;
        continue;
      }
      // Each commit group wakes each live subscription, because the group can contain events of any stream.
      if (isCaughtUp) await this.#nextPublish(sender);
      else await sender.send({ caughtUp: {} });
      if (!isCaughtUp) this.#limitBacklog(sender, () => this.#streams.head(stream) + 1 - next);
      isCaughtUp = true;
    }
  }

  /** With `endsSlowSubscriptions`, ends the live subscription of a slow client, like EventStoreDB up to 23.10. */
  #limitBacklog(sender: ResponseSender, waitingCount: () => number): void {
    if (this.#endsSlowSubscriptions) sender.limitBacklog(LIVE_BUFFER, waitingCount, () => this.#nextPublish(sender));
  }

  async #followAll(
    first: number,
    filter: CheckpointingFilter | undefined,
    resolveLinks: boolean,
    sender: ResponseSender,
  ): Promise<void> {
    let isCaughtUp = false;
    /** The first ordinal of the page that is being sent. */
    let pageStart = first;
    for (let next = first; ; ) {
      pageStart = next;
      const until = Math.min(this.#index.visible, next + PAGE_EVENTS);
      let matching: number[] = [];
      for (; next < until; next += 1) {
        if (!this.#index.isDropped(next) && (!filter || filter.matches(next))) matching.push(next);
        if (!filter?.isDue()) continue;
        await this.#send(matching, resolveLinks, sender);
        matching = [];
        await this.#checkpoint(next, filter, sender);
      }
      await this.#send(matching, resolveLinks, sender);
      if (next < this.#index.visible) continue;
      if (!isCaughtUp) {
        if (filter && next > first) await this.#checkpoint(next - 1, filter, sender);
        await sender.send({ caughtUp: {} });
        this.#limitBacklog(sender, () => this.#index.visible - pageStart);
        isCaughtUp = true;
      }
      if (next >= this.#index.visible) await this.#nextPublish(sender);
    }
  }

  /** Sends the position of a filtered subscription, unless it was sent before. */
  async #checkpoint(ordinal: number, filter: CheckpointingFilter, sender: ResponseSender): Promise<void> {
    if (ordinal < 0 || ordinal <= filter.lastSent) return;
    filter.lastSent = ordinal;
    const position = this.#index.position(ordinal);
    await sender.send({ checkpoint: { commitPosition: position, preparePosition: position } });
  }

  async #send(ordinals: readonly number[], resolveLinks: boolean, sender: ResponseSender): Promise<void> {
    // Lets other calls run, because a search that found no event to send has not paused.
    if (ordinals.length === 0) await setImmediate();
    await sender.sendEvents(this.#streams.resolve(ordinals, resolveLinks));
  }

  /** Resolves when the next commit group is published; throws when the call ends. */
  async #nextPublish(sender: ResponseSender): Promise<void> {
    const { closed } = sender;
    await new Promise<void>((resolve) => {
      const unsubscribe = this.#index.onNext(() => {
        closed.removeEventListener('abort', cancel);
        resolve();
      });
      const cancel = () => {
        unsubscribe();
        resolve();
      };
      closed.addEventListener('abort', cancel, { once: true });
      if (closed.aborted) cancel();
    });
    closed.throwIfAborted();
  }

  #firstAfter(option: 'position' | 'start' | 'end' | undefined, position: Long | undefined): number {
    if (option === 'end') return this.#index.visible;
    return option === 'position' && position ? this.#index.ordinalAt(position.toNumber() + 1) : 0;
  }

  #filter(options: ReadOptions): EventFilter {
    if (options.filterOption !== 'filter' || options.filter === null) return () => true;
    return eventFilter(options.filter, this.#index);
  }

  #checkpointingFilter(options: ReadOptions): CheckpointingFilter {
    const multiplier = options.filter?.checkpointIntervalMultiplier ?? 0;
    if (multiplier === 0) throw invalidArgument('checkpointIntervalMultiplier must be greater than zero');
    const window = options.filter?.window === 'max' ? (options.filter.max ?? DEFAULT_WINDOW) : DEFAULT_WINDOW;
    return new CheckpointingFilter(this.#filter(options), window * multiplier);
  }
}

/** A filter that counts the tested events, because a subscription must send a checkpoint after each interval. */
class CheckpointingFilter {
  lastSent = -1;
  #tested = 0;
  readonly #filter: EventFilter;
  readonly #interval: number;

  constructor(filter: EventFilter, interval: number) {
    this.#filter = filter;
    this.#interval = interval;
  }

  matches(ordinal: number): boolean {
    this.#tested += 1;
    return this.#filter(ordinal);
  }

  isDue(): boolean {
    if (this.#tested < this.#interval) return false;
    this.#tested = 0;
    return true;
  }
}

function streamName(options: ReadOptions): string {
  const name = Buffer.from(options.stream?.streamIdentifier?.streamName ?? []).toString();
  if (name === '') throw invalidArgument('A stream needs a name');
  return name;
}

/** Returns the first position or revision of a read. */
function startPosition(option: string | undefined, at: Long | null | undefined): number {
  if (option === 'end') return Number.POSITIVE_INFINITY;
  return option === 'start' || !at ? 0 : at.toNumber();
}

/** Returns the revision after which a subscription begins. */
function startAfter(option: string | undefined, revision: Long | null | undefined, head: number): number {
  if (option === 'end') return head;
  return option === 'revision' && revision ? revision.toNumber() : -1;
}
