/** The format of a segment file: its name, its header, its footer, and the trailer that locates the footer. */
import { basename, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { readPlace } from '../wire/recorded-event.ts';
import type { MemoryIndex, TypeNames } from './index/segment-index.ts';
import { EXTENDED_FOOTER, INDEX_FOOTER, RECORD_HEADER, type RecordFrame, writeRecordHeader } from './record.ts';

/** Bytes of a segment's header: `RDMEVLOG`, the position of the segment in the log, a version and a checksum. */
export const SEGMENT_HEADER = 32;
/** Bytes of a scavenged segment's header, which also contains generation, logical size and the end of the records. */
export const SCAVENGED_HEADER = 48;
const MAGIC = Buffer.from('RDMEVLOG');
/** Bytes of the trailer: the length of the footer with its record header, and `TRAILER_MAGIC`. */
export const TRAILER = 8;
export const TRAILER_MAGIC = 0x58444e49;

/** The path of the file of a segment. `generation` is the number of scavenges that have copied the segment. */
export function segmentPath(directory: string, base: number, generation = 0): string {
  const suffix = generation === 0 ? '' : `-${generation}`;
  return join(directory, `${base.toString().padStart(20, '0')}${suffix}.log`);
}

/** Parses the position and the generation in the name of a file. */
export function parseSegmentName(path: string): { base: number; generation: number } {
  const [base = 0, generation = 0] = basename(path)
    .replace(/\.\w+$/, '')
    .split('-')
    .map(Number);
  return { base, generation };
}

/** Receives the events of a segment in the order of the log. */
export interface EventSink {
  /** Adds an event. `revision` is undefined if the events come from a footer. */
  add(position: number, offset: number, stream: string, type: string, revision: number | undefined): void;
  /** Called for each stream in the `starts` of the footer. */
  startStream(stream: string, revision: number): void;
}

/** Adds the event in the payload of a record. */
export function addEvent(sink: EventSink, position: number, offset: number, payload: Buffer): void {
  const { stream, type, revision } = readPlace(payload);
  sink.add(position, offset, stream, type, revision);
}

/** The numbers in the header of a scavenged segment. */
export interface ScavengedHeader {
  readonly base: number;
  readonly generation: number;
  /** The distance from the base to the beginning of the next segment. */
  readonly logicalSize: number;
  /** The end of the records in the file. */
  readonly recordsEnd: number;
}

export function encodeSegmentHeader(base: number): Buffer {
  const header = Buffer.alloc(SEGMENT_HEADER);
  MAGIC.copy(header);
  header.writeBigUInt64LE(BigInt(base), 8);
  header.writeUInt32LE(1, 16);
  header.writeUInt32LE(crc32(header.subarray(0, 28)), 28);
  return header;
}

export function encodeScavengedHeader({ base, generation, logicalSize, recordsEnd }: ScavengedHeader): Buffer {
  const header = Buffer.alloc(SCAVENGED_HEADER);
  MAGIC.copy(header);
  header.writeBigUInt64LE(BigInt(base), 8);
  header.writeUInt32LE(2, 16);
  header.writeUInt32LE(generation, 20);
  header.writeBigUInt64LE(BigInt(logicalSize), 24);
  header.writeBigUInt64LE(BigInt(recordsEnd), 32);
  header.writeUInt32LE(crc32(header.subarray(0, 44)), 44);
  return header;
}

export function parseScavengedHeader(bytes: Buffer): ScavengedHeader | undefined {
  const header = {
    base: Number(bytes.readBigUInt64LE(8)),
    generation: bytes.readUInt32LE(20),
    logicalSize: Number(bytes.readBigUInt64LE(24)),
    recordsEnd: Number(bytes.readBigUInt64LE(32)),
  };
  return encodeScavengedHeader(header).equals(bytes) ? header : undefined;
}

/** The content of a footer: the index of a segment. */
export interface Footer {
  readonly base: number;
  readonly events: Iterable<readonly [position: number, stream: string, type: string]>;
  /** By stream that lost its first events in a scavenge: the first revision after the dropped events. */
  readonly starts: ReadonlyMap<string, number>;
  /** The offset of each event in a scavenged segment. */
  readonly offsets?: Uint32Array;
}

/**
 * Returns the footer for the events of an index. Use `with offsets` for a scavenged segment, because its records have
 * moved.
 */
export function footerOf(
  index: MemoryIndex,
  types: TypeNames,
  starts: ReadonlyMap<string, number>,
  withOffsets?: 'with offsets',
): Footer {
  const events = Array.from({ length: index.count }, (_, event): [number, string, string] => [
    index.position(event),
    index.streamName(index.streamOf(event)),
    types.name(index.typeOf(event)),
  ]);
  const offsets = Uint32Array.from({ length: index.count }, (_, event) => index.offset(event));
  return { base: index.base, events, starts, ...(withOffsets && { offsets }) };
}

/**
 * Encodes the record of a footer at `position`, and its trailer. The footer contains the names of streams and types,
 * then three numbers for each event: distance from the base, stream and type. The extended form also contains `starts`
 * and `offsets`.
 */
export function encodeFooter({ base, events, starts, offsets }: Footer, position: number): Buffer {
  const isExtended = starts.size > 0 || offsets !== undefined;
  const names = new Map<string, number>();
  const numberOf = (name: string) => {
    const number = names.get(name) ?? names.size;
    names.set(name, number);
    return number;
  };
  const columns: number[] = [];
  for (const [eventPosition, stream, type] of events) {
    columns.push(eventPosition - base, numberOf(stream), numberOf(type));
  }
  const count = columns.length / 3;
  const nameList = [...names.keys()];
  const json = Buffer.from(JSON.stringify(isExtended ? { names: nameList, starts: [...starts] } : nameList));
  const length = 8 + json.length + (columns.length + (offsets?.length ?? 0)) * 4;
  const bytes = Buffer.alloc(RECORD_HEADER + length + TRAILER);
  const footer = bytes.subarray(RECORD_HEADER);
  footer.writeUInt32LE(count, 0);
  footer.writeUInt32LE(json.length, 4);
  json.copy(footer, 8);
  let at = 8 + json.length;
  for (const value of columns) at = footer.writeUInt32LE(value, at);
  for (const value of offsets ?? []) at = footer.writeUInt32LE(value, at);
  writeRecordHeader(bytes, 0, length, isExtended ? EXTENDED_FOOTER : INDEX_FOOTER, position);
  bytes.writeUInt32LE(RECORD_HEADER + length, bytes.length - TRAILER);
  bytes.writeUInt32LE(TRAILER_MAGIC, bytes.length - 4);
  return bytes;
}

export function readFooter(footer: Buffer, { following }: RecordFrame, base: number, sink: EventSink): void {
  const count = footer.readUInt32LE(0);
  const columns = 8 + footer.readUInt32LE(4);
  const json = JSON.parse(footer.toString('utf8', 8, columns)) as unknown;
  const { names, starts } = (following === EXTENDED_FOOTER ? json : { names: json, starts: [] }) as {
    names: string[];
    starts: [string, number][];
  };
  for (const [stream, revision] of starts) sink.startStream(stream, revision);
  const name = (at: number) => names[footer.readUInt32LE(at)] ?? '';
  const end = columns + count * 12;
  const hasOffsets = footer.length > end;
  for (let event = 0; event < count; event += 1) {
    const at = columns + event * 12;
    const position = footer.readUInt32LE(at);
    const offset = hasOffsets ? footer.readUInt32LE(end + event * 4) : position;
    sink.add(base + position, offset, name(at + 4), name(at + 8), undefined);
  }
}
