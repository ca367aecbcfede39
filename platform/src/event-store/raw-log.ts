/** Reads the product's events from `$all` in their stored form, with tombstones and stream metadata. */
import { type AllStreamRecordedEvent, EventStoreDBClient, START } from '@eventstore/db-client';
import { isProductStream } from '@rdm/contracts';
import type { RawEvent } from './event-codec.ts';

/** The maximum number of events per read. A read is limited because the client buffers all events that it receives. */
const READ_AT_ONCE = 1_000;

/** Returns the name of the stream that a metadata stream (`$$name`) describes; returns other names unchanged. */
export const describedStream = (stream: string): string => (stream.startsWith('$$') ? stream.slice(2) : stream);

/** Whether a stream is a stream of the product, or the metadata stream of one. */
export const isProductOrMetadataStream = (stream: string): boolean => isProductStream(describedStream(stream));

/**
 * Yields the product's events up to the event at the commit position `upTo`, in batches and in log order. Throws if the
 * event store has no event at this position.
 */
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
        // A read also returns the event at its start position, which was read before.
        if (from !== undefined && event.position.commit <= from.commit) continue;
        last = event.position;
        isAtEnd = last.commit >= upTo;
        if (isProductOrMetadataStream(event.streamId)) events.push(toRaw(event));
      }
      isAtEnd ||= last === from;
      if (events.length > 0) yield events;
    }
    if (last === undefined || last.commit < upTo) throw new Error(`The event store has no event at position ${upTo}`);
  } finally {
    await client.dispose();
  }
}

/**
 * Converts an event of the client. The client has parsed the JSON, so `toBytes` serialises it again, without white
 * space between the tokens, as the product does.
 */
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
  // The client returns malformed JSON, such as the empty data of a tombstone, as text.
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
}
