/** The sources from which a backup reads the log: the segment files of the embedded store, or `$all` of another server. */
import { type EventStore, loadPurgedEvents, type PurgedEvents } from '@rdm/platform';
import type { RawEvent } from '@rdm/platform/event-store/event-codec';
import { isProductOrMetadataStream, readRawLog } from '@rdm/platform/event-store/raw-log';
import { logSize, readLog } from '../event-store/storage/read-log.ts';
import { readHeader, TOMBSTONE_REVISION } from '../event-store/wire/recorded-event.ts';

export interface LogSource {
  /** Resolves with the commit position of the last acknowledged event; null for an empty log. */
  head(): Promise<bigint | null>;
  /** Resolves with the purged events, which a backup does not contain. */
  purged(): Promise<PurgedEvents>;
  /** Returns the size of the log up to a position, for the progress; undefined if the size is unknown. */
  bytesUpTo(position: bigint): number | undefined;
  /** Yields the events of product streams and of their metadata streams up to a position, in log order. */
  events(upTo: bigint, signal: AbortSignal): AsyncIterable<RawEvent[]> | Iterable<RawEvent[]>;
}

const headOf = async (store: Pick<EventStore, 'head'>) => (await store.head())?.commit ?? null;

/** Returns the source for the embedded store, whose files are in `directory`. */
export const embeddedLog = (store: Pick<EventStore, 'head' | 'read'>, directory: string): LogSource => ({
  head: () => headOf(store),
  purged: () => loadPurgedEvents(store),
  bytesUpTo: (position) => logSize(directory, Number(position)),
  *events(upTo) {
    for (const records of readLog(directory, Number(upTo))) {
      yield records.map(({ payload }) => toRaw(payload)).filter(({ stream }) => isProductOrMetadataStream(stream));
    }
  },
});

/** Returns the source for another server, which is read over the network. */
export const remoteLog = (store: Pick<EventStore, 'head' | 'read'>, url: string): LogSource => ({
  head: () => headOf(store),
  purged: () => loadPurgedEvents(store),
  bytesUpTo: () => undefined,
  events: (upTo, signal) => readRawLog(url, upTo, signal),
});

/** Converts the payload of a stored record to the form of a backup. */
export function toRaw(payload: Buffer): RawEvent {
  const { revision, ...event } = readHeader(payload);
  return { ...event, revision: revision === TOMBSTONE_REVISION ? 2n ** 63n - 1n : BigInt(revision) };
}
