/** The format of one event in a segment file: a checksummed header of 16 bytes, then the wire `RecordedEvent`. */
import { crc32 } from 'node:zlib';

/**
 * | bytes | meaning |
 * |---|---|
 * | 0–3 | length of the payload |
 * | 4–7 | CRC-32 of the payload |
 * | 8–11 | how many events of the same append follow; an append counts only when all of them are there |
 * | 12–15 | CRC-32 of the first twelve bytes, seeded with the position: a record found at another place is damage too |
 */
export const RECORD_HEADER = 16;
/** Value of the third field in the record with a sealed segment's index. */
export const INDEX_FOOTER = 0xffff_ffff;
/** Like `INDEX_FOOTER`, for an index that also holds the offsets of its events, or first revisions of streams. */
export const EXTENDED_FOOTER = 0xffff_fffe;

export const isFooter = ({ following }: RecordFrame): boolean => following >= EXTENDED_FOOTER;

export interface RecordFrame {
  readonly length: number;
  /** CRC-32 of the payload. */
  readonly checksum: number;
  readonly following: number;
}

/** Writes the header before a payload that is already in place. */
export function sealRecord(target: Buffer, at: number, length: number, following: number, position: number): void {
  target.writeUInt32LE(length, at);
  target.writeUInt32LE(crc32(target.subarray(at + RECORD_HEADER, at + RECORD_HEADER + length)), at + 4);
  target.writeUInt32LE(following, at + 8);
  target.writeUInt32LE(crc32(target.subarray(at, at + 12), position % 2 ** 32), at + 12);
}

/** Thrown when stored bytes are not what was written. */
export class DamagedLog extends Error {
  override readonly name = 'DamagedLog';
}

/** The header of a record; undefined if it is damaged. The payload is not inspected. */
export function inspectHeader(bytes: Buffer, at: number, position: number): RecordFrame | undefined {
  if (bytes.readUInt32LE(at + 12) !== crc32(bytes.subarray(at, at + 12), position % 2 ** 32)) return undefined;
  return {
    length: bytes.readUInt32LE(at),
    checksum: bytes.readUInt32LE(at + 4),
    following: bytes.readUInt32LE(at + 8),
  };
}

/** Classifies the bytes at `at`: a whole record, the beginning of one that the end of the file cuts off, or damage. */
export function inspectRecord(bytes: Buffer, at: number, position: number): RecordFrame | 'cut off' | 'damaged' {
  if (bytes.length - at < RECORD_HEADER) return 'cut off';
  const frame = inspectHeader(bytes, at, position);
  if (frame === undefined) return 'damaged';
  const payload = at + RECORD_HEADER;
  if (bytes.length - payload < frame.length) return 'cut off';
  if (frame.checksum !== crc32(bytes.subarray(payload, payload + frame.length))) return 'damaged';
  return frame;
}

/** The payload of a record that must be whole. */
export function openRecord(bytes: Buffer, at: number, position: number): Buffer {
  const frame = inspectRecord(bytes, at, position);
  if (typeof frame === 'string') throw new DamagedLog(`the record at position ${position} is ${frame}`);
  return bytes.subarray(at + RECORD_HEADER, at + RECORD_HEADER + frame.length);
}
