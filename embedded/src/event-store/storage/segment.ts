/** One file of the log: a header, records, and, once it is full, a footer that indexes them. */
import { closeSync, fstatSync, ftruncateSync, openSync, readSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { readHeader } from '../wire/recorded-event.ts';
import type { Disk } from './disk.ts';
import { DiskFull, isOutOfSpace, syncDirectory } from './disk.ts';
import { DamagedLog, INDEX_FOOTER, inspectRecord, openRecord, RECORD_HEADER, sealRecord } from './record.ts';

/** `RDMEVLOG`, then the position of the file's first byte, a version and a checksum. */
export const SEGMENT_HEADER = 32;
const MAGIC = Buffer.from('RDMEVLOG');
const TRAILER = 8;
const TRAILER_MAGIC = 0x58444e49;

export type Visit = (position: number, stream: string, type: string) => void;

export class Segment {
  readonly base: number;
  file: number;
  readonly path: string;
  /** The end of the records, counted from the beginning of the file. */
  size = SEGMENT_HEADER;
  isSealed = false;
  /** The file's length: the records are followed by zeros, to be overwritten. */
  #allocated: number;

  private constructor(path: string, base: number, file: number) {
    this.path = path;
    this.base = base;
    this.file = file;
    this.#allocated = fstatSync(file).size;
  }

  static path(directory: string, base: number): string {
    return join(directory, `${base.toString().padStart(20, '0')}.log`);
  }

  /** The position in a file's name. */
  static base(path: string): number {
    return Number(basename(path, '.log'));
  }

  static async create(directory: string, base: number, disk: Disk): Promise<Segment> {
    const path = Segment.path(directory, base);
    let segment: Segment | undefined;
    try {
      segment = new Segment(path, base, openSync(path, 'w+', 0o600));
      await disk.write(segment.file, segmentHeader(base), 0);
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

  /** `flags` are `r` for a process that only reads beside the store. */
  static open(path: string, flags: 'r' | 'r+' = 'r+'): Segment {
    const base = Segment.base(path);
    const segment = new Segment(path, base, openSync(path, flags));
    const header = segment.read(0, Math.min(SEGMENT_HEADER, segment.#allocated));
    if (!header.equals(segmentHeader(base))) {
      segment.close();
      throw new DamagedLog(`${path} does not begin with the header of a segment at position ${base}`);
    }
    return segment;
  }

  /** Reads bytes of the file; throws DamagedLog if the file is shorter. */
  read(offset: number, length: number): Buffer {
    const bytes = this.readAvailable(offset, length);
    if (bytes.length < length) throw new DamagedLog(`${this.path} ends before byte ${offset + length}`);
    return bytes;
  }

  /** Reads up to `length` bytes of the file; fewer where it ends. */
  readAvailable(offset: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    let done = 0;
    for (let count = 1; count > 0 && done < length; done += count) {
      count = readSync(this.file, bytes, done, length - done, offset + done);
    }
    return bytes.subarray(0, done);
  }

  /** Visits the events of a sealed segment in its footer; returns false if there is no valid footer. */
  loadFooter(visit: Visit): boolean {
    const fileSize = this.#allocated;
    if (fileSize < SEGMENT_HEADER + TRAILER) return false;
    const trailer = this.read(fileSize - TRAILER, TRAILER);
    const length = trailer.readUInt32LE(0);
    const start = fileSize - TRAILER - length;
    if (trailer.readUInt32LE(4) !== TRAILER_MAGIC || start < SEGMENT_HEADER) return false;
    const bytes = this.read(start, length);
    const frame = inspectRecord(bytes, 0, this.base + start);
    if (typeof frame === 'string' || frame.following !== INDEX_FOOTER) return false;
    readFooter(openRecord(bytes, 0, this.base + start), this.base, visit);
    this.size = start;
    this.isSealed = true;
    return true;
  }

  /**
   * Reads every record up to `end`, by default the end of the file. After the position `durable` the first incomplete record
   * ends the log: it was being written when the store died, and was never acknowledged. Before it, only a file that ends early,
   * or in nothing but zeros, is accepted. Returns whether the whole appends are followed by nothing but zeros.
   */
  scan(durable: number, visit: Visit, end?: number): boolean {
    const bytes = this.read(0, end ?? this.#allocated);
    let offset = SEGMENT_HEADER;
    let pending: Parameters<Visit>[] = [];
    while (offset < bytes.length) {
      const position = this.base + offset;
      const frame = inspectRecord(bytes, offset, position);
      if (frame === 'damaged' && position < durable && !isBlank(bytes.subarray(offset))) {
        throw new DamagedLog(`${this.path}: the record at position ${position} is damaged`);
      }
      if (typeof frame === 'string') break;
      if (frame.following === INDEX_FOOTER) break;
      const event = readHeader(bytes.subarray(offset + RECORD_HEADER, offset + RECORD_HEADER + frame.length));
      pending.push([position, event.stream, event.type]);
      offset += RECORD_HEADER + frame.length;
      if (frame.following > 0) continue;
      for (const event of pending) visit(...event);
      pending = [];
      this.size = offset;
    }
    return isBlank(bytes.subarray(this.size));
  }

  /**
   * Makes bytes durable after the existing records. The file grows in steps of zeros: a sync that need not also record a new
   * length takes half the time.
   */
  async append(disk: Disk, bytes: Uint8Array, step: number): Promise<void> {
    const end = this.size + bytes.length;
    const grown = end > this.#allocated ? Math.ceil(end / step) * step : this.#allocated;
    const written = grown > this.#allocated ? Buffer.concat([bytes], grown - this.size) : bytes;
    await this.#writeBehindRecords(disk, written);
    await disk.sync(this.file);
    this.size = end;
    this.#allocated = grown;
  }

  async #writeBehindRecords(disk: Disk, bytes: Uint8Array): Promise<void> {
    try {
      await disk.write(this.file, bytes, this.size);
    } catch (error) {
      if (!isOutOfSpace(error)) throw error;
      ftruncateSync(this.file, this.size);
      this.#allocated = this.size;
      throw new DiskFull(error.message, { cause: error });
    }
  }

  /** Closes the file and opens it again. */
  reopen(): void {
    const file = openSync(this.path, 'r+');
    closeSync(this.file);
    this.file = file;
  }

  /** Writes the records after a position of the log again and syncs them; returns whether there were any. */
  async rewriteFrom(disk: Disk, position: number): Promise<boolean> {
    const from = Math.max(0, position - this.base);
    // The footer of a sealed segment can be rebuilt from its records.
    if (from >= this.size) return false;
    await disk.write(this.file, this.read(from, this.#allocated - from), from);
    await disk.sync(this.file);
    return true;
  }

  /** Truncates the file after the records. If a power cut undoes it, it is only truncated again. */
  truncate(): void {
    if (this.isSealed || this.#allocated === this.size) return;
    ftruncateSync(this.file, this.size);
    this.#allocated = this.size;
  }

  /** Closes the segment for writing, with an index of its events. */
  async seal(disk: Disk, footer: Buffer): Promise<void> {
    this.truncate();
    const bytes = Buffer.alloc(RECORD_HEADER + footer.length + TRAILER);
    footer.copy(bytes, RECORD_HEADER);
    sealRecord(bytes, 0, footer.length, INDEX_FOOTER, this.base + this.size);
    bytes.writeUInt32LE(RECORD_HEADER + footer.length, bytes.length - TRAILER);
    bytes.writeUInt32LE(TRAILER_MAGIC, bytes.length - 4);
    await this.#writeBehindRecords(disk, bytes);
    await disk.sync(this.file);
    this.isSealed = true;
  }

  close(): void {
    closeSync(this.file);
  }
}

const isBlank = (bytes: Buffer) => bytes.every((byte) => byte === 0);

function segmentHeader(base: number): Buffer {
  const header = Buffer.alloc(SEGMENT_HEADER);
  MAGIC.copy(header);
  header.writeBigUInt64LE(BigInt(base), 8);
  header.writeUInt32LE(1, 16);
  header.writeUInt32LE(crc32(header.subarray(0, 28)), 28);
  return header;
}

/** Encodes the footer: the names of streams and types, then three numbers for each event. */
export function writeFooter(base: number, events: Iterable<Parameters<Visit>>): Buffer {
  const names = new Map<string, number>();
  const numberOf = (name: string) => {
    const known = names.get(name) ?? names.size;
    names.set(name, known);
    return known;
  };
  const columns: number[] = [];
  for (const [position, stream, type] of events) columns.push(position - base, numberOf(stream), numberOf(type));
  const json = Buffer.from(JSON.stringify([...names.keys()]));
  const footer = Buffer.alloc(8 + json.length + columns.length * 4);
  footer.writeUInt32LE(columns.length / 3, 0);
  footer.writeUInt32LE(json.length, 4);
  json.copy(footer, 8);
  columns.forEach((value, index) => {
    footer.writeUInt32LE(value, 8 + json.length + index * 4);
  });
  return footer;
}

function readFooter(footer: Buffer, base: number, visit: Visit): void {
  const columns = 8 + footer.readUInt32LE(4);
  const names = JSON.parse(footer.toString('utf8', 8, columns)) as string[];
  const name = (at: number) => names[footer.readUInt32LE(at)] ?? '';
  for (let event = 0, at = columns; event < footer.readUInt32LE(0); event += 1, at += 12) {
    visit(base + footer.readUInt32LE(at), name(at + 4), name(at + 8));
  }
}
