/**
 * Rewrites segment files without the events that clients cannot read: events of tombstoned streams, events that `$tb`,
 * `$maxCount` or `$maxAge` exclude, and all but the latest metadata of each stream. The remaining events keep their
 * positions and revisions.
 */
import { closeSync, openSync } from 'node:fs';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Disk } from './disk.ts';
import { DiskFull, isOutOfSpace, TEMPORARY_EXTENSION } from './disk.ts';
import { recordEnd } from './event-reader.ts';
import { Bitmap } from './index/dropped-events.ts';
import type { EventIndex, IndexedSegment } from './index/event-index.ts';
import { MemoryIndex, type SegmentIndex, TOMBSTONE_TYPE } from './index/segment-index.ts';
import { hashOf } from './index/stream-hash.ts';
import type { EventLog } from './log.ts';
import { DamagedLog, openRecord } from './record.ts';
import { Segment } from './segment.ts';
import { encodeFooter, encodeScavengedHeader, footerOf, SCAVENGED_HEADER, segmentPath } from './segment-format.ts';
import { isMetastream, metastreamOf, originalOf } from './stream-metadata.ts';
import type { StreamReader } from './stream-reader.ts';
import type { Writer } from './writer.ts';

export interface ScavengedStore {
  readonly log: EventLog;
  readonly index: EventIndex;
  readonly streams: StreamReader;
  readonly writer: Writer;
}

export interface ScavengeOptions {
  /** The pause after each piece of work while events are appended, as a multiple of the duration of the piece. */
  readonly pauseFactor: number;
  readonly signal: AbortSignal;
  readonly onSegment: (segment: ScavengedSegment) => Promise<void> | void;
}

export interface ScavengedSegment {
  /** The index of the segment in the log. */
  readonly number: number;
  readonly bytesSaved: number;
  readonly elapsedMs: number;
}

/** The number of bytes of a segment that are copied and synced together. */
const PIECE = 256 * 1024;
/** The number of streams or events that are inspected between two pauses. */
const INSPECTED_PER_TURN = 2_048;

/**
 * Replaces the segments that have events to drop. The active segment is sealed before its replacement. Rejects with the
 * reason of the signal, with `DiskFull`, or with the error of a replacement. Each segment is then either unchanged or
 * completely replaced.
 */
export async function scavenge(store: ScavengedStore, options: ScavengeOptions): Promise<void> {
  const pause = pacer(store.log, options);
  const { index, writer } = store;
  const drops = await findDropped(store, pause);
  for (const { segment } of drops.keys()) if (!segment.isSealed) await writer.seal();
  for (const [number, indexed] of index.segments.entries()) {
    const dropped = drops.get(indexed);
    if (dropped === undefined || !indexed.segment.isSealed) continue;
    const startedAt = performance.now();
    const bytesSaved = await replaceSegment(indexed, dropped, store, pause);
    await options.onSegment({ number, bytesSaved, elapsedMs: performance.now() - startedAt });
  }
}

type Pause = () => Promise<void>;

/**
 * Returns a function that pauses for `pauseFactor` times the duration of the last piece of work. Without appends, the
 * pause is at most as long as the piece.
 */
function pacer(log: EventLog, { pauseFactor, signal }: ScavengeOptions): Pause {
  let startedAt = performance.now();
  let { tail } = log;
  return async () => {
    signal.throwIfAborted();
    const multiple = log.tail === tail ? Math.min(1, pauseFactor) : pauseFactor;
    tail = log.tail;
    const elapsed = performance.now() - startedAt;
    if (multiple > 0) await sleep(elapsed * multiple, undefined, { signal }).catch(() => signal.throwIfAborted());
    else await setImmediate();
    startedAt = performance.now();
  };
}

/** The events to drop by segment, as numbers relative to the first ordinal of the segment. */
type Drops = Map<IndexedSegment, Bitmap>;

