/**
 * Removes events that can no longer be read from the segment files: those of tombstoned streams, those before `$tb`,
 * `$maxCount` and `$maxAge`, and all but the latest metadata of each stream. Positions and revisions of other events stay.
 */
import { closeSync, openSync } from 'node:fs';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Disk } from './disk.ts';
import { DiskFull, isOutOfSpace } from './disk.ts';
import type { EventIndex, StreamEntry } from './event-index.ts';
import { COPY, type EventLog } from './log.ts';
import { DamagedLog, openRecord } from './record.ts';
import { encodeFooter, encodeScavengedHeader, SCAVENGED_HEADER, Segment } from './segment.ts';
import { isMetastream, originalOf } from './stream-metadata.ts';
import type { StreamReader } from './stream-reader.ts';
import type { Writer } from './writer.ts';

export interface ScavengedStore {
  readonly log: EventLog;
  readonly index: EventIndex;
  readonly streams: StreamReader;
  readonly writer: Writer;
}

export interface ScavengeOptions {
  /** Rest after each piece of work while events are appended, as a multiple of its duration. */
  readonly rest: number;
  readonly signal: AbortSignal;
  readonly onSegment: (segment: ScavengedSegment) => Promise<void> | void;
}

export interface ScavengedSegment {
  /** The place of the segment in the log, from 0. */
  readonly number: number;
  readonly bytesSaved: number;
  readonly elapsedMs: number;
}

/** A piece of a segment that is copied and synced at once. */
const PIECE = 256 * 1024;
/** Streams or events that are inspected in one turn. */
const INSPECTED_PER_TURN = 2_048;

/**
 * Rejects with the signal's reason, with `DiskFull`, or with the error of the segment that could not be copied: this segment
 * and the later ones are as they were then.
 */
export async function scavenge(store: ScavengedStore, options: ScavengeOptions): Promise<void> {
  const rest = pacer(store.log, options);
  const limits = await findLimits(store, rest);
  if (limits.size === 0) return;
  const { log, index, writer } = store;
  if (await hasDropped(index, limits, index.ordinalAt(log.activeBase), index.visible, rest)) await writer.seal();
  for (const [number, segment] of log.sealedSegments.entries()) {
    const since = performance.now();
    const plan = await planOf(segment, index, limits, rest);
    if (plan.dropped.length === 0) continue;
    const bytesSaved = await replaceSegment(segment, plan, store, rest);
    await options.onSegment({ number, bytesSaved, elapsedMs: performance.now() - since });
  }
}

type Rest = () => Promise<void>;

/** Returns `rest()`, which pauses after a piece of work: longer while events are appended. */
function pacer(log: EventLog, { rest, signal }: ScavengeOptions): Rest {
  let since = performance.now();
  let { tail } = log;
  return async () => {
    signal.throwIfAborted();
    const multiple = log.tail === tail ? Math.min(1, rest) : rest;
    tail = log.tail;
    const elapsed = performance.now() - since;
    if (multiple > 0) await sleep(elapsed * multiple, undefined, { signal }).catch(() => signal.throwIfAborted());
    else await setImmediate();
    since = performance.now();
  };
}

/** By the number of a stream, the ordinal before which its events are dropped. */
type Limits = ReadonlyMap<number, number>;

async function findLimits(store: ScavengedStore, rest: Rest): Promise<Limits> {
  const limits = new Map<number, number>();
  const { entries } = store.index;
  const count = entries.length;
  for (let number = 0; number < count; number += 1) {
    if (number % INSPECTED_PER_TURN === 0) await rest();
    const limit = limitOf(store.index.entry(number), store);
    if (limit !== undefined) limits.set(number, limit);
  }
  return limits;
}

function limitOf(entry: StreamEntry, { index, streams }: ScavengedStore): number | undefined {
  const [oldest] = entry.ordinals;
  const head = index.visibleHead(entry);
  if (oldest === undefined || head < entry.first) return undefined;
  if (isTombstoned(entry.name, index)) return Number.POSITIVE_INFINITY;
  const limit = index.ordinalOf(entry, Math.min(head, Math.floor(streams.first(entry.name))));
  return limit === oldest ? undefined : limit;
}

