/** Converts events between the types of the official client and the types of the product. */
import { type EventData, jsonEvent, type RecordedEvent as StoredEvent } from '@eventstore/db-client';
import { currentVersion, type EventMetadata, type RecordedEvent, Refusal, upcast, validateEvent } from '@rdm/contracts';
import { withUnparsedRows } from '../postgres/written-rows.ts';
import type { NewEvent } from './event-store.ts';

/** Events with more rows or ids than this are sent as bytes. */
const JSON_ROWS_MAX = 100;

const encoder = new TextEncoder();

/**
 * Converts an event for an append. An event with many rows or with `json` is sent as bytes, because the client converts
 * JSON events to base64 and back several times (docs/decisions/0026).
 */
export function toProposed({ id, type, data, json, metadata }: NewEvent): EventData {
  const stamped = { ...metadata, schemaVersion: currentVersion(type) };
  if (json === undefined) validateEvent(type, data);
  if (json === undefined && !hasManyRows(data)) {
    return jsonEvent({ id, type, data: data as Record<string, unknown>, metadata: stamped });
  }
  const bytes = json instanceof Uint8Array ? json : encoder.encode(json ?? JSON.stringify(data));
  return { id, type, contentType: 'application/octet-stream', data: bytes, metadata: stamped };
}

function hasManyRows(data: unknown): boolean {
  const { rows, ids } = data as { rows?: unknown[]; ids?: unknown[] };
  return (rows ?? ids ?? []).length > JSON_ROWS_MAX;
}

const fromBytes = ({ buffer, byteOffset, length }: Uint8Array): unknown =>
  JSON.parse(Buffer.from(buffer, byteOffset, length).toString());

/**
 * Decodes the data of `InstancesImported` for readers of the whole log. Each row is decoded at its first use, because
 * most rows are never used. Returns undefined for other types, and for bytes that `withUnparsedRows` cannot scan.
 */
export function decodeLazily(type: string, { buffer, byteOffset, length }: Uint8Array): unknown {
  return type === 'InstancesImported' ? withUnparsedRows(Buffer.from(buffer, byteOffset, length)) : undefined;
}

/** An event in the form that the files of the log and backups contain. */
export interface RawEvent {
  stream: string;
  /** The revision; 2^63 - 1 for a tombstone. */
  revision: bigint;
  id: string;
  type: string;
  /** The time in milliseconds since the epoch. */
  created: number;
  isJson: boolean;
  metadata: Buffer;
  data: Buffer;
}

/** Decodes the stored bytes of an event as readers of the whole log do. The position of the result is 0. */
export function decodeRaw({ stream, created, metadata, data, ...event }: RawEvent): RecordedEvent {
  const stored = {
    ...event,
    streamId: stream,
    created: new Date(created),
    metadata: metadata.length === 0 ? undefined : parseJson(metadata, metadata),
    data: event.isJson ? parseJson(data, data.toString()) : data,
  };
  return toRecorded(stored as unknown as StoredEvent, decodeLazily);
}

/** Parses JSON; returns the fallback for malformed JSON, like the client. */
function parseJson(bytes: Buffer, fallback: unknown): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return fallback;
  }
}

/** Converts a stored event. `lazyDecoder` returns undefined for bytes that must be decoded at once. */
export function toRecorded(
  stored: StoredEvent,
  lazyDecoder?: (type: string, bytes: Uint8Array) => unknown,
): RecordedEvent {
  const event = {
    id: stored.id,
    stream: stored.streamId,
    revision: Number(stored.revision),
    position: stored.position?.commit ?? 0n,
    type: stored.type,
  };
  const metadata = stored.metadata as unknown as EventMetadata;
  let storedData: unknown = stored.data;
  try {
    if (!stored.isJson) {
      storedData = lazyDecoder?.(stored.type, stored.data as Uint8Array) ?? fromBytes(stored.data as Uint8Array);
    }
    const data = upcast(stored.type, metadata.schemaVersion, storedData);
    // The spread is last, because V8 adds properties to a copied object slowly (docs/decisions/0115).
    return data === storedData ? { data, metadata, ...event } : { data, stored: storedData, metadata, ...event };
  } catch (error) {
    // Another version of the product or another program wrote the event. Consumers that need its data refuse it.
    const undecodable = error instanceof Error ? error.message : String(error);
    return { ...event, data: storedData, metadata: completeMetadata(metadata, stored.created), undecodable };
  }
}

/** Completes the metadata of an event, because another program may have written the event. */
const completeMetadata = (metadata: Partial<EventMetadata> | undefined, created: Date): EventMetadata => ({
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

/** Throws a refusal if an event cannot be decoded. */
export function requireDecodable({ id, stream, type, undecodable }: RecordedEvent): void {
  if (undecodable === undefined) return;
  const message = `Event ${id} of type ${type} in ${stream} cannot be read: ${undecodable}`;
  throw new Refusal('CONFLICT', `${message}. Ask an administrator to install the version that wrote it.`);
}
