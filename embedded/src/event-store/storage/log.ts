/**
 * The log: a sequence of segment files in one directory. Appends are written to the last file. A position is a byte
 * offset in the sequence.
 */
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Checkpoint } from './checkpoint.ts';
import { type Disk, DiskFull, syncDirectory, TEMPORARY_EXTENSION } from './disk.ts';
import type { EventIndex } from './index/event-index.ts';
import { IndexFiles, indexPath, indexSink } from './index/index-files.ts';
import { runInTurns } from './index/index-format.ts';
import { PagedIndex } from './index/paged-index.ts';
import { MemoryIndex, RevisionGap } from './index/segment-index.ts';
import { DamagedLog } from './record.ts';
import { Segment } from './segment.ts';
import { footerOf, parseSegmentName, SEGMENT_HEADER } from './segment-format.ts';

export interface LogOptions {
  readonly directory: string;
  readonly disk: Disk;
  /** Size at which a segment is sealed, in bytes. */
  readonly segmentSize: number;
  /** Receives warnings about the files for operators. */
  readonly warn: (message: string) => void;
  /**
   * The end that an operator accepts although later acknowledged events may be missing: the position of the last event,
   * or 0 for a log without events.
   */
  readonly acceptedEnd?: number | undefined;
  /** Maximum number of bytes of index files in memory. */
  readonly pageCache: number;
}

/**
 * Thrown when acknowledged events are missing at the end of the log, or when the store cannot check whether any are
 * missing.
 */
export class ShortenedLog extends Error {
  override readonly name = 'ShortenedLog';
}

/** The file of the active segment grows by this many bytes at a time. */
const GROWTH = 1024 * 1024;
/** After the disk was full, appends are accepted again when this many bytes are free. */
const SPACE_NEEDED = 64 * 1024 * 1024;

export class EventLog {
  readonly #options: LogOptions;
  readonly #segments: Segment[] = [];
  readonly #checkpoint: Checkpoint;
  readonly #index: EventIndex;
  readonly indexFiles: IndexFiles;
  /** Resolves when the active segment is checked against the earlier segments. Rejects with DamagedLog. */
  checked: Promise<void> = Promise.resolve();
  /** False during a write, and permanently after a write failed for any reason but a full disk. */
  #isSound = true;
  #isFull = false;

  private constructor(options: LogOptions, index: EventIndex) {
    this.#options = options;
    this.#index = index;
    this.indexFiles = new IndexFiles(options, index);
    mkdirSync(options.directory, { recursive: true, mode: 0o700 });
    this.#checkpoint = new Checkpoint(options.directory);
  }

  /** Opens or creates the log and fills the index with its events. */
  static async open(options: LogOptions, index: EventIndex): Promise<EventLog> {
    const log = new EventLog(options, index);
    try {
      await log.#recover();
      return log;
    } catch (error) {
      log.#closeFiles();
      throw error;
    }
  }

