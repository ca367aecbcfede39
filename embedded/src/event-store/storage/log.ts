/**
 * The log: a sequence of segment files in one directory, the last of which grows. A position is a byte offset in the sequence.
 */
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Checkpoint } from './checkpoint.ts';
import { type Disk, DiskFull, syncDirectory } from './disk.ts';
import { type EventIndex, RevisionGap } from './event-index.ts';
import { DamagedLog } from './record.ts';
import { type Footer, SEGMENT_HEADER, Segment } from './segment.ts';

export interface LogOptions {
  readonly directory: string;
  readonly disk: Disk;
  /** Size at which a segment is sealed, in bytes. */
  readonly segmentSize: number;
  /** Receives warnings about the files for operators. */
  readonly warn: (message: string) => void;
  /** The position of the last event, if an operator accepts that acknowledged events after it are missing. */
  readonly acceptedEnd?: number | undefined;
}

/** Thrown when acknowledged events are missing at the log's end, or may be missing without a trace. */
export class ShortenedLog extends Error {
  override readonly name = 'ShortenedLog';
}

/** Bytes by which the newest segment grows at once. */
const GROWTH = 1024 * 1024;
/** After a write found the disk full, appends are accepted again when this many bytes are free. */
const SPACE_NEEDED = 64 * 1024 * 1024;
/** Ends the names of files that a scavenge is writing. */
export const COPY = '.new';

export class EventLog {
  readonly #options: LogOptions;
  readonly #segments: Segment[] = [];
  readonly #checkpoint: Checkpoint;
  readonly #index: EventIndex;
  /** False while files are being written, and permanently once that has failed. */
  #isSound = true;
  #isFull = false;
  /** Whether a footer that could not be read may have held revisions of streams that go on in later segments. */
  #lacksStarts = false;

  private constructor(options: LogOptions, index: EventIndex) {
    this.#options = options;
    this.#index = index;
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
    const { directory, disk } = this.#options;
    const acknowledged = this.#checkpoint.found;
    const generations = segmentGenerations(directory);
    const paths = [...generations.values()].map(currentGeneration);
    const outdated = [...generations.values()].flat().filter((path) => !paths.includes(path));
    // A new segment's file exists before its header does; if the store died in between, it is empty.
    const newest = paths.at(-1);
    const empty = newest !== undefined && statSync(newest).size < SEGMENT_HEADER ? paths.pop() : undefined;
    const bases = paths.map((path) => Segment.base(path));
    if (bases.length > 0 && bases[0] !== 0) throw new DamagedLog(`${directory} lacks the segment that begins at 0`);
    for (const [at, path] of paths.entries()) this.#load(path, bases[at + 1]);
    const isAccepted = this.#requireAcknowledgedEvents(acknowledged, paths.length > 0);
    // No file is changed before this line: files that an operator may want to inspect or repair stay as they were found.
    if (empty !== undefined) rmSync(empty);
    for (const path of [...outdated, ...unfinishedCopies(directory)]) rmSync(path);
    const last = this.#segments.at(-1);
    last?.truncate();
    await this.#syncFrom(acknowledged ?? 0);
    this.#index.publish();
    // Before the first segment, so that there is no segment without a checkpoint.
    if (acknowledged === undefined && last === undefined) this.#checkpoint.advance(0, 'sync');
    if (last === undefined) this.#segments.push(await Segment.create(directory, 0, disk));
    else if (last.isSealed) await this.#unlessFull(() => this.#startSegment());
    this.#checkpoint.advance(this.tail, isAccepted ? 'sync' : undefined);
  }

