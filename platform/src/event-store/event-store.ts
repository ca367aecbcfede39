/** Speaks to the event store, through the official client and a small surface of it; append-client.ts replaces the client of appends. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AllStreamResolvedEvent,
  END,
  ErrorType,
  type EventData,
  EventStoreDBClient,
  jsonEvent,
  NO_STREAM,
  type ResolvedEvent,
  START,
  type RecordedEvent as StoredEvent,
  streamNameFilter,
} from '@eventstore/db-client';
import { GossipClient } from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import gossip from '@eventstore/db-client/generated/gossip_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import {
  ACCESS_STREAM,
  currentVersion,
  type DomainEvent,
  type EventMetadata,
  type EventStoreMember,
  eventsByCategory,
  parseStream,
  type RecordedEvent,
  Refusal,
  upcast,
  validateEvent,
} from '@rdm/contracts';
import { unreadRows } from '../postgres/written-rows.ts';
import type { Metrics } from '../service/metrics.ts';
import { AppendClient } from './append-client.ts';
import { DISK_FULL } from './disk-full.ts';
import { describeOldStore, describeStoreProblem } from './event-store-problem.ts';

/** The revision a stream must have for an append to succeed: an exact one, or that it holds nothing. */
export type ExpectedRevision = number | 'NO_STREAM';

/** An event as it is appended; its id makes a repeated append recognisable. What comes as JSON is taken as it is. */
export interface NewEvent extends DomainEvent {
  id: string;
  metadata: Omit<EventMetadata, 'schemaVersion'>;
}

/** An event of `$all`: with the second half of its position, which resuming a subscription needs. */
export type LoggedEvent = RecordedEvent & {
  prepare: bigint;
  /** What its data take in the log, where that is known without looking. */
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
  /** Everything that the log held was delivered; what follows is new. May be delivered again. */
  isCaughtUp?: true;
}

export const isMark = (item: object): item is LogMark => 'reached' in item || 'isCaughtUp' in item;

/** Somebody else appended first. */
export class WrongRevision extends Error {
  readonly stream: string;
  constructor(stream: string) {
    super(`${stream} has moved on`);
    this.name = 'WrongRevision';
    this.stream = stream;
  }
}

/** The store did not say whether it took the append: repeat it unchanged, then look (domain.md). */
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

