/** Reads the records of a log from its files, also while a store writes it. */
import { statSync } from 'node:fs';
import { segmentPaths } from './log.ts';
import { DamagedLog, isFooter, RECORD_HEADER } from './record.ts';
import { Segment } from './segment.ts';

/** Bytes that are read at once; a longer record is read whole. */
const READ_SIZE = 1024 * 1024;

/** The payload of a record, a wire `RecordedEvent`, and its position. */
export interface StoredRecord {
  readonly position: number;
  readonly payload: Buffer;
}

/**
 * Yields the records up to and including the one at `upTo`, which the store must have acknowledged: its bytes and those before
 * it never change. Throws DamagedLog.
 */
export function* readLog(directory: string, upTo: number): Generator<StoredRecord[]> {
  const paths = segmentPaths(directory).filter((path) => Segment.base(path) <= upTo);
  let last = -1;
  for (const [at, path] of paths.entries()) {
    const next = paths[at + 1];
    const segment = Segment.open(path, 'r');
    try {
      for (const records of recordsOf(segment, next === undefined ? upTo + 1 : Segment.base(next))) {
        last = records.at(-1)?.position ?? last;
        yield records;
      }
    } finally {
      segment.close();
    }
  }
  if (last !== upTo) throw new DamagedLog(`${directory} has no record at position ${upTo}`);
}

/** Size of the segment files up to a position, in bytes. */
export function logSize(directory: string, upTo: number): number {
  const paths = segmentPaths(directory).filter((path) => Segment.base(path) <= upTo);
  return paths.reduce((sum, path) => sum + Math.min(statSync(path).size, upTo - Segment.base(path) + RECORD_HEADER), 0);
}

/** The records that begin before the position `end`. */
function* recordsOf(segment: Segment, end: number): Generator<StoredRecord[]> {
  const endOffset = segment.isScavenged ? segment.recordsEnd : end - segment.base;
  let offset = segment.start;
  for (let length = READ_SIZE; offset < endOffset; ) {
    const bytes = segment.readAvailable(offset, length);
    const records: StoredRecord[] = [];
    let at = 0;
    while (offset + at < endOffset) {
      const { position, frame } = segment.inspect(bytes, at, offset);
      if (frame === 'cut off') break;
      if (frame === 'damaged' || isFooter(frame)) {
        throw new DamagedLog(`${segment.path}: the record at byte ${offset + at} is damaged`);
      }
      const payload = bytes.subarray(at + RECORD_HEADER, at + RECORD_HEADER + frame.length);
      if (position < end) records.push({ position, payload });
      at += RECORD_HEADER + frame.length;
    }
    if (records.length > 0) yield records;
    else if (at === 0 && bytes.length < length) throw new DamagedLog(`${segment.path} ends before position ${end}`);
    // The first record is longer than what was read.
    length = at === 0 ? RECORD_HEADER + bytes.readUInt32LE(0) : READ_SIZE;
    offset += at;
  }
}