  /**
   * Throws unless all acknowledged events were found or the operator accepts the end that was found. Returns whether that
   * acceptance was needed.
   */
  #requireAcknowledgedEvents(acknowledged: number | undefined, hasSegments: boolean): boolean {
    const { directory, warn, acceptedEnd } = this.#options;
    const last = this.#segments.at(-1);
    const size = last === undefined ? 0 : last.base + last.size;
    // A sealed segment is followed by the header of the next.
    const end = last === undefined || last.isSealed ? size + SEGMENT_HEADER : size;
    if (acknowledged === undefined ? !hasSegments : end >= acknowledged) return false;
    const { count } = this.#index;
    const lastEvent = count === 0 ? 0 : this.#index.position(count - 1);
    const found = count === 0 ? 'the log has no events' : `the log ends with the event at position ${lastEvent}`;
    const missing =
      acknowledged === undefined
        ? `${found}, and its file "checkpoint" is missing or damaged, so that it is unknown whether later events were acknowledged`
        : `${found}, but events up to position ${acknowledged} were acknowledged`;
    if (acceptedEnd === lastEvent) {
      warn(`${directory}: ${missing}. ACCEPT_LOG_END=${acceptedEnd} accepts this loss`);
      return true;
    }
    const other = acceptedEnd === undefined ? '' : ` ACCEPT_LOG_END=${acceptedEnd} names another position.`;
    throw new ShortenedLog(
      `${directory}: ${missing}.${other} Put the missing files back, or start once with ACCEPT_LOG_END=${lastEvent} to go on without what is missing.`,
    );
  }

  /**
   * Makes everything after a position durable: it may have been written by a store whose sync failed, and a sync alone would
   * not rewrite data that the system considers written.
   */
  async #syncFrom(position: number): Promise<void> {
    const { directory, disk } = this.#options;
    let isRewritten = false;
    for (const segment of this.#segments) isRewritten = (await segment.rewriteFrom(disk, position)) || isRewritten;
    if (isRewritten) syncDirectory(directory);
  }

  /** `next` is the position at which the following segment begins, if there is one. */
  #load(path: string, next: number | undefined): void {
    const segment = Segment.open(path);
    this.#segments.push(segment);
    try {
      this.#fillIndex(segment, next);
    } catch (error) {
      throw error instanceof RevisionGap ? new DamagedLog(`${path}: ${error.message}`, { cause: error }) : error;
    }
    if (next !== undefined && segment.base + segment.size !== next) {
      throw new DamagedLog(`${path} ends at position ${segment.base + segment.size}, but the next begins at ${next}`);
    }
  }

  #fillIndex(segment: Segment, next: number | undefined): void {
    const { warn } = this.#options;
    const { path, base, isScavenged } = segment;
    // Footers of scavenged segments hold first revisions of streams; without these they are read from the records that follow.
    const mayHaveFooter = isScavenged || !this.#lacksStarts;
    if (mayHaveFooter && segment.loadFooter(this.#index)) return;
    if (isScavenged) this.#lacksStarts = true;
    if (mayHaveFooter && next !== undefined) {
      warn(`${path}: the index footer is missing or damaged; the records are read instead`);
    }
    const durable = this.#checkpoint.found ?? Number.POSITIVE_INFINITY;
    const isWhole = segment.scan(durable, this.#index, next === undefined ? undefined : next - base);
    if (isWhole || next !== undefined) return;
    warn(`${path}: an unfinished append behind position ${base + segment.size} is cut off`);
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

  /** Whether a write found the disk full: nothing is written until `resume` finds space. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /**
   * Makes `bytes`, encoded for the tail, durable. Returns false when the disk is full and nothing was written; after it throws,
   * nothing may be written any more.
   */
  append(bytes: Uint8Array): Promise<boolean> {
    const { disk, segmentSize } = this.#options;
    return this.#unlessFull(() => this.#active.append(disk, bytes, Math.min(GROWTH, segmentSize)));
  }

  /**
   * Between two groups: seals the segment if it is large enough, or with `seal` if it has any record, and starts the next.
   * Returns false when the disk is full.
   */
  async rollOver(seal?: 'seal'): Promise<boolean> {
    const segment = this.#active;
    const enough = seal === undefined ? this.#options.segmentSize : SEGMENT_HEADER + 1;
    if (!segment.isSealed && segment.size < enough) return true;
    return this.#unlessFull(async () => {
      if (!segment.isSealed) await segment.seal(this.#options.disk, this.#footerOf(segment));
      await this.#startSegment();
    });
  }

  /** Accepts appends again when enough space is free; returns whether it is. */
  async resume(): Promise<boolean> {
    const { directory, disk, warn } = this.#options;
    if ((await disk.free(directory)) < SPACE_NEEDED) return false;
    this.#active.reopen();
    this.#isFull = false;
    warn(`${directory}: space is free again; appends are taken`);
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
    this.#checkpoint.advance(this.tail);
    return true;
  }

  async #startSegment(): Promise<void> {
    const { directory, disk } = this.#options;
    this.#segments.push(await Segment.create(directory, this.tail, disk));
  }

  #footerOf(segment: Segment): Footer {
    const index = this.#index;
    const events: [number, string, string][] = [];
    const starts = new Map<string, number>();
    for (let ordinal = index.ordinalAt(segment.base); ordinal < index.visible; ordinal += 1) {
      const { name, first, ordinals } = index.entry(index.streamNumber(ordinal));
      events.push([index.position(ordinal), name, index.typeName(index.typeNumber(ordinal))]);
      if (first > 0 && ordinals[0] === ordinal) starts.set(name, first);
    }
    return { base: segment.base, events, starts };
  }

  get directory(): string {
    return this.#options.directory;
  }

  get disk(): Disk {
    return this.#options.disk;
  }

  /** The position at which the segment begins that is being written. */
  get activeBase(): number {
    return this.#active.base;
  }

  /** The segments that are no longer written, oldest first. */
  get sealedSegments(): readonly Segment[] {
    return this.#segments.filter((segment) => segment.isSealed);
  }

  /** Puts a scavenged segment in the place of the one that it was copied from. */
  replace(replaced: Segment, replacement: Segment): void {
    const at = this.#segments.indexOf(replaced);
    if (at < 0) throw new Error(`${replaced.path} is no segment of the log`);
    this.#segments[at] = replacement;
    replaced.close();
  }

  /** The segment that contains a position. */
  segmentOf(position: number): Segment {
    let low = 0;
    let high = this.#segments.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.#segments[middle]?.base ?? 0) <= position) low = middle;
      else high = middle - 1;
    }
    const segment = this.#segments[low];
    if (segment === undefined) throw new RangeError(`no segment holds position ${position}`);
    return segment;
  }

  /** Truncates the allocated space after the records, unless the state of the files is unknown. */
  close(): void {
    if (this.#isSound) this.#active.truncate();
    this.#closeFiles();
  }

  #closeFiles(): void {
    for (const segment of this.#segments) segment.close();
    this.#checkpoint.close();
  }
}

