/** One file of the log: a header, records and, when the file is sealed, a footer with the index of the records. */
import { closeSync, fstatSync, ftruncateSync, openSync, readSync, rmSync } from 'node:fs';
import { readPosition } from '../wire/recorded-event.ts';
import type { Disk } from './disk.ts';
import { DiskFull, isOutOfSpace, syncDirectory } from './disk.ts';
import type { FooterFrame } from './index/index-format.ts';
import {
  DamagedLog,
  inspectHeader,
  inspectRecord,
  isFooter,
  payloadOf,
  RECORD_HEADER,
  type RecordFrame,
} from './record.ts';
import {
  addEvent,
  type EventSink,
  encodeFooter,
  encodeSegmentHeader,
  type Footer,
  parseScavengedHeader,
  parseSegmentName,
  readFooter,
  SCAVENGED_HEADER,
  SEGMENT_HEADER,
  segmentPath,
  TRAILER,
  TRAILER_MAGIC,
} from './segment-format.ts';

/** A scan reads chunks of this many bytes; a longer record is read as a whole. */
const SCAN_SIZE = 1024 * 1024;

/** The record at `at` in bytes of the file. `frame` is a text if these bytes are no complete record. */
interface ScannedRecord {
  readonly bytes: Buffer;
  readonly at: number;
  /** The offset of the record in the file. */
  readonly offset: number;
  readonly position: number;
  readonly frame: ReturnType<typeof inspectRecord>;
}

/**
 * In a segment that was written by appends, the position of a record determines its offset. A scavenge replaces a
 * segment by a copy without the dropped events. In the copy, the records have the same positions but other offsets.
 */
export class Segment {
  readonly base: number;
  file: number;
  #path: string;
  /** The number of scavenges that have copied the segment. */
  readonly generation: number;
  /**
   * The distance from the base to the next segment. In a segment that was not scavenged, this is also the end of the
   * records in the file.
   */
  size = SEGMENT_HEADER;
  isSealed = false;
  /** The end of a scavenged segment's records in the file. */
  #recordsEnd: number | undefined;
  #footer: FooterFrame | undefined;
  /** The length of the file. In the active segment, zeros follow the records, and later records overwrite the zeros. */
  #allocated: number;

  private constructor(path: string, file: number) {
    const { base, generation } = parseSegmentName(path);
    this.#path = path;
    this.base = base;
    this.generation = generation;
    this.file = file;
    this.#allocated = fstatSync(file).size;
  }

  static async create(directory: string, base: number, disk: Disk): Promise<Segment> {
    const path = segmentPath(directory, base);
    let segment: Segment | undefined;
    try {
      segment = new Segment(path, openSync(path, 'w+', 0o600));
      await disk.write(segment.file, encodeSegmentHeader(base), 0);
    } catch (error) {
      if (!isOutOfSpace(error)) throw error;
      segment?.close();
      rmSync(path, { force: true });
      throw new DiskFull(error.message, { cause: error });
    }
    await disk.sync(segment.file);
    segment.#allocated = SEGMENT_HEADER;
    syncDirectory(directory);
    return segment;
  }

  /** Opens a file. Pass `r` in a process that only reads the log of a store. */
  static open(path: string, flags: 'r' | 'r+' = 'r+'): Segment {
    const segment = new Segment(path, openSync(path, flags));
    try {
      segment.#readHeader();
      return segment;
    } catch (error) {
      segment.close();
      throw error;
    }
  }