/** Whether the stream, or the stream whose metadata it holds, was tombstoned. */
function isTombstoned(stream: string, index: EventIndex): boolean {
  if (index.isTombstoned(index.stream(stream))) return true;
  return isMetastream(stream) && index.isTombstoned(index.stream(originalOf(stream)));
}

function isDroppedBy(limits: Limits, index: EventIndex, ordinal: number): boolean {
  const number = index.streamNumber(ordinal);
  const limit = limits.get(number);
  return limit !== undefined && ordinal < limit && index.entry(number).tombstone !== ordinal;
}

async function hasDropped(index: EventIndex, limits: Limits, from: number, to: number, rest: Rest): Promise<boolean> {
  for (let ordinal = from; ordinal < to; ordinal += 1) {
    if (ordinal % INSPECTED_PER_TURN === 0) await rest();
    if (isDroppedBy(limits, index, ordinal)) return true;
  }
  return false;
}

/** Ordinals of a segment's stored events. */
interface Plan {
  readonly kept: readonly number[];
  readonly dropped: readonly number[];
}

async function planOf(segment: Segment, index: EventIndex, limits: Limits, rest: Rest): Promise<Plan> {
  const kept: number[] = [];
  const dropped: number[] = [];
  const end = index.ordinalAt(segment.base + segment.size);
  for (let ordinal = index.ordinalAt(segment.base); ordinal < end; ordinal += 1) {
    if (ordinal % INSPECTED_PER_TURN === 0) await rest();
    if (index.isDropped(ordinal)) continue;
    (isDroppedBy(limits, index, ordinal) ? dropped : kept).push(ordinal);
  }
  return { kept, dropped };
}

/** Returns the bytes that the replacement saves. */
async function replaceSegment(segment: Segment, plan: Plan, store: ScavengedStore, rest: Rest): Promise<number> {
  const { log, index } = store;
  const { directory, disk } = log;
  const path = Segment.path(directory, segment.base, segment.generation + 1);
  const copyPath = path.replace(/\.log$/, COPY);
  let copy: Segment | undefined;
  try {
    await writeCopy(copyPath, segment, plan, store, rest);
    copy = Segment.open(copyPath);
    await readBack(copy, plan, index, rest);
    await copy.rename(disk, path);
  } catch (error) {
    copy?.close();
    await disk.remove(copyPath).catch(() => undefined); // it may not exist, and the next start removes it
    throw isOutOfSpace(error) ? new DiskFull(error.message, { cause: error }) : error;
  }
  try {
    await disk.syncDirectory(directory);
  } catch (error) {
    // Either file may be there after a power cut, and both are complete.
    copy.close();
    throw error;
  }
  // In one turn, so that readers find each event either in the former file or not at all.
  log.replace(segment, copy);
  index.drop(plan.dropped);
  const bytesSaved = segment.fileSize - copy.fileSize;
  await disk.remove(segment.path);
  return bytesSaved;
}

async function writeCopy(
  path: string,
  segment: Segment,
  plan: Plan,
  { log: { disk, directory }, index }: ScavengedStore,
  rest: Rest,
): Promise<void> {
  const places = plan.kept.map((ordinal) => placeOf(ordinal, segment, index));
  const offsets = new Uint32Array(places.length);
  let recordsEnd = SCAVENGED_HEADER;
  places.forEach(({ offset, end }, at) => {
    offsets[at] = recordsEnd;
    recordsEnd += end - offset;
  });
  await rest();
  const { base, generation, size } = segment;
  const header = { base, generation: generation + 1, logicalSize: size, recordsEnd };
  const events = plan.kept.map((ordinal) => eventOf(ordinal, index));
  const starts = startsOf(segment, plan, index);
  await rest();
  const footer = encodeFooter({ base, events, starts, offsets }, base + recordsEnd);
  await requireSpace(disk, directory, recordsEnd + footer.length);
  const file = openSync(path, 'w', 0o600);
  try {
    let pending: Buffer[] = [encodeScavengedHeader(header)];
    let written = 0;
    const flush = async () => {
      const bytes = Buffer.concat(pending);
      pending = [];
      await disk.write(file, bytes, written);
      await disk.sync(file);
      written += bytes.length;
    };
    for (const records of readPieces(segment, places)) {
      pending.push(...records);
      if (pending.reduce((sum, { length }) => sum + length, 0) >= PIECE) await flush();
      await rest();
    }
    pending.push(footer);
    await flush();
    await rest();
  } finally {
    closeSync(file);
  }
}

