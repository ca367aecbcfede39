/** Encodes and decodes the records of a backup entry: each record is an event of the log with a checksum. */
import { crc32 } from 'node:zlib';
import type { LogRecord } from './entries.ts';

/**
 * The format of a record, little-endian, with sizes in bytes: length of the payload (4), CRC-32 of the payload (4),
 * payload. The payload is: revision (8), id (16), created (8), `isJson` as 1 or 0 (1); then stream, type, metadata and
 * data, each after its length (4).
 */
const HEADER = 8;
const FIXED = 8 + 16 + 8 + 1;

export function encodeRecord({ stream, revision, id, type, created, isJson, metadata, data }: LogRecord): Buffer {
  const parts = [Buffer.from(stream), Buffer.from(type), metadata, data];
  const length = parts.reduce((sum, part) => sum + 4 + part.length, FIXED);
  const bytes = Buffer.allocUnsafe(HEADER + length);
  bytes.writeUInt32LE(length, 0);
  let at = bytes.writeBigUInt64LE(revision, HEADER);
  at += bytes.write(id.replaceAll('-', ''), at, 'hex');
  at = bytes.writeBigUInt64LE(BigInt(created), at);
  at = bytes.writeUInt8(isJson ? 1 : 0, at);
  for (const part of parts) {
    at = bytes.writeUInt32LE(part.length, at);
    at += part.copy(bytes, at);
  }
  bytes.writeUInt32LE(crc32(bytes.subarray(HEADER)), 4);
  return bytes;
}

/** Decodes all records of an entry. Throws an error whose message completes the sentence "the backup is damaged: ". */
export function decodeRecords(content: Buffer): LogRecord[] {
  const records: LogRecord[] = [];
  for (let at = 0; at < content.length; ) {
    const number = records.length + 1;
    if (content.length - at < HEADER) throw new Error(`record ${number} is cut off`);
    const length = content.readUInt32LE(at);
    const payload = content.subarray(at + HEADER, at + HEADER + length);
    if (payload.length < length || length < FIXED) throw new Error(`record ${number} is cut off`);
    if (crc32(payload) !== content.readUInt32LE(at + 4)) throw new Error(`record ${number} has a wrong checksum`);
    records.push(decodePayload(payload));
    at += HEADER + length;
  }
  return records;
}

function decodePayload(payload: Buffer): LogRecord {
  let at = FIXED;
  const part = () => {
    const begin = at + 4;
    at = begin + payload.readUInt32LE(at);
    return payload.subarray(begin, at);
  };
  const decoded: LogRecord = {
    revision: payload.readBigUInt64LE(0),
    id: payload.toString('hex', 8, 24).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
    created: Number(payload.readBigUInt64LE(24)),
    isJson: payload[32] === 1,
    stream: part().toString(),
    type: part().toString(),
    metadata: part(),
    data: part(),
  };
  if (at !== payload.length) throw new Error(`a record of ${decoded.stream} is longer or shorter than its fields`);
  return decoded;
}