/** The segment files of a log, oldest first: of each segment the latest generation. */
export function segmentPaths(directory: string): string[] {
  return [...segmentGenerations(directory).values()].flatMap((paths) => paths.slice(0, 1));
}

/** The files of each segment, the latest generation first; the segments by base. */
function segmentGenerations(directory: string): Map<number, string[]> {
  const generations = new Map<number, string[]>();
  const files = readdirSync(directory)
    .filter((name) => name.endsWith('.log'))
    .map((name) => ({ path: join(directory, name), ...Segment.name(name) }))
    .sort((one, other) => one.base - other.base || other.generation - one.generation);
  for (const { base, path } of files) generations.set(base, [...(generations.get(base) ?? []), path]);
  return generations;
}

/** A scavenge that was killed may leave two generations: the later one is in force unless it is damaged. */
function currentGeneration([latest = '', ...earlier]: string[]): string {
  if (earlier.length === 0 || hasFooter(latest)) return latest;
  return earlier.find(hasFooter) ?? latest;
}

function hasFooter(path: string): boolean {
  try {
    const segment = Segment.open(path, 'r');
    try {
      return segment.loadFooter({ add: () => {}, startStream: () => {} });
    } finally {
      segment.close();
    }
  } catch (error) {
    if (error instanceof DamagedLog) return false;
    throw error;
  }
}

/** Files of scavenges that a kill interrupted. */
function unfinishedCopies(directory: string): string[] {
  return readdirSync(directory)
    .filter((name) => name.endsWith(COPY))
    .map((name) => join(directory, name));
}