async function requireSpace(disk: Disk, directory: string, bytes: number): Promise<void> {
  const free = await disk.free(directory);
  if (free < bytes) throw new DiskFull(`A scavenge needs ${bytes} bytes for the copy of a segment; ${free} are free`);
}

/** A record's place in the file of its segment. */
interface Place {
  readonly position: number;
  readonly offset: number;
  readonly end: number;
}

function placeOf(ordinal: number, segment: Segment, index: EventIndex): Place {
  const position = index.position(ordinal);
  const segmentEnd = segment.base + segment.size;
  const next = ordinal + 1 < index.visible ? Math.min(segmentEnd, index.position(ordinal + 1)) : segmentEnd;
  return { position, offset: segment.offsetOf(position), end: segment.offsetOf(next) };
}

/** Yields the records at the places, those of one read at once. Throws DamagedLog. */
function* readPieces(segment: Segment, places: readonly Place[]): Generator<Buffer[]> {
  for (let from = 0; from < places.length; ) {
    const start = places[from]?.offset ?? 0;
    let to = from + 1;
    while ((places[to]?.end ?? Number.POSITIVE_INFINITY) - start <= PIECE) to += 1;
    const bytes = segment.read(start, (places[to - 1]?.end ?? start) - start);
    yield places.slice(from, to).map(({ position, offset, end }) => {
      openRecord(bytes, offset - start, position);
      return bytes.subarray(offset - start, end - start);
    });
    from = to;
  }
}

function eventOf(ordinal: number, index: EventIndex): [number, string, string] {
  const stream = index.streamName(index.streamNumber(ordinal));
  return [index.position(ordinal), stream, index.typeName(index.typeNumber(ordinal))];
}

/** The revisions at which streams begin in the copy, or go on behind it. */
function startsOf(segment: Segment, { kept, dropped }: Plan, index: EventIndex): Map<string, number> {
  const starts = new Map<string, number>();
  const counts = new Map<number, number>();
  for (const ordinal of dropped) {
    const number = index.streamNumber(ordinal);
    counts.set(number, (counts.get(number) ?? 0) + 1);
  }
  for (const [number, count] of counts) {
    const { name, first } = index.entry(number);
    if (!isTombstoned(name, index)) starts.set(name, first + count);
  }
  for (const ordinal of kept) {
    const { name, first, ordinals } = index.entry(index.streamNumber(ordinal));
    if (first > 0 && ordinals[0] === ordinal) starts.set(name, first);
  }
  for (const [stream, revision] of earlierStarts(segment, index)) {
    if (!starts.has(stream) && !isTombstoned(stream, index)) starts.set(stream, revision);
  }
  return starts;
}

/** What an earlier scavenge recorded in the footer of the segment. */
function earlierStarts(segment: Segment, index: EventIndex): Map<string, number> {
  const starts = new Map<string, number>();
  if (!segment.isScavenged) return starts;
  const startStream = (stream: string, revision: number) => void starts.set(stream, revision);
  if (segment.loadFooter({ add: () => {}, startStream })) return starts;
  // The footer is damaged: the streams that begin in a later segment are known from its records.
  const end = index.ordinalAt(segment.base + segment.size);
  for (const { name, first, ordinals } of index.entries) {
    if (first > 0 && (ordinals[0] ?? 0) >= end) starts.set(name, first);
  }
  return starts;
}

/** Verifies what is on disk before it replaces the segment. */
async function readBack(copy: Segment, { kept }: Plan, index: EventIndex, rest: Rest): Promise<void> {
  if (!copy.loadFooter({ add: () => {}, startStream: () => {} })) throw new DamagedLog(`${copy.path} has no footer`);
  await rest();
  const places = kept.map((ordinal) => placeOf(ordinal, copy, index));
  for (const _ of readPieces(copy, places)) await rest();
}
