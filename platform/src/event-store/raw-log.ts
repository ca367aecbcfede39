/** Reads the product's events from `$all` as stored, tombstones and stream metadata included. */
import { type AllStreamRecordedEvent, EventStoreDBClient, START } from '@eventstore/db-client';
import { isProductStream } from '@rdm/contracts';
import type { RawEvent } from './event-codec.ts';

/** Events per read: the client buffers all events that it receives. */
const READ_AT_ONCE = 1_000;

/** The stream that a metadata stream belongs to; other streams unchanged. */
export const describedStream = (stream: string): string => (stream.startsWith('$$') ? stream.slice(2) : stream);

/** Whether the history of the product includes a stream: its own streams and their metadata. */
export const isOwnHistory = (stream: string): boolean => isProductStream(describedStream(stream));

/** Yields the events up to and including the one at the commit position `upTo`, in log order. */
export async function* readRawLog(url: string, upTo: bigint, signal: AbortSignal): AsyncGenerator<RawEvent[]> {
  const client = EventStoreDBClient.connectionString(url);
  try {
    let last: AllStreamRecordedEvent['position'] | undefined;
    for (let isAtEnd = false; !isAtEnd; ) {
      isAtEnd = true;
      const events: RawEvent[] = [];
      const from = last;
      for await (const { event } of client.readAll({ fromPosition: from ?? START, maxCount: READ_AT_ONCE })) {
        signal.throwIfAborted();
        if (event === undefined || event.position.commit > upTo) continue;
        // A read includes the event at its position.
        if (from !== undefined && event.position.commit <= from.commit) continue;
        last = event.position;
        isAtEnd = last.commit >= upTo;
        if (isOwnHistory(event.streamId)) events.push(toRaw(event));
      }
      isAtEnd ||= last === from;
      if (events.length > 0) yield events;
    }
    if (last === undefined || last.commit < upTo) throw new Error(`The event store has no event at position ${upTo}`);
  } finally {
    await client.dispose();
  }
}

/** The client parses JSON: it is written again as the product wrote it, which is without white space. */
function toRaw({ streamId, revision, id, type, created, isJson, metadata, data }: AllStreamRecordedEvent): RawEvent {
  return {
    stream: streamId,
    revision,
    id,
    type,
    created: created.getTime(),
    isJson,
    metadata: toBytes(metadata),
    data: isJson ? toBytes(data) : Buffer.from(data as Uint8Array),
  };
}

function toBytes(value: unknown): Buffer {
  if (value === undefined) return Buffer.alloc(0);
  if (value instanceof Uint8Array) return Buffer.from(value);
  // The client leaves malformed JSON, such as the empty data of a tombstone, as text.
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
}
