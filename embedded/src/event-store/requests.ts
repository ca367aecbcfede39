/** Requests to write, read off the wire and checked. */
import type { ExpectedRevision } from './decide.ts';
import { invalidArgument, requiredPropertyMissing } from './errors.ts';
import type { ExpectedOptions, ProposedMessage, Uuid } from './protocol.ts';
import type { ProposedEvent } from './recorded-event.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The hyphenated lower-case form of an id that came as text or as two numbers. */
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

/** The stream that is to be written; `$all` and nameless streams cannot be. */
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
      throw invalidArgument('An append needs an expected revision');
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

/** What an event counts for against the maximum append size, as the real server counts it. */
export function appendSize(event: ProposedEvent): number {
  return event.data.length + event.metadata.length + event.type.length * 2;
}