/** Finds the events to drop. Only streams with metadata or a tombstone can have such events. */
async function findDropped(store: ScavengedStore, pause: Pause): Promise<Drops> {
  const { index } = store;
  const drops: Drops = new Map();
  let inspected = 0;
  for (const { index: segmentIndex } of [...index.segments]) {
    for (const name of segmentIndex.scavengeStreams()) {
      for (const stream of [name, isMetastream(name) ? originalOf(name) : metastreamOf(name)]) {
        const first = index.first(stream);
        for (let revision = first, limit = dropLimit(stream, store); revision < limit; revision += 1) {
          addDropped(drops, index, stream, revision);
          inspected += 1;
          if (inspected % INSPECTED_PER_TURN === 0) await pause();
        }
        inspected += 1;
        if (inspected % INSPECTED_PER_TURN === 0) await pause();
      }
    }
  }
  await pause();
  return drops;
}

/** Returns the revision before which events are dropped. The last event stays, except in a tombstoned stream. */
function dropLimit(stream: string, { index, streams }: ScavengedStore): number {
  const head = index.visibleHead(stream);
  if (head < 0 || isTombstoned(stream, index)) return head + 1;
  return Math.min(head, Math.floor(streams.first(stream)));
}

function addDropped(drops: Drops, index: EventIndex, stream: string, revision: number): void {
  const ordinal = index.ordinalOf(stream, revision);
  if (ordinal === undefined) return;
  const segment = index.segmentAt(ordinal);
  const dropped = drops.get(segment) ?? new Bitmap();
  dropped.add(ordinal - segment.start);
  drops.set(segment, dropped);
}

/** Whether the stream was tombstoned; for a metadata stream, also whether its original stream was tombstoned. */
function isTombstoned(stream: string, index: EventIndex): boolean {
  return index.isTombstoned(stream) || (isMetastream(stream) && index.isTombstoned(originalOf(stream)));
}

/** The content of the scavenged copy of a segment. */
interface CopyPlan {
  /** The places of the remaining records in the original file. */
  readonly places: readonly RecordPlace[];
  readonly recordsEnd: number;
  /** The index of the copy. */
  readonly index: MemoryIndex;
  /**
   * By stream, its first remaining revision. Contains the streams that lost their first events, here or before a restore.
   */
  readonly starts: ReadonlyMap<string, number>;
}

async function planCopy(
  indexed: IndexedSegment,
  dropped: Bitmap,
  eventIndex: EventIndex,
  pause: Pause,
): Promise<CopyPlan> {
  const { segment, index } = indexed;
  const copy = new MemoryIndex(segment.base, eventIndex.types);
  const starts = earlierStarts(segment);
  const places: RecordPlace[] = [];
  const nextRevisions = new Map<number, number>();
  let recordsEnd = SCAVENGED_HEADER;
  for (let event = 0, ordinal = indexed.start; event < index.count; ordinal += 1) {
    if (indexed.isDropped(ordinal)) continue;
    if (event % INSPECTED_PER_TURN === 0) await pause();
    const number = index.streamOf(event);
    const stream = index.streamName(number);
    const type = eventIndex.types.name(index.typeOf(event));
    const revision = nextRevisions.get(number) ?? index.find(stream, hashOf(stream))?.first ?? 0;
    if (type !== TOMBSTONE_TYPE) nextRevisions.set(number, revision + 1);
    if (dropped.has(ordinal - indexed.start)) starts.set(stream, revision + 1);
    else {
      const place = placeOf(event, segment, index);
      copy.add(place.position, recordsEnd, stream, type, revision);
      recordsEnd += place.end - place.offset;
      places.push(place);
    }
    event += 1;
  }
  for (const stream of starts.keys()) if (isTombstoned(stream, eventIndex)) starts.delete(stream);
  return { places, recordsEnd, index: copy, starts };
}

