/** `Streams/Read`: one-off reads and subscriptions, of one stream and of `$all`. */
import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { EventIndex } from '../storage/event-index.ts';
import { DamagedLog } from '../storage/record.ts';
import type { ResolvedEvent, StreamReader } from '../storage/stream-reader.ts';
import { consumerTooSlow, damaged, invalidArgument, streamDeleted } from './errors.ts';
import { type EventFilter, eventFilter } from './filter.ts';
import type { Call } from './grpc.ts';
import { encoder, type Long, type ReadOptions, type ReadReq } from './protocol.ts';
import { withStructuredId } from './recorded-event.ts';

const encode = encoder('ReadResp');
/** Events are looked up and sent in portions, so that other calls have their turn in between. */
const PORTION = 256;
/** Names judged by a filter in one turn. */
const JUDGED_AT_ONCE = 8_192;
/** The real server's search window, when a filter names none. */
const DEFAULT_WINDOW = 32;
const BACKWARDS = 1;
/** Events that EventStoreDB 23.10 buffers for a live subscription. */
const LIVE_BUFFER = 32;

/** Sends to one call and waits when the client does not keep up. */
class Outlet {
  readonly gone: AbortSignal;
  readonly #call: Call;
  readonly #structuredIds: boolean;
  /** Throws while the client takes nothing and too much waits for it; undefined: the client may be as slow as it likes. */
  #requireTaking: (() => Promise<void>) | undefined;

  constructor(call: Call, structuredIds: boolean) {
    this.gone = call.gone;
    this.#call = call;
    this.#structuredIds = structuredIds;
  }

  async send(response: object): Promise<void> {
    if (!this.#call.send(encode(response))) await this.#drained();
    this.gone.throwIfAborted();
  }

  /** From now on, `waiting` counts the events that wait for the client; `published` resolves when there are more. */
  limitTo(most: number, waiting: () => number, published: () => Promise<void>): void {
    this.#requireTaking = async () => {
      await published();
      if (waiting() > most) throw consumerTooSlow();
    };
  }