  async #recover(): Promise<void> {
    const { directory } = this.#options;
    const acknowledged = this.#checkpoint.initialPosition;
    const generations = segmentGenerations(directory);
    const paths = [...generations.values()].map(currentGeneration);
    const outdatedPaths = [...generations.values()].flat().filter((path) => !paths.includes(path));
    // The file of a new segment is created before its header is written, so the file is shorter than a header if the
    // store ended in between.
    const newest = paths.at(-1);
    const emptyPath = newest !== undefined && statSync(newest).size < SEGMENT_HEADER ? paths.pop() : undefined;
    const bases = paths.map((path) => parseSegmentName(path).base);
    if (bases.length > 0 && bases[0] !== 0) throw new DamagedLog(`${directory} lacks the segment that begins at 0`);
    for (const [at, path] of paths.entries()) this.#openSegment(path, bases[at + 1]);
    const last = this.#segments.at(-1);
    const active = last && (last.isSealed ? undefined : this.#readActive(last));
    const isAccepted = this.#requireAcknowledgedEvents(acknowledged, active);
    for (const segment of this.#segments) {
      if (segment === last && active) this.#index.addActive(last, active);
      else this.#index.addSealed(segment, this.indexFiles.load(segment));
      // Write each index file immediately, because an index that is not in its file takes memory.
      await this.indexFiles.write();
    }
    // Change no file of the log before this line. If a check above fails, an operator may want to inspect or repair the
    // files.
    if (emptyPath !== undefined) rmSync(emptyPath);
    for (const path of [...outdatedPaths, ...leftoverFiles(directory, paths)]) rmSync(path);
    last?.truncate();
    await this.#syncFrom(acknowledged ?? 0);
    this.#index.publish();
    // Write the checkpoint before the first segment, so that no segment exists without a checkpoint.
    if (acknowledged === undefined && last === undefined) this.#checkpoint.write(0, 'sync');
    if (last === undefined) await this.#startSegment(0);
    else if (last.isSealed) await this.#unlessFull(() => this.#startSegment(this.tail));
    this.#checkpoint.write(this.tail, isAccepted ? 'sync' : undefined);
    const { path } = this.#active;
    this.checked = runInTurns(this.#index.checkActive(), () => setImmediate()).catch((error) => {
      throw toDamagedLog(error, path);
    });
  }

  /**
   * Throws ShortenedLog unless all acknowledged events exist or the operator accepts the end of the log. Returns
   * whether the acceptance of the operator was needed.
   */
  #requireAcknowledgedEvents(acknowledged: number | undefined, active: MemoryIndex | undefined): boolean {
    const { directory, warn, acceptedEnd } = this.#options;
    const last = this.#segments.at(-1);
    const size = last === undefined ? 0 : last.base + last.size;
    // A sealed segment is followed by the header of the next segment, which counts as acknowledged.
    const end = last === undefined || last.isSealed ? size + SEGMENT_HEADER : size;
    if (acknowledged === undefined ? last === undefined : end >= acknowledged) return false;
    const lastPosition = this.#lastPosition(active);
    const actualEnd = lastPosition ?? 0;
    const endText =
      lastPosition === undefined ? 'the log has no events' : `the log ends with the event at position ${actualEnd}`;
    const problem =
      acknowledged === undefined
        ? `${endText}, and its file "checkpoint" is missing or damaged, so that it is unknown whether later events were acknowledged`
        : `${endText}, but events up to position ${acknowledged} were acknowledged`;
    if (acceptedEnd === actualEnd) {
      warn(`${directory}: ${problem}. ACCEPT_LOG_END=${acceptedEnd} accepts this loss`);
      return true;
    }
    const otherPosition = acceptedEnd === undefined ? '' : ` ACCEPT_LOG_END=${acceptedEnd} names another position.`;
    throw new ShortenedLog(
      `${directory}: ${problem}.${otherPosition} Put the missing files back, or start once with ACCEPT_LOG_END=${actualEnd} to continue without the missing events.`,
    );
  }

  /**
   * Makes the bytes after a position durable by writing them again, because the sync of an earlier process may have
   * failed. A sync alone would not write bytes that the operating system considers written.
   */
  async #syncFrom(position: number): Promise<void> {
    const { directory, disk } = this.#options;
    let isRewritten = false;
    for (const segment of this.#segments) isRewritten = (await segment.rewriteFrom(disk, position)) || isRewritten;
    if (isRewritten) syncDirectory(directory);
  }

  /** Returns the position of the last event in the files; undefined if there are no events. */
  #lastPosition(active: MemoryIndex | undefined): number | undefined {
    if (active && active.count > 0) return active.position(active.count - 1);
    const sealed = this.#segments.filter((segment) => segment.isSealed);
    for (const segment of sealed.reverse()) {
      const index = this.indexFiles.inspect(segment);
      if (index.count > 0) return index.position(index.count - 1);
    }
    return undefined;
  }

  /** Opens a segment file. `next` is the position at which the next segment begins; undefined for the last segment. */
  #openSegment(path: string, next: number | undefined): void {
    const segment = Segment.open(path);
    this.#segments.push(segment);
    if (next === undefined) {
      // `hasFooter` marks the segment as sealed if the segment has a valid footer.
      segment.hasFooter();
      return;
    }
    if (!segment.findFooter()) segment.endAt(next);
    if (segment.base + segment.size !== next) {
      throw new DamagedLog(
        `${path} ends at position ${segment.base + segment.size}, but the next segment begins at ${next}`,
      );
    }
  }

  /** Reads the records of the active segment. */
  #readActive(segment: Segment): MemoryIndex {
    const { path, base } = segment;
    const active = new MemoryIndex(base, this.#index.types);
    try {
      const isWhole = segment.scan(this.#checkpoint.initialPosition ?? Number.POSITIVE_INFINITY, indexSink(active));
      if (!isWhole) {
        this.#options.warn(`${path}: an unfinished append after position ${base + segment.size} is cut off`);
      }
      return active;
    } catch (error) {
      throw toDamagedLog(error, path);
    }
  }

  get #active(): Segment {
    const segment = this.#segments.at(-1);
    if (segment === undefined) throw new Error('the log has no segment');
    return segment;
  }

  /** The position of the next record. */
  get tail(): number {
    return this.#active.base + this.#active.size;
  }

  /** Whether the disk was full at the last write. If so, nothing is written until `resume` finds space. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /**
   * Writes `bytes`, which must be encoded for the position `tail`, and makes them durable. Returns false if the disk is
   * full and nothing was written. If this function throws, the caller must not write again.
   */
  append(bytes: Uint8Array): Promise<boolean> {
    const { disk, segmentSize } = this.#options;
    return this.#unlessFull(() => this.#active.append(disk, bytes, Math.min(GROWTH, segmentSize)));
  }

  /**
   * Seals the active segment if it is full, or with `seal` if it has any record, and starts the next segment. Call this
   * between two commit groups. Returns false if the disk is full.
   */
  async rollOver(seal?: 'seal'): Promise<boolean> {
    const segment = this.#active;
    const minimumSize = seal === undefined ? this.#options.segmentSize : SEGMENT_HEADER + 1;
    if (!segment.isSealed && segment.size < minimumSize) return true;
    // Wait for the index file of the previous segment, because an index takes memory until its file is written.
    await Promise.all([this.checked, this.indexFiles.settled()]);
    return this.#unlessFull(async () => {
      if (!segment.isSealed) {
        const { active } = this.#index;
        await segment.seal(this.#options.disk, footerOf(active, this.#index.types, lateStarts(active)));
        this.indexFiles.seal(this.#index.seal(), active);
      }
      await this.#startSegment(this.tail);
    });
  }

  /** Accepts appends again if enough space is free. Returns whether appends are accepted. */
  async resume(): Promise<boolean> {
    const { directory, disk, warn } = this.#options;
    if ((await disk.free(directory)) < SPACE_NEEDED) return false;
    this.#active.reopen();
    this.#isFull = false;
    void this.indexFiles.write();
    warn(`${directory}: space is free again; appends are accepted`);
    return true;
  }

  async #unlessFull(write: () => Promise<void>): Promise<boolean> {
    const { directory, warn } = this.#options;
    this.#isSound = false;
    try {
      await write();
      this.#isSound = true;
    } catch (error) {
      if (!(error instanceof DiskFull)) throw error;
      this.#isSound = true;
      this.#isFull = true;
      warn(`${directory}: the disk is full (${error.message}); only reads are served until 64 MiB are free`);
      return false;
    }
    this.#checkpoint.write(this.tail);
    return true;
  }

  async #startSegment(base: number): Promise<void> {
    const { directory, disk } = this.#options;
    const segment = await Segment.create(directory, base, disk);
    this.#segments.push(segment);
    this.#index.addActive(segment);
  }

  get directory(): string {
    return this.#options.directory;
  }

  get disk(): Disk {
    return this.#options.disk;
  }

  /** Replaces a segment by its scavenged copy. */
  replace(original: Segment, copy: Segment): void {
    const at = this.#segments.indexOf(original);
    if (at < 0) throw new Error(`${original.path} is not a segment of the log`);
    this.#segments[at] = copy;
    original.close();
  }

  /** Truncates the allocated space after the records, unless the state of the files is unknown. */
  async close(): Promise<void> {
    this.#index.stopCheck();
    await Promise.all([this.checked.catch(() => undefined), this.indexFiles.settled()]);
    if (this.#isSound) this.#active.truncate();
    this.#closeFiles();
  }

  #closeFiles(): void {
    for (const segment of this.#segments) segment.close();
    for (const { index } of this.#index.segments) if (index instanceof PagedIndex) index.close();
    this.#checkpoint.close();
  }
}

const toDamagedLog = (error: unknown, path: string): unknown =>
  error instanceof RevisionGap ? new DamagedLog(`${path}: ${error.message}`, { cause: error }) : error;

/** Returns the revision of the first stored event of each stream that begins in this segment above revision 0. */
function lateStarts({ streams }: MemoryIndex): Map<string, number> {
  const late = streams.filter(({ beginsLate, events }) => beginsLate && events.length > 0);
  return new Map(late.map(({ name, first }) => [name, first]));
}

/** Returns the file of the latest generation of each segment, oldest segment first. */
export function segmentPaths(directory: string): string[] {
  return [...segmentGenerations(directory).values()].flatMap((paths) => paths.slice(0, 1));
}

/** Returns the files of each segment by its base, latest generation first. */
function segmentGenerations(directory: string): Map<number, string[]> {
  const generations = new Map<number, string[]>();
  const files = readdirSync(directory)
    .filter((name) => name.endsWith('.log'))
    .map((name) => ({ path: join(directory, name), ...parseSegmentName(name) }))
    .sort((one, other) => one.base - other.base || other.generation - one.generation);
  for (const { base, path } of files) generations.set(base, [...(generations.get(base) ?? []), path]);
  return generations;
}

/**
 * Returns the file to use for a segment: the file of the latest generation, or an earlier one if the latest is damaged.
 * A killed scavenge may leave two generations.
 */
function currentGeneration([latest = '', ...earlier]: string[]): string {
  if (earlier.length === 0 || hasFooter(latest)) return latest;
  return earlier.find(hasFooter) ?? latest;
}

function hasFooter(path: string): boolean {
  try {
    const segment = Segment.open(path, 'r');
    try {
      return segment.hasFooter();
    } finally {
      segment.close();
    }
  } catch (error) {
    if (error instanceof DamagedLog) return false;
    throw error;
  }
}

/** Returns files that were being written when the store was killed, and index files without a segment. */
function leftoverFiles(directory: string, segments: readonly string[]): string[] {
  const indexes = new Set(segments.map(indexPath));
  return readdirSync(directory)
    .map((name) => join(directory, name))
    .filter((path) => path.endsWith(TEMPORARY_EXTENSION) || (path.endsWith('.index') && !indexes.has(path)));
}
