/** Reads the records of a log from its files, even while a store is writing to the log. */
import { segmentPaths } from './log.ts';
import { DamagedLog, isFooter, RECORD_HEADER } from './record.ts';
import { Segment } from './segment.ts';
import { parseSegmentName } from './segment-format.ts';

/** Records are read in chunks of this many bytes; a longer record is read as a whole. */
const READ_SIZE = 1024 * 1024;

export interface StoredRecord {
  readonly position: number;
  /** An encoded `RecordedEvent`. */
  readonly payload: Buffer;
}

/**
 * Yields the records of the log up to and including the position `upTo`. The store must have acknowledged the record at
 * `upTo`; appends change only bytes that are not acknowledged. A concurrent scavenge has no effect, because all files
 * are opened before the first record is read. Throws `DamagedLog` if a record is damaged, or if `upTo` has no record.
 */
export function* readLog(directory: string, upTo: number): Generator<StoredRecord[]> {
  const segments = openSegments(directory, upTo);
  try {
    let lastPosition = -1;
    for (const [index, segment] of segments.entries()) {
      for (const records of recordsOf(segment, segments[index + 1]?.base ?? upTo + 1)) {
        lastPosition = records.at(-1)?.position ?? lastPosition;
        yield records;
      }
    }
    if (lastPosition !== upTo) throw new DamagedLog(`${directory} has no record at position ${upTo}`);
  } finally {
    for (const segment of segments) segment.close();
  }
}

/**
 * Returns the size in bytes of the segment files up to a position. The size is approximate, because records have other
 * offsets in a scavenged segment.
 */
export function logSize(directory: string, upTo: number): number {
  const segments = openSegments(directory, upTo);
  for (const segment of segments) segment.close();
  return segments.reduce((sum, { fileSize, base }) => sum + Math.min(fileSize, upTo - base + RECORD_HEADER), 0);
}

/**
 * Opens the segments that begin at or before `upTo`, and retries if a scavenge replaces a segment meanwhile. A scavenge
 * replaces segments in the order of the log, so the remaining events of a stream have consecutive revisions even if
 * only the first segments are replaced.
 */
function openSegments(directory: string, upTo: number, attempts = 10): Segment[] {
  const segments: Segment[] = [];
  try {
    for (const path of segmentPaths(directory)) {
      if (parseSegmentName(path).base <= upTo) segments.push(Segment.open(path, 'r'));
    }
    return segments;
  } catch (error) {
    for (const segment of segments) segment.close();
    const isReplaced = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (!isReplaced || attempts === 1) throw error;
    return openSegments(directory, upTo, attempts - 1);
  }
}

/** Yields the records of a segment that begin before the position `end`. */
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
    // If no complete record was read, read the whole first record next.
    length = at === 0 ? RECORD_HEADER + bytes.readUInt32LE(0) : READ_SIZE;
    offset += at;
  }
}
