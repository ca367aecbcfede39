/** Decodes and checks write requests. */
import type { ExpectedRevision } from '../storage/append-decision.ts';
import { invalidArgument, requiredPropertyMissing } from './errors.ts';
import type { ExpectedOptions, ProposedMessage, Uuid } from './protocol.ts';
import type { ProposedEvent } from './recorded-event.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Returns the hyphenated lower-case form of an id, which clients send as text or as two numbers. */
export function uuidText(uuid: Uuid | null | undefined): string {
  const text = uuid?.structured ? structuredText(uuid.structured) : (uuid?.string ?? '').toLowerCase();
  if (!UUID.test(text)) throw invalidArgument(`'${text}' is not a valid event or correlation id`);
  return text;
}

function structuredText({ mostSignificantBits, leastSignificantBits }: NonNullable<Uuid['structured']>): string {
  const hex = [mostSignificantBits, leastSignificantBits]
    .map((bits) => BigInt.asUintN(64, BigInt(bits.toString())).toString(16).padStart(16, '0'))
    .join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Returns the name of the stream to write. Refuses `$all`, the empty name and `$$`. */
export function writtenStream(options: ExpectedOptions): string {
  if (options.streamIdentifier === null) throw invalidArgument('Required field StreamIdentifier not set.');
  const name = Buffer.from(options.streamIdentifier.streamName).toString();
  if (name === '' || name === '$$' || name === '$all') throw invalidArgument(`'${name}' cannot be written`);
  return name;
}

export function expectedRevision(options: ExpectedOptions): ExpectedRevision {
  switch (options.expected) {
    case 'revision':
      return BigInt((options.revision ?? '').toString());
    case 'noStream':
      return 'no_stream';
    case 'any':
      return 'any';
    case 'streamExists':
      return 'stream_exists';
    default:
      throw invalidArgument('A write needs an expected revision');
  }
}

export function proposedEvent(message: ProposedMessage): ProposedEvent {
  const type = message.metadata['type'];
  const contentType = message.metadata['content-type'];
  if (type === undefined || type === '') throw requiredPropertyMissing('type');
  if (contentType === undefined) throw requiredPropertyMissing('content-type');
  return {
    id: uuidText(message.id),
    type,
    isJson: contentType === 'application/json',
    data: message.data,
    metadata: message.customMetadata,
  };
}

/** Maximum size of the data, metadata and types of an append: about the limit of EventStoreDB for one event. */
const MAX_APPEND_BYTES = 16 * 1024 * 1024;

/** Adds up the size of an append while its events arrive. */
export class AppendSize {
  #dataBytes = 0;
  #totalBytes = 0;

  add({ data, metadata, type }: ProposedEvent): void {
    this.#dataBytes += data.length;
    this.#totalBytes += data.length + metadata.length + Buffer.byteLength(type);
  }

  /**
   * Returns the limit in bytes that the append exceeds; undefined if no limit is exceeded. `maxAppendSize` limits only
   * the data, like in EventStoreDB 23.10.
   */
  exceededLimit(maxAppendSize: number): number | undefined {
    if (this.#dataBytes > maxAppendSize) return maxAppendSize;
    return this.#totalBytes > MAX_APPEND_BYTES ? MAX_APPEND_BYTES : undefined;
  }
}
