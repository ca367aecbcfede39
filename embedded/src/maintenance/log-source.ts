/** Where a backup reads the log: from segment files beside the running store, or from `$all` of another server. */
import { type EventStore, loadPurgedEvents, type PurgedEvents } from '@rdm/platform';
import type { RawEvent } from '@rdm/platform/event-store/event-codec';
import { isOwnHistory, readRawLog } from '@rdm/platform/event-store/raw-log';
import { logSize, readLog } from '../event-store/storage/read-log.ts';
import { readHeader, TOMBSTONE_REVISION } from '../event-store/wire/recorded-event.ts';

export interface LogSource {
  /** Commit position of the last event that the store has acknowledged; null for an empty log. */
  head(): Promise<bigint | null>;
  /** The purges that the log names: a backup leaves their events out. */
  purged(): Promise<PurgedEvents>;
  /** Bytes up to a position, for the progress; undefined if they are not known. */
  bytesUpTo(position: bigint): number | undefined;
  /** Events of product streams and of their metadata up to a position, in log order. */
  events(upTo: bigint, signal: AbortSignal): AsyncIterable<RawEvent[]> | Iterable<RawEvent[]>;
}

const headOf = async (store: Pick<EventStore, 'head'>) => (await store.head())?.commit ?? null;

/** The embedded store: `directory` has its files. */
export const embeddedLog = (store: Pick<EventStore, 'head' | 'read'>, directory: string): LogSource => ({
  head: () => headOf(store),
  purged: () => loadPurgedEvents(store),
  bytesUpTo: (position) => logSize(directory, Number(position)),
  *events(upTo) {
    for (const records of readLog(directory, Number(upTo))) {
      yield records.map(({ payload }) => toRaw(payload)).filter(({ stream }) => isOwnHistory(stream));
    }
  },
});

/** Another server, over its protocol. */
export const remoteLog = (store: Pick<EventStore, 'head' | 'read'>, url: string): LogSource => ({
  head: () => headOf(store),
  purged: () => loadPurgedEvents(store),
  bytesUpTo: () => undefined,
  events: (upTo, signal) => readRawLog(url, upTo, signal),
});

/** A stored record as a backup holds it. */
export function toRaw(payload: Buffer): RawEvent {
  const { revision, ...event } = readHeader(payload);
  return { ...event, revision: revision === TOMBSTONE_REVISION ? 2n ** 63n - 1n : BigInt(revision) };
}
