/** The format of a record in a segment file: a header of 16 bytes with checksums, then the encoded `RecordedEvent`. */
import { crc32 } from 'node:zlib';

/**
 * | bytes | meaning |
 * |---|---|
 * | 0–3 | length of the payload |
 * | 4–7 | CRC-32 of the payload |
 * | 8–11 | the number of later events in the same append, or the kind of a footer |
 * | 12–15 | CRC-32 of the first twelve bytes, seeded with the position |
 *
 * An append counts only if all its events exist. The seed makes a record at another position count as damaged.
 */
export const RECORD_HEADER = 16;
/** Value of `following` in a footer, which is the record with the index of a sealed segment. */
export const INDEX_FOOTER = 0xffff_ffff;
/** Like `INDEX_FOOTER`, for an index that also contains the offsets of its events or the first revisions of streams. */
export const EXTENDED_FOOTER = 0xffff_fffe;

export const isFooter = ({ following }: RecordFrame): boolean => following >= EXTENDED_FOOTER;

export interface RecordFrame {
  readonly length: number;
  /** CRC-32 of the payload. */
  readonly checksum: number;
  /** The number of later events in the same append, or the kind of a footer. */
  readonly following: number;
}

/** Writes the header of a record whose payload is already in the buffer. */
export function writeRecordHeader(
  target: Buffer,
  at: number,
  length: number,
  following: number,
  position: number,
): void {
  target.writeUInt32LE(length, at);
  target.writeUInt32LE(crc32(target.subarray(at + RECORD_HEADER, at + RECORD_HEADER + length)), at + 4);
  target.writeUInt32LE(following, at + 8);
  target.writeUInt32LE(crc32(target.subarray(at, at + 12), position % 2 ** 32), at + 12);
}

/** Thrown when files of the log are damaged or incomplete, or contradict each other. */
export class DamagedLog extends Error {
  override readonly name = 'DamagedLog';
}

/** Parses the header of a record without checking the payload; returns undefined if the header is damaged. */
export function inspectHeader(bytes: Buffer, at: number, position: number): RecordFrame | undefined {
  if (bytes.readUInt32LE(at + 12) !== crc32(bytes.subarray(at, at + 12), position % 2 ** 32)) return undefined;
  return {
    length: bytes.readUInt32LE(at),
    checksum: bytes.readUInt32LE(at + 4),
    following: bytes.readUInt32LE(at + 8),
  };
}

/**
 * Inspects the bytes at `at`: returns the header of a complete record, `cut off` if the bytes end within a record, or
 * `damaged`.
 */
export function inspectRecord(bytes: Buffer, at: number, position: number): RecordFrame | 'cut off' | 'damaged' {
  if (bytes.length - at < RECORD_HEADER) return 'cut off';
  const frame = inspectHeader(bytes, at, position);
  if (frame === undefined) return 'damaged';
  const payload = at + RECORD_HEADER;
  if (bytes.length - payload < frame.length) return 'cut off';
  if (frame.checksum !== crc32(bytes.subarray(payload, payload + frame.length))) return 'damaged';
  return frame;
}

/** The payload of the record at `at`. */
export const payloadOf = (bytes: Buffer, at: number, { length }: RecordFrame): Buffer =>
  bytes.subarray(at + RECORD_HEADER, at + RECORD_HEADER + length);

/** Returns the payload of a record. Throws DamagedLog if the record is damaged or not complete. */
export function openRecord(bytes: Buffer, at: number, position: number): Buffer {
  const frame = inspectRecord(bytes, at, position);
  if (typeof frame === 'string') throw new DamagedLog(`the record at position ${position} is ${frame}`);
  return payloadOf(bytes, at, frame);
}
