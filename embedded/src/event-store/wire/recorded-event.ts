/** Encodes and decodes `RecordedEvent`. An append encodes each event once, and reads send the stored bytes. */

/** An event proposed by a client. */
export interface ProposedEvent {
  /** The id as a lower-case hyphenated UUID. */
  readonly id: string;
  readonly type: string;
  readonly isJson: boolean;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

/** The fields of a stored event, without its position. */
export interface EventHeader {
  readonly id: string;
  readonly stream: string;
  /** `TOMBSTONE_REVISION` for a tombstone. */
  readonly revision: number;
  readonly type: string;
  readonly isJson: boolean;
  /** Milliseconds since the epoch. */
  readonly created: number;
  readonly metadata: Buffer;
  readonly data: Buffer;
}

/** The revision of a tombstone. It is stored as the largest signed 64-bit number, like in EventStoreDB. */
export const TOMBSTONE_REVISION = 2 ** 63;

const TAG = {
  id: 0x0a,
  stream: 0x12,
  revision: 0x18,
  prepare: 0x20,
  commit: 0x28,
  property: 0x32,
  metadata: 0x3a,
  data: 0x42,
};
const JSON_TYPE = Buffer.from('application/json');
const BINARY_TYPE = Buffer.from('application/octet-stream');
const EMPTY = Buffer.alloc(0);
const UUID_LENGTH = 36;
/**
 * Length of the id field. The id is the first field and has a fixed length, so that `withStructuredId` can replace it.
 */
const ID_FIELD_LENGTH = 2 + 2 + UUID_LENGTH;

export function varintLength(value: number): number {
  let length = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) length += 1;
  return length;
}

function writeVarint(target: Buffer, at: number, value: number): number {
  if (value === TOMBSTONE_REVISION) {
    target.fill(0xff, at, at + 8);
    target[at + 8] = 0x7f;
    return at + 9;
  }
  let rest = value;
  let offset = at;
  while (rest >= 0x80) {
    target[offset++] = (rest % 0x80) | 0x80;
    rest = Math.floor(rest / 0x80);
  }
  target[offset++] = rest;
  return offset;
}

function writeField(target: Buffer, at: number, tag: number, bytes: Uint8Array): number {
  target[at] = tag;
  const offset = writeVarint(target, at + 1, bytes.length);
  target.set(bytes, offset);
  return offset + bytes.length;
}

/** Writes one entry of the `metadata` map. The length of the key takes one byte, because keys are short. */
function writeProperty(target: Buffer, at: number, key: string, value: Uint8Array): number {
  target[at] = TAG.property;
  let offset = writeVarint(target, at + 1, 2 + key.length + 1 + varintLength(value.length) + value.length);
  target[offset] = 0x0a;
  target[offset + 1] = key.length;
  offset += 2 + target.write(key, offset + 2, 'latin1');
  return writeField(target, offset, 0x12, value);
}

/** Returns an upper bound for the number of bytes that `writeRecordedEvent` writes. */
export function recordedEventBound(stream: string, event: ProposedEvent): number {
  return 256 + 3 * (stream.length + event.type.length) + event.data.length + event.metadata.length;
}

/** Writes an event with its position and revision at the offset `at`. Returns the offset after the event. */
export function writeRecordedEvent(
  target: Buffer,
  at: number,
  event: ProposedEvent,
  place: {
    readonly stream: Uint8Array;
    readonly revision: number;
    readonly position: number;
    readonly created: number;
  },
): number {
  target[at] = TAG.id;
  target[at + 1] = 2 + UUID_LENGTH;
  target[at + 2] = 0x12;
  target[at + 3] = UUID_LENGTH;
  let offset = at + 4 + target.write(event.id, at + 4, 'latin1');
  target[offset] = TAG.stream;
  offset = writeVarint(target, offset + 1, 1 + varintLength(place.stream.length) + place.stream.length);
  offset = writeField(target, offset, 0x1a, place.stream);
  target[offset] = TAG.revision;
  offset = writeVarint(target, offset + 1, place.revision);
  target[offset] = TAG.prepare;
  offset = writeVarint(target, offset + 1, place.position);
  target[offset] = TAG.commit;
  offset = writeVarint(target, offset + 1, place.position);
  offset = writeProperty(target, offset, 'type', Buffer.from(event.type));
  offset = writeProperty(target, offset, 'content-type', event.isJson ? JSON_TYPE : BINARY_TYPE);
  // .NET ticks of 100 ns, counted from the Unix epoch.
  offset = writeProperty(target, offset, 'created', Buffer.from(`${place.created}0000`));
  if (event.metadata.length > 0) offset = writeField(target, offset, TAG.metadata, event.metadata);
  if (event.data.length > 0) offset = writeField(target, offset, TAG.data, event.data);
  return offset;
}