/** Replaces a segment by a copy without the dropped events; returns the number of bytes saved. */
async function replaceSegment(
  indexed: IndexedSegment,
  dropped: Bitmap,
  store: ScavengedStore,
  pause: Pause,
): Promise<number> {
  const { log, index } = store;
  const { directory, disk, indexFiles } = log;
  // If the segment was just sealed, its index file is still being written.
  await indexFiles.settled();
  const { segment } = indexed;
  const path = segmentPath(directory, segment.base, segment.generation + 1);
  const copyPath = path.replace(/\.log$/, TEMPORARY_EXTENSION);
  let copy: Segment | undefined;
  let copyIndex: SegmentIndex | undefined;
  try {
    const plan = await planCopy(indexed, dropped, index, pause);
    await writeCopy(copyPath, segment, plan, store, pause);
    copy = Segment.open(copyPath);
    await verifyCopy(copy, plan.index, pause);
    copyIndex = await indexFiles.create(copy, path, plan.index, pause);
    await copy.rename(disk, path);
  } catch (error) {
    copy?.close();
    if (copyIndex) await indexFiles.remove(copyIndex, path);
    // The file may not exist. The next start removes a file that cannot be removed now.
    await disk.remove(copyPath).catch(() => undefined);
    throw isOutOfSpace(error) ? new DiskFull(error.message, { cause: error }) : error;
  }
  try {
    await disk.syncDirectory(directory);
  } catch (error) {
    // Both files stay: a power cut can undo the rename, and the next start uses the latest complete file.
    copy.close();
    throw error;
  }
  // Do not await between the replacements, because readers must not see the log and the index with different segments.
  const originalIndex = indexed.index;
  log.replace(segment, copy);
  indexed.replace(copy, copyIndex, dropped);
  index.clearStreamCache();
  const bytesSaved = segment.fileSize - copy.fileSize;
  await indexFiles.remove(originalIndex, segment.path);
  await disk.remove(segment.path);
  return bytesSaved;
}

async function writeCopy(
  path: string,
  segment: Segment,
  { places, recordsEnd, index: copy, starts }: CopyPlan,
  { log: { disk, directory }, index: { types } }: ScavengedStore,
  pause: Pause,
): Promise<void> {
  await pause();
  const { base, generation, size } = segment;
  const header = { base, generation: generation + 1, logicalSize: size, recordsEnd };
  const footer = encodeFooter(footerOf(copy, types, starts, 'with offsets'), base + recordsEnd);
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
      await pause();
    }
    pending.push(footer);
    await flush();
    await pause();
  } finally {
    closeSync(file);
  }
}

async function requireSpace(disk: Disk, directory: string, bytes: number): Promise<void> {
  const free = await disk.free(directory);
  if (free < bytes) throw new DiskFull(`A scavenge needs ${bytes} bytes for the copy of a segment; ${free} are free`);
}

/** The place of a record in the file of its segment. */
interface RecordPlace {
  readonly position: number;
  readonly offset: number;
  readonly end: number;
}

function placeOf(event: number, segment: Segment, index: SegmentIndex): RecordPlace {
  return { position: index.position(event), offset: index.offset(event), end: recordEnd(segment, index, event) };
}

/** Yields the records at these places, in one array per read. Throws DamagedLog. */
function* readPieces(segment: Segment, places: readonly RecordPlace[]): Generator<Buffer[]> {
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

/** Returns the `starts` of the segment's footer, written when the segment was sealed or by an earlier scavenge. */
function earlierStarts(segment: Segment): Map<string, number> {
  const starts = new Map<string, number>();
  segment.loadFooter({
    add: () => undefined,
    startStream: (stream, revision) => void starts.set(stream, revision),
  });
  return starts;
}

/** Reads the copy from the disk, to verify it before it replaces the segment. */
async function verifyCopy(copy: Segment, index: MemoryIndex, pause: Pause): Promise<void> {
  if (!copy.hasFooter()) throw new DamagedLog(`${copy.path} has no footer`);
  await pause();
  const places = Array.from({ length: index.count }, (_, event) => placeOf(event, copy, index));
  for (const _ of readPieces(copy, places)) await pause();
}