  #readHeader(): void {
    const { base, generation } = this;
    if (generation === 0) {
      if (this.readAvailable(0, SEGMENT_HEADER).equals(encodeSegmentHeader(base))) return;
      throw new DamagedLog(`${this.path} does not begin with the header of a segment at position ${base}`);
    }
    const bytes = this.readAvailable(0, SCAVENGED_HEADER);
    const header = bytes.length < SCAVENGED_HEADER ? undefined : parseScavengedHeader(bytes);
    if (header?.base !== base || header.generation !== generation) {
      throw new DamagedLog(
        `${this.path} does not begin with the header of generation ${generation} of a segment at position ${base}`,
      );
    }
    this.size = header.logicalSize;
    this.#recordsEnd = header.recordsEnd;
    this.isSealed = true;
  }

  get path(): string {
    return this.#path;
  }

  async rename(disk: Disk, path: string): Promise<void> {
    await disk.rename(this.#path, path);
    this.#path = path;
  }

  get isScavenged(): boolean {
    return this.generation > 0;
  }

  /** The offset of the first record. */
  get start(): number {
    return this.isScavenged ? SCAVENGED_HEADER : SEGMENT_HEADER;
  }

  /** The end of the records in the file. */
  get recordsEnd(): number {
    return this.#recordsEnd ?? this.size;
  }

  get fileSize(): number {
    return this.#allocated;
  }

  /** Reads bytes of the file; throws DamagedLog if the file is shorter. */
  read(offset: number, length: number): Buffer {
    const bytes = this.readAvailable(offset, length);
    if (bytes.length < length) throw new DamagedLog(`${this.path} ends before byte ${offset + length}`);
    return bytes;
  }

  /** Reads `length` bytes of the file, or fewer bytes if the file ends before. */
  readAvailable(offset: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    let done = 0;
    for (let count = 1; count > 0 && done < length; done += count) {
      count = readSync(this.file, bytes, done, length - done, offset + done);
    }
    return bytes.subarray(0, done);
  }

  /** The footer of a sealed segment, if it was found. */
  get footer(): FooterFrame | undefined {
    return this.#footer;
  }

  /**
   * Finds the footer of a sealed segment, which follows the last record, and marks the segment as sealed. Returns false
   * if there is no footer. Checks the header of the footer, but not its content.
   */
  findFooter(): boolean {
    const fileSize = this.#allocated;
    if (fileSize < this.start + TRAILER) return false;
    const trailer = this.read(fileSize - TRAILER, TRAILER);
    const length = trailer.readUInt32LE(0);
    const start = fileSize - TRAILER - length;
    if (trailer.readUInt32LE(4) !== TRAILER_MAGIC || start < this.start || length < RECORD_HEADER) return false;
    if (this.isScavenged && start !== this.recordsEnd) return false;
    const frame = inspectHeader(this.read(start, RECORD_HEADER), 0, this.base + start);
    if (frame === undefined || !isFooter(frame) || frame.length !== length - RECORD_HEADER) return false;
    this.#footer = frame;
    if (!this.isScavenged) this.size = start;
    this.isSealed = true;
    return true;
  }

  /** Marks a segment without a valid footer as sealed, because another segment follows it at the position `next`. */
  endAt(next: number): void {
    if (this.isScavenged) return;
    this.size = next - this.base;
    this.isSealed = true;
  }

  /** Passes the events in the footer of a sealed segment to `sink`; returns false if there is no valid footer. */
  loadFooter(sink: EventSink): boolean {
    const footer = this.#readFooter();
    if (footer) readFooter(footer.payload, footer.frame, this.base, sink);
    return footer !== undefined;
  }

  /** Whether the segment has a valid footer. If it has one, marks the segment as sealed. */
  hasFooter(): boolean {
    return this.#readFooter() !== undefined;
  }

  #readFooter(): { payload: Buffer; frame: RecordFrame } | undefined {
    const wasSealed = this.isSealed;
    const { size } = this;
    if (!this.findFooter()) return undefined;
    const start = this.recordsEnd;
    const bytes = this.read(start, this.#allocated - TRAILER - start);
    const frame = inspectRecord(bytes, 0, this.base + start);
    if (typeof frame !== 'string') return { payload: payloadOf(bytes, 0, frame), frame };
    this.isSealed = wasSealed;
    this.size = size;
    this.#footer = undefined;
    return undefined;
  }

  /**
   * Inspects the record at `at` in bytes that were read from `offset` on. The checksum depends on the position of the
   * record. In a scavenged segment, the position is read from the payload.
   */
  inspect(bytes: Buffer, at: number, offset: number): { position: number; frame: ReturnType<typeof inspectRecord> } {
    if (!this.isScavenged) {
      const position = this.base + offset + at;
      return { position, frame: inspectRecord(bytes, at, position) };
    }
    const noRecord = (frame: 'cut off' | 'damaged') => ({ position: this.base, frame });
    if (bytes.length - at < RECORD_HEADER) return noRecord('cut off');
    const end = at + RECORD_HEADER + bytes.readUInt32LE(at);
    if (offset + end > this.recordsEnd) return noRecord('damaged');
    if (end > bytes.length) return noRecord('cut off');
    const position = readPosition(bytes.subarray(at + RECORD_HEADER, end));
    return position === undefined ? noRecord('damaged') : { position, frame: inspectRecord(bytes, at, position) };
  }

  /**
   * Passes the events of the complete appends to `sink`, and sets `size` to the end of these appends. Stops at `end`,
   * at a footer, or at bytes that are no complete record. Throws DamagedLog at a damaged record before the position
   * `durable`, unless all bytes from this record on are zero; bytes from `durable` on were never acknowledged. Returns
   * whether only zeros follow the complete appends. In a scavenged segment, passes all events and returns true.
   */
  scan(durable: number, sink: EventSink, end?: number): boolean {
    if (this.isScavenged) {
      this.#scanScavenged(sink);
      return true;
    }
    let size = SEGMENT_HEADER;
    let pending: [number, Buffer][] = [];
    const fileEnd = end ?? this.#allocated;
    for (const { bytes, at, offset, frame } of this.#frames(fileEnd)) {
      const position = this.base + offset;
      if (frame === 'damaged' && position < durable && !this.#isZeroFilled(offset, fileEnd)) {
        throw new DamagedLog(`${this.path}: the record at position ${position} is damaged`);
      }
      if (typeof frame === 'string' || isFooter(frame)) break;
      pending.push([position, payloadOf(bytes, at, frame)]);
      if (frame.following > 0) continue;
      for (const [position, payload] of pending) addEvent(sink, position, position - this.base, payload);
      pending = [];
      size = offset + RECORD_HEADER + frame.length;
    }
    this.size = size;
    return this.#isZeroFilled(size, fileEnd);
  }

  /**
   * Reads every record of a scavenged segment. Each record counts, even if other records of its append were dropped.
   */
  #scanScavenged(sink: EventSink): void {
    for (const { bytes, at, offset, position, frame } of this.#frames(this.recordsEnd)) {
      if (typeof frame === 'string') {
        throw new DamagedLog(`${this.path}: the record at byte ${offset} is damaged`);
      }
      addEvent(sink, position, offset, payloadOf(bytes, at, frame));
    }
  }

  /**
   * Yields the records up to the offset `end`. Also yields the first bytes that are not a complete record, then stops.
   */
  *#frames(end: number): Generator<ScannedRecord> {
    let length = SCAN_SIZE;
    for (let start = this.start; start < end; ) {
      const bytes = this.read(start, Math.min(length, end - start));
      let at = 0;
      while (at < bytes.length) {
        const { position, frame } = this.inspect(bytes, at, start);
        if (frame === 'cut off' && start + bytes.length < end) break;
        yield { bytes, at, offset: start + at, position, frame };
        if (typeof frame === 'string') return;
        at += RECORD_HEADER + frame.length;
      }
      // If the first record is longer than the bytes that were read, read the whole record next.
      length = at === 0 ? RECORD_HEADER + bytes.readUInt32LE(0) : SCAN_SIZE;
      start += at;
    }
  }

  /** Whether all bytes of the file between two offsets are zero. */
  #isZeroFilled(from: number, end: number): boolean {
    for (let offset = from; offset < end; offset += SCAN_SIZE) {
      if (!isZeroFilled(this.read(offset, Math.min(SCAN_SIZE, end - offset)))) return false;
    }
    return true;
  }

  /**
   * Writes bytes after the existing records and makes them durable. The file grows in steps, filled with zeros, because
   * a sync takes half the time if the length of the file has not changed.
   */
  async append(disk: Disk, bytes: Uint8Array, step: number): Promise<void> {
    const end = this.size + bytes.length;
    const newLength = end > this.#allocated ? Math.ceil(end / step) * step : this.#allocated;
    const written = newLength > this.#allocated ? Buffer.concat([bytes], newLength - this.size) : bytes;
    await this.#writeAfterRecords(disk, written);
    await disk.sync(this.file);
    this.size = end;
    this.#allocated = newLength;
  }

  async #writeAfterRecords(disk: Disk, bytes: Uint8Array): Promise<void> {
    try {
      await disk.write(this.file, bytes, this.size);
    } catch (error) {
      if (!isOutOfSpace(error)) throw error;
      ftruncateSync(this.file, this.size);
      this.#allocated = this.size;
      throw new DiskFull(error.message, { cause: error });
    }
  }

  /** Opens the file again, and closes the old descriptor. */
  reopen(): void {
    const file = openSync(this.path, 'r+');
    closeSync(this.file);
    this.file = file;
  }

  /**
   * Rewrites the bytes of the file from a position of the log on, and syncs them. Rewrites a scavenged segment
   * completely. Returns false, without writing, if the segment ends at or before the position.
   */
  async rewriteFrom(disk: Disk, position: number): Promise<boolean> {
    // A footer after the position is not written again, because it can be rebuilt from the records.
    if (position - this.base >= this.size) return false;
    const from = this.isScavenged ? 0 : Math.max(0, position - this.base);
    await disk.write(this.file, this.read(from, this.#allocated - from), from);
    await disk.sync(this.file);
    return true;
  }

  /**
   * Truncates the file of an unsealed segment after the records. No sync is needed: if a power cut undoes the
   * truncation, the next start truncates the file again.
   */
  truncate(): void {
    if (this.isSealed || this.#allocated === this.size) return;
    ftruncateSync(this.file, this.size);
    this.#allocated = this.size;
  }

  /** Seals the segment: writes a footer with the index of its events. No record can be appended after the footer. */
  async seal(disk: Disk, footer: Footer): Promise<void> {
    this.truncate();
    const bytes = encodeFooter(footer, this.base + this.size);
    await this.#writeAfterRecords(disk, bytes);
    await disk.sync(this.file);
    this.#allocated = this.size + bytes.length;
    this.#footer = inspectHeader(bytes, 0, this.base + this.size);
    this.isSealed = true;
  }

  close(): void {
    closeSync(this.file);
  }
}

const isZeroFilled = (bytes: Buffer) => bytes.every((byte) => byte === 0);