/** A place in a protobuf message. */
class Cursor {
  readonly bytes: Buffer;
  offset = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** Reads the number at the offset, and moves the offset to the next byte after the number. */
  varint(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 0x80) {
      const byte = this.bytes[this.offset++];
      if (byte === undefined) throw new RangeError('a protobuf field is cut off');
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  }
}

/** Yields the fields of a protobuf message. A varint field has a number as its value, any other field has a slice. */
function* fields(bytes: Buffer): Generator<[tag: number, value: number | Buffer]> {
  const cursor = new Cursor(bytes);
  while (cursor.offset < bytes.length) {
    const tag = cursor.varint();
    const value = cursor.varint();
    if ((tag & 7) === 0) yield [tag, value];
    else {
      yield [tag, bytes.subarray(cursor.offset, cursor.offset + value)];
      cursor.offset += value;
    }
  }
}

/** Reads an event that `writeRecordedEvent` has written. */
export function readHeader(bytes: Buffer): EventHeader {
  let id = '';
  let stream = '';
  let revision = 0;
  let type = '';
  let isJson = false;
  let created = 0;
  let metadata: Buffer = EMPTY;
  let data: Buffer = EMPTY;
  for (const [tag, value] of fields(bytes)) {
    if (typeof value === 'number') {
      if (tag === TAG.revision) revision = value;
    } else if (tag === TAG.id) id = value.toString('latin1', 2);
    else if (tag === TAG.stream) stream = innerField(value, 0x1a).toString();
    else if (tag === TAG.metadata) metadata = value;
    else if (tag === TAG.data) data = value;
    else if (tag === TAG.property) {
      const key = innerField(value, 0x0a).toString('latin1');
      if (key === 'type') type = innerField(value, 0x12).toString();
      else if (key === 'content-type') isJson = innerField(value, 0x12).equals(JSON_TYPE);
      else if (key === 'created')
        created = Number(innerField(value, 0x12).toString('latin1', 0, value.length)) / 10_000;
    }
  }
  return { id, stream, revision, type, isJson, created, metadata, data };
}

/** Reads the fields that an index needs, faster than `readHeader`, because an index reads a whole segment. */
export function readPlace(bytes: Buffer): Pick<EventHeader, 'stream' | 'revision' | 'type'> {
  const cursor = new Cursor(bytes);
  /** Reads the text of the field at the offset, which must begin with this tag. */
  const text = (tag: number) => {
    if (bytes[cursor.offset++] !== tag) throw new RangeError('a stored event lacks a field');
    const length = cursor.varint();
    cursor.offset += length;
    return bytes.toString('utf8', cursor.offset - length, cursor.offset);
  };
  let stream = '';
  let revision = 0;
  while (cursor.offset < bytes.length) {
    const tag = cursor.varint();
    const value = cursor.varint();
    if (tag === TAG.revision) revision = value;
    if ((tag & 7) === 0) continue;
    const end = cursor.offset + value;
    if (tag === TAG.stream) stream = text(0x1a);
    else if (tag === TAG.property && text(0x0a) === 'type') return { stream, revision, type: text(0x12) };
    cursor.offset = end;
  }
  throw new RangeError('a stored event lacks a field');
}

/** Reads the position in a stored event; returns undefined for bytes that are not an event. */
export function readPosition(bytes: Buffer): number | undefined {
  try {
    for (const [tag, value] of fields(bytes)) if (tag === TAG.commit && typeof value === 'number') return value;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return undefined;
}

function innerField(bytes: Buffer, wanted: number): Buffer {
  for (const [tag, value] of fields(bytes)) if (tag === wanted && typeof value !== 'number') return value;
  throw new RangeError('a stored event lacks a field');
}

/** Returns the same event with its id as two 64-bit numbers, for clients that request this form. */
export function withStructuredId(bytes: Buffer): Buffer {
  const hex = bytes.toString('latin1', 4, ID_FIELD_LENGTH).replaceAll('-', '');
  const structured = Buffer.concat([int64Field(0x08, hex.slice(0, 16)), int64Field(0x10, hex.slice(16))]);
  const id = Buffer.concat([Buffer.from([TAG.id, structured.length + 2, 0x0a, structured.length]), structured]);
  return Buffer.concat([id, bytes.subarray(ID_FIELD_LENGTH)]);
}

function int64Field(tag: number, hex: string): Buffer {
  const bytes = [tag];
  let rest = BigInt(`0x${hex}`);
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}