export interface EventStore {
  /** Appends at an exact revision. Throws WrongRevision, UnknownOutcome or StoreFull; refuses what is too large for one append. */
  append(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): Promise<Appended>;
  /** Events of a stream from a revision on, oldest first; none for a stream that does not exist. */
  read(stream: string, from?: number, maxCount?: number): AsyncIterable<RecordedEvent>;
  /** Revision of a stream's last event, or undefined for an empty stream. */
  tail(stream: string): Promise<RecordedEvent | undefined>;
  /** Product events of the whole log after a position, to its end. */
  readAll(after: LogPosition | null): AsyncIterable<LoggedEvent>;
  /**
   * Product events of the whole log after a position, then live, with marks in their places. Ends or throws when the store
   * goes away, and when it ends a live subscription that takes events too slowly: subscribe again (keep-subscribed.ts).
   */
  subscribeToAll(after: LogPosition | null, signal: AbortSignal): AsyncIterable<LoggedEvent | LogMark>;
  /** Whether a stream was deleted, so that its events are gone or hidden. */
  isDeleted(stream: string): Promise<boolean>;
  /** Events of one stream after a revision, then live. */
  subscribeToStream(stream: string, after: number | null, signal: AbortSignal): AsyncIterable<RecordedEvent>;
  /** Position of the last event of the log; null for an empty one. */
  head(): Promise<LogPosition | null>;
  /**
   * What an operator must correct before the store can be read, as of the last read: the address, the account's rights, the
   * version. Undefined while reads succeed or fail for other reasons.
   */
  problem(): Promise<string | undefined>;
  /** Why the store takes no appends; undefined if it does. Asks the store, and writes nothing. */
  appendProblem(): Promise<string | undefined>;
  /** The version of the server; null where it does not say. */
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

/** The batch path of the client has no deadline of its own: an append unanswered for this long is unknown. */
const APPEND_DEADLINE_MS = 10_000;
const PROBE_DEADLINE_MS = 2_000;
const CLOSE_WITHIN_MS = 250;
/** Events per read of the whole log: the client buffers what it is sent, and a consumer may be slow. */
const READ_AT_ONCE = 1_000;

/** What the client says where the server does not know the question. */
const UNKNOWN_VERSION = 'unknown';

const { VNodeState } = gossip.MemberInfo;

function toMember(member: gossip.MemberInfo): EventStoreMember {
  const { state, isAlive, httpEndPoint } = member.toObject();
  const name = Object.entries(VNodeState).find(([, value]) => value === state)?.[0];
  return {
    address: httpEndPoint ? `${httpEndPoint.address}:${httpEndPoint.port}` : null,
    state: name ?? String(state),
    isAlive,
  };
}

/** A revision that no stream has: the store refuses the append because of it, if it takes appends at all. */
const IMPOSSIBLE_REVISION = BigInt(Number.MAX_SAFE_INTEGER);
const PROBE = jsonEvent({ type: 'Probe', data: {} });

/** The server searches for product events in windows of 32 events, and reports its position after so many windows. */
const WINDOWS_PER_MARK = 500;
/** A stream is named after its category, which ends with the first dash. */
const PRODUCT_STREAMS = Object.keys(eventsByCategory).map((category) => `${category}-`);

const isFull = (error: unknown): boolean => error instanceof Error && error.message.includes(DISK_FULL);

const isErrorOfType = (error: unknown, type: string): boolean =>
  typeof error === 'object' && error !== null && 'type' in error && error.type === type;

export function connectEventStore(url: string, metrics?: Metrics): EventStore {
  const client = EventStoreDBClient.connectionString(url);
  const appends = new AppendClient(() => EventStoreDBClient.connectionString(url));
  const ended = metrics?.counter(
    'event_store_subscriptions_ended_total',
    'Subscriptions that the event store ended, or that were lost',
    ['of'],
  );

  let problem: string | undefined;
  let oldStore: string | undefined | null = null;

  /** Remembers why reads fail. */
  async function* watched<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item> {
    try {
      for await (const item of items) {
        problem = undefined;
        yield item;
      }
      problem = undefined;
    } catch (error) {
      // A stream that does not exist is an answer.
      problem = describeStoreProblem(error);
      throw error;
    }
  }

  /** Why the version of the store does not do; read once, when it answers. */
  async function versionProblem(): Promise<string | undefined> {
    if (oldStore === null) {
      const features = await client['capabilities'].catch(() => undefined);
      if (features) oldStore = describeOldStore(features.serverVersion);
    }
    return oldStore ?? undefined;
  }

  /** What a subscription delivers, until it ends or is no longer wanted. */
  async function* delivered<Item>(
    subscription: AsyncIterable<Item> & { unsubscribe(): Promise<void> },
    of: string,
    signal: AbortSignal,
  ): AsyncGenerator<Item> {
    // A subscription that was never made cannot be ended; its iteration throws why.
    const stop = () => void subscription.unsubscribe().catch(() => undefined);
    signal.addEventListener('abort', stop, { once: true });
    let isLeft = true;
    try {
      for await (const item of watched(subscription)) {
        if (signal.aborted) return;
        yield item;
      }
      isLeft = signal.aborted;
    } catch (error) {
      isLeft = signal.aborted;
      throw error;
    } finally {
      if (!isLeft) ended?.inc({ of });
      signal.removeEventListener('abort', stop);
      await subscription.unsubscribe();
    }
  }

  return {
    async append(stream, events, expected) {
      const payload = events.map(toProposed);
      try {
        const expectedRevision = expected === 'NO_STREAM' ? NO_STREAM : BigInt(expected);
        const appended = await appends.append(stream, payload, expectedRevision, { deadlineMs: APPEND_DEADLINE_MS });
        // An answer to a repeated append may carry no position: read it from the event itself.
        const position = appended.position?.commit ?? (await positionOf(stream, Number(appended.nextExpectedRevision)));
        return { revision: Number(appended.nextExpectedRevision), position };
      } catch (error) {
        if (isErrorOfType(error, ErrorType.WRONG_EXPECTED_VERSION)) throw new WrongRevision(stream);
        if (isErrorOfType(error, ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED)) {
          throw new Refusal('TOO_LARGE', 'This is too large to be kept in one piece: send less at once');
        }
        throw isFull(error) ? new StoreFull(stream, error) : new UnknownOutcome(stream, error);
      }
    },

    async problem() {
      return problem ?? (await versionProblem());
    },

    async appendProblem() {
      try {
        const options = { deadlineMs: PROBE_DEADLINE_MS, isProbe: true };
        await appends.append(ACCESS_STREAM, [PROBE], IMPOSSIBLE_REVISION, options);
      } catch (error) {
        if (isErrorOfType(error, ErrorType.WRONG_EXPECTED_VERSION)) return undefined;
        if (isFull(error)) return `${DISK_FULL}. It takes them again when 64 MiB are free.`;
        const why = describeStoreProblem(error) ?? (error instanceof Error ? error.message : String(error));
        return `The event store takes no appends: ${why}`;
      }
      throw new Error('The event store took an append at a revision that no stream has');
    },

    async version() {
      const { serverVersion } = await client['capabilities'];
      return serverVersion === UNKNOWN_VERSION ? null : serverVersion;
    },

    members: () =>
      client['execute'](
        GossipClient,
        'readMembers',
        (channel) =>
          new Promise<EventStoreMember[]>((resolve, reject) => {
            const options = client['callArguments']({ deadline: PROBE_DEADLINE_MS });
            channel.read(new shared.Empty(), ...options, (error, info) =>
              error ? reject(error) : resolve(info.getMembersList().map(toMember)),
            );
          }),
      ),

    async *read(stream, from = 0, maxCount = Number.MAX_SAFE_INTEGER) {
      try {
        for await (const { event } of watched(client.readStream(stream, { fromRevision: BigInt(from), maxCount }))) {
          if (event) yield toRecorded(event);
        }
      } catch (error) {
        if (!isErrorOfType(error, ErrorType.STREAM_NOT_FOUND)) throw error;
      }
    },

    async tail(stream) {
      try {
        const last = client.readStream(stream, { direction: 'backwards', fromRevision: END, maxCount: 1 });
        for await (const { event } of watched(last)) return event && toRecorded(event);
      } catch (error) {
        if (!isErrorOfType(error, ErrorType.STREAM_NOT_FOUND)) throw error;
      }
      return undefined;
    },

    async *readAll(after) {
      let last = after;
      for (let count = READ_AT_ONCE; count === READ_AT_ONCE; ) {
        count = 0;
        const from = last;
        for await (const { event } of client.readAll({ fromPosition: from ?? START, maxCount: READ_AT_ONCE })) {
          count += 1;
          if (!event) continue;
          last = event.position;
          // A read includes the event at its position.
          const isRead = from !== null && event.position.commit <= from.commit;
          if (isOurs(event.streamId) && !isRead) yield toLogged(event as ReadFromAll);
        }
      }
    },

    async *subscribeToAll(after, signal) {
      const subscription = client.subscribeToAll({
        fromPosition: after ?? START,
        filter: streamNameFilter({
          prefixes: PRODUCT_STREAMS,
          checkpointInterval: WINDOWS_PER_MARK,
          checkpointReached: async (_, position) => mark({ reached: position }),
        }),
      });
      // The client emits both while earlier events wait in the buffer of the subscription: pushed, they follow those.
      const mark = (item: LogMark) => void subscription.push(item);
      subscription.on('caughtUp', () => mark({ isCaughtUp: true }));
      for await (const item of delivered<AllStreamResolvedEvent | LogMark>(subscription, '$all', signal)) {
        if (isMark(item)) yield item;
        else if (item.event) yield toLogged(item.event as ReadFromAll);
      }
    },

    async *subscribeToStream(stream, after, signal) {
      const subscription = client.subscribeToStream(stream, { fromRevision: after === null ? START : BigInt(after) });
      for await (const { event } of delivered<ResolvedEvent>(subscription, stream, signal)) {
        if (event) yield toRecorded(event as StoredEvent);
      }
    },

    async isDeleted(stream) {
      try {
        const { metadata } = await client.getStreamMetadata(stream);
        // A deletion moves the beginning of the stream behind its end.
        return metadata?.truncateBefore !== undefined;
      } catch (error) {
        if (isErrorOfType(error, ErrorType.STREAM_DELETED)) return true;
        throw error;
      }
    },

    async head() {
      const last = client.readAll({ direction: 'backwards', fromPosition: END, maxCount: 1 });
      for await (const { event } of watched(last)) {
        if (event) return event.position;
      }
      return null;
    },

    async close() {
      // The client waits for its append stream to finish, which a cancelled one may never say.
      const closed = Promise.race([client.dispose(), sleep(CLOSE_WITHIN_MS, undefined, { ref: false })]);
      await Promise.all([closed, appends.close(CLOSE_WITHIN_MS)]);
    },
  };

  function toLogged(stored: ReadFromAll): LoggedEvent {
    const { position, isJson, data } = stored;
    const bytes = isJson ? {} : { bytes: (data as Uint8Array).length };
    return { ...toRecorded(stored, readLater), prepare: position.prepare, ...bytes };
  }

  async function positionOf(stream: string, revision: number): Promise<bigint> {
    for await (const { event } of client.readStream(stream, { fromRevision: BigInt(revision), maxCount: 1 })) {
      if (event?.position) return event.position.commit;
    }
    throw new UnknownOutcome(stream, new Error(`revision ${revision} has no position`));
  }
}

/** Whether a stream is of the product; a store may hold others. An unknown event in one of ours is not passed over. */
const isOurs = (stream: string): boolean => parseStream(stream).category in eventsByCategory;

/** Events of more rows go as bytes. */
const JSON_ROWS_MAX = 100;
const encoder = new TextEncoder();

/**
 * Large events are JSON in bytes: what the client itself encodes as JSON it turns into base64 and back, several times
 * over (docs/decisions/0026).
 */
function toProposed({ id, type, data, json, metadata }: NewEvent): EventData {
  const stamped = { ...metadata, schemaVersion: currentVersion(type) };
  if (json === undefined) validateEvent(type, data);
  if (json === undefined && !hasManyRows(data)) {
    return jsonEvent({ id, type, data: data as Record<string, unknown>, metadata: stamped });
  }
  const bytes = encoder.encode(json ?? JSON.stringify(data));
  return { id, type, contentType: 'application/octet-stream', data: bytes, metadata: stamped };
}

function hasManyRows(data: unknown): boolean {
  const { rows, ids } = data as { rows?: unknown[]; ids?: unknown[] };
  return (rows ?? ids ?? []).length > JSON_ROWS_MAX;
}

const fromBytes = ({ buffer, byteOffset, length }: Uint8Array): unknown =>
  JSON.parse(Buffer.from(buffer, byteOffset, length).toString());

/** Of the whole log every event says where it stands. */
type ReadFromAll = StoredEvent & { position: LogPosition };

/** Whoever reads the whole log looks into few rows of imports. */
function readLater(type: string, { buffer, byteOffset, length }: Uint8Array): unknown {
  return type === 'InstancesImported' ? unreadRows(Buffer.from(buffer, byteOffset, length)) : undefined;
}

function toRecorded(stored: StoredEvent, unread?: (type: string, bytes: Uint8Array) => unknown): RecordedEvent {
  const event = {
    id: stored.id,
    stream: stored.streamId,
    revision: Number(stored.revision),
    position: stored.position?.commit ?? 0n,
    type: stored.type,
  };
  const metadata = stored.metadata as unknown as EventMetadata;
  let written: unknown = stored.data;
  try {
    if (!stored.isJson) {
      written = unread?.(stored.type, stored.data as Uint8Array) ?? fromBytes(stored.data as Uint8Array);
    }
    const data = upcast(stored.type, metadata.schemaVersion, written);
    return { ...event, data, ...(data === written ? {} : { stored: written }), metadata };
  } catch (error) {
    // Of another version of the product, or of another program: whoever needs the data refuses it by name.
    const undecodable = error instanceof Error ? error.message : String(error);
    return { ...event, data: written, metadata: completed(metadata, stored.created), undecodable };
  }
}

/** Metadata of an event that may be of another program. */
const completed = (metadata: Partial<EventMetadata> | undefined, created: Date): EventMetadata => ({
  $correlationId: '',
  $causationId: '',
  actorId: null,
  requestId: '',
  sourceType: 'SYSTEM',
  occurredAt: created.toISOString(),
  schemaVersion: 1,
  dataSetIds: [],
  ...metadata,
});

/** Throws the refusal of what would have to decode an event and cannot. */
export function requireDecodable({ id, stream, type, undecodable }: RecordedEvent): void {
  if (undecodable === undefined) return;
  const message = `Event ${id} of type ${type} in ${stream} cannot be read: ${undecodable}`;
  throw new Refusal('CONFLICT', `${message}. Ask an administrator to install the version that wrote it.`);
}