  async #drained(): Promise<void> {
    const drained = this.#call.drained().then(() => true);
    if (!this.#requireTaking) await drained;
    else while (!(await Promise.race([drained, this.#requireTaking()])));
  }

  async sendEvents(events: Iterable<ResolvedEvent>): Promise<void> {
    const inForm = (bytes: Buffer) => (this.#structuredIds ? withStructuredId(bytes) : bytes);
    for (const { event, link, position } of events) {
      const content = { ...(event && { event: inForm(event) }), ...(link && { link: inForm(link) }) };
      if (this.#call.send(encode({ event: { ...content, commitPosition: position } }))) continue;
      await this.#drained();
      this.gone.throwIfAborted();
    }
    this.gone.throwIfAborted();
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

  /** Answers a call to its end. */
  async serve({ options }: ReadReq, call: Call): Promise<void> {
    try {
      if (options?.uuidOption == null) throw invalidArgument('`uuidOption` is a required argument');
      const outlet = new Outlet(call, options.uuidOption.content !== 'string');
      if (options.countOption === 'subscription') await this.#subscribe(options, outlet);
      else if (options.countOption === 'count') await this.#read(options, outlet);
      else throw invalidArgument('A read needs a count or a subscription');
      call.end();
    } catch (error) {
      call.fail(error instanceof DamagedLog ? damaged(error.message) : error);
    }
  }

  #read(options: ReadOptions, outlet: Outlet): Promise<void> {
    const count = options.count?.toNumber() ?? 0;
    if (options.streamOption === 'stream') return this.#readStream(options, count, outlet);
    if (options.streamOption === 'all') return this.#readAll(options, count, outlet);
    throw invalidArgument('A read needs a stream or $all');
  }

  async #readStream(options: ReadOptions, count: number, outlet: Outlet): Promise<void> {
    const stream = streamName(options);
    const step = options.readDirection === BACKWARDS ? -1 : 1;
    const state = this.#streams.state(stream);
    if (state === 'tombstoned') throw streamDeleted(stream);
    if (state === 'none') {
      await outlet.send({ streamNotFound: { streamIdentifier: { streamName: Buffer.from(stream) } } });
      return;
    }
    let from = edge(options.stream?.revisionOption, options.stream?.revision);
    if (step === -1) from = Math.min(from, this.#streams.head(stream));
    else from = Math.max(from, this.#streams.first(stream));
    for (let left = count; left > 0; ) {
      const ordinals = this.#streams.ordinals(stream, from, step, Math.min(PORTION, left));
      if (ordinals.length === 0) break;
      await this.#send(ordinals, options.resolveLinks, outlet);
      from += step * ordinals.length;
      left -= ordinals.length;
    }
    if (step === 1 && (options.controlOption?.compatibility ?? 0) >= 1) {
      await outlet.send({ lastStreamPosition: this.#streams.head(stream) });
    }
  }

  /** Forwards a position is the first event read; backwards, as on the real server, the first one left out. */
  async #readAll(options: ReadOptions, count: number, outlet: Outlet): Promise<void> {
    const passes = this.#filter(options);
    const position = edge(options.all?.allOption, options.all?.position?.commitPosition);
    const step = options.readDirection === BACKWARDS ? -1 : 1;
    let ordinal = this.#index.ordinalAt(position) + (step === -1 ? -1 : 0);
    // A read ends with what was there when it began.
    const end = step === -1 ? -1 : this.#index.visible;
    for (let left = count; left > 0 && (end - ordinal) * step > 0; ) {
      const ordinals: number[] = [];
      const turn = Math.min(JUDGED_AT_ONCE, (end - ordinal) * step);
      for (let judged = 0; judged < turn && ordinals.length < Math.min(PORTION, left); judged += 1, ordinal += step) {
        if (passes(ordinal)) ordinals.push(ordinal);
      }
      await this.#send(ordinals, options.resolveLinks, outlet);
      left -= ordinals.length;
    }
  }

  async #subscribe(options: ReadOptions, outlet: Outlet): Promise<void> {
    if (options.readDirection === BACKWARDS) throw invalidArgument('A subscription reads forwards');
    const confirmation = { subscriptionId: randomUUID() };
    if (options.streamOption === 'stream') {
      const stream = streamName(options);
      const after = startAfter(options.stream?.revisionOption, options.stream?.revision, this.#streams.head(stream));
      await outlet.send({ confirmation });
      await this.#followStream(stream, after + 1, options.resolveLinks, outlet);
    } else if (options.streamOption === 'all') {
      const { allOption, position } = options.all ?? {};
      const first = this.#firstAfter(allOption, position?.commitPosition);
      const filter = options.filterOption === 'filter' ? this.#checkpointing(options) : undefined;
      await outlet.send({ confirmation });
      await this.#followAll(first, filter, options.resolveLinks, outlet);
    } else throw invalidArgument('A subscription needs a stream or $all');
  }

  async #followStream(stream: string, first: number, resolveLinks: boolean, outlet: Outlet): Promise<void> {
    let caughtUp = false;
    let next = first;
    for (;;) {
      if (this.#streams.state(stream) === 'tombstoned') {
        if (caughtUp) await this.#send(this.#streams.tombstone(stream), false, outlet);
        throw streamDeleted(stream);
      }
      const from = Math.max(next, this.#streams.first(stream));
      const ordinals = this.#streams.ordinals(stream, from, 1, PORTION);
      if (ordinals.length > 0) {
        await this.#send(ordinals, resolveLinks, outlet);
        next = from + ordinals.length;
        continue;
      }
      // A wake-up for another stream's events costs this look and comes once per commit group.
      if (caughtUp) await this.#published(outlet);
      else await outlet.send({ caughtUp: {} });
      if (!caughtUp) this.#limit(outlet, () => this.#streams.head(stream) + 1 - next);
      caughtUp = true;
    }
  }

  /** Ends a live subscription whose client is too far behind, as servers up to 23.10 do; where that is wished. */
  #limit(outlet: Outlet, waiting: () => number): void {
    if (this.#endsSlowSubscriptions) outlet.limitTo(LIVE_BUFFER, waiting, () => this.#published(outlet));
  }

  async #followAll(
    first: number,
    filter: Checkpointing | undefined,
    resolveLinks: boolean,
    outlet: Outlet,
  ): Promise<void> {
    let caughtUp = false;
    /** Where the portion begins that is being sent. */
    let portion = first;
    for (let next = first; ; ) {
      portion = next;
      const until = Math.min(this.#index.visible, next + PORTION);
      let passing: number[] = [];
      for (; next < until; next += 1) {
        if (!filter || filter.passes(next)) passing.push(next);
        if (!filter?.isDue()) continue;
        await this.#send(passing, resolveLinks, outlet);
        passing = [];
        await this.#checkpoint(next, filter, outlet);
      }
      await this.#send(passing, resolveLinks, outlet);
      if (next < this.#index.visible) continue;
      if (!caughtUp) {
        if (filter && next > first) await this.#checkpoint(next - 1, filter, outlet);
        await outlet.send({ caughtUp: {} });
        this.#limit(outlet, () => this.#index.visible - portion);
        caughtUp = true;
      }
      if (next >= this.#index.visible) await this.#published(outlet);
    }
  }

  /** Tells how far a filtered subscription has come, once for each place. */
  async #checkpoint(ordinal: number, filter: Checkpointing, outlet: Outlet): Promise<void> {
    if (ordinal < 0 || ordinal <= filter.told) return;
    filter.told = ordinal;
    const position = this.#index.position(ordinal);
    await outlet.send({ checkpoint: { commitPosition: position, preparePosition: position } });
  }

  async #send(ordinals: readonly number[], resolveLinks: boolean, outlet: Outlet): Promise<void> {
    // Judging names alone never waits; others must have their turn all the same.
    if (ordinals.length === 0) await setImmediate();
    await outlet.sendEvents(this.#streams.resolve(ordinals, resolveLinks));
  }

  /** Resolves with the next commit group, or when the caller hangs up. */
  async #published(outlet: Outlet): Promise<void> {
    const { gone } = outlet;
    await new Promise<void>((resolve) => {
      const forget = this.#index.onNext(() => {
        gone.removeEventListener('abort', leave);
        resolve();
      });
      const leave = () => {
        forget();
        resolve();
      };
      gone.addEventListener('abort', leave, { once: true });
      if (gone.aborted) leave();
    });
    gone.throwIfAborted();
  }

  #firstAfter(option: 'position' | 'start' | 'end' | undefined, position: Long | undefined): number {
    if (option === 'end') return this.#index.visible;
    return option === 'position' && position ? this.#index.ordinalAt(position.toNumber() + 1) : 0;
  }

  #filter(options: ReadOptions): EventFilter {
    if (options.filterOption !== 'filter' || options.filter === null) return () => true;
    return eventFilter(options.filter, this.#index);
  }

  #checkpointing(options: ReadOptions): Checkpointing {
    const multiplier = options.filter?.checkpointIntervalMultiplier ?? 0;
    if (multiplier === 0) throw invalidArgument('checkpointIntervalMultiplier must be greater than zero');
    const window = options.filter?.window === 'max' ? (options.filter.max ?? DEFAULT_WINDOW) : DEFAULT_WINDOW;
    return new Checkpointing(this.#filter(options), window * multiplier);
  }
}

/** A filter that counts what it has judged: after each interval a checkpoint is due. */
class Checkpointing {
  told = -1;
  #judged = 0;
  readonly #filter: EventFilter;
  readonly #interval: number;

  constructor(filter: EventFilter, interval: number) {
    this.#filter = filter;
    this.#interval = interval;
  }

  passes(ordinal: number): boolean {
    this.#judged += 1;
    return this.#filter(ordinal);
  }

  isDue(): boolean {
    if (this.#judged < this.#interval) return false;
    this.#judged = 0;
    return true;
  }
}

function streamName(options: ReadOptions): string {
  const name = Buffer.from(options.stream?.streamIdentifier?.streamName ?? []).toString();
  if (name === '') throw invalidArgument('A stream needs a name');
  return name;
}

/** Where a read begins. */
function edge(option: string | undefined, at: Long | null | undefined): number {
  if (option === 'end') return Number.POSITIVE_INFINITY;
  return option === 'start' || !at ? 0 : at.toNumber();
}

/** The revision behind which a subscription begins. */
function startAfter(option: string | undefined, revision: Long | null | undefined, head: number): number {
  if (option === 'end') return head;
  return option === 'revision' && revision ? revision.toNumber() : -1;
}
