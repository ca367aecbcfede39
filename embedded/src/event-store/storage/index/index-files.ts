/**
 * The index files of sealed segments. A missing or damaged file is rebuilt from its segment. An index that cannot be
 * written stays in memory.
 */
import { closeSync, openSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { readPlace } from '../../wire/recorded-event.ts';
import { type Disk, TEMPORARY_EXTENSION } from '../disk.ts';
import { DamagedLog, inspectRecord, RECORD_HEADER } from '../record.ts';
import type { Segment } from '../segment.ts';
import type { EventIndex, IndexedSegment } from './event-index.ts';
import { encodeIndex, runInTurns, runNow } from './index-format.ts';
import { PageCache } from './page-cache.ts';
import { PagedIndex } from './paged-index.ts';
import { MemoryIndex, RevisionGap, type SegmentIndex, TOMBSTONE_TYPE } from './segment-index.ts';

export interface IndexFilesOptions {
  readonly directory: string;
  readonly disk: Disk;
  readonly warn: (message: string) => void;
  /** Maximum number of bytes of index files in memory. */
  readonly pageCache: number;
}

const PIECE = 1024 * 1024;
const NO_FOOTER = { length: 0, checksum: 0 };

export const indexPath = (segmentPath: string): string => segmentPath.replace(/\.\w+$/, '.index');

export class IndexFiles {
  readonly #options: IndexFilesOptions;
  readonly #index: EventIndex;
  readonly #cache: PageCache;
  /** Indexes that are not written yet, with the paths of their files. */
  readonly #unwritten = new Map<PagedIndex, string>();
  #work: Promise<void> = Promise.resolve();

  constructor(options: IndexFilesOptions, index: EventIndex) {
    this.#options = options;
    this.#index = index;
    this.#cache = new PageCache(options.pageCache);
  }

  /** Reads the index of a sealed segment from its file, or else from the segment. Throws DamagedLog if both fail. */
  load(segment: Segment): PagedIndex {
    const path = indexPath(segment.path);
    if (segment.footer !== undefined) {
      const { base, generation, footer } = segment;
      const opened = PagedIndex.open(path, { base, generation, footer }, this.#pagesOf(segment));
      if (typeof opened !== 'string') return opened;
      if (opened !== 'missing') {
        const problem = opened === 'damaged' ? 'is damaged' : 'belongs to other records';
        this.#options.warn(`${path}: the index file ${problem}; it is made from the records again`);
      }
    }
    return this.#add(this.#rebuild(segment), segment);
  }

  /** Returns the index of a sealed segment without writing its file. */
  inspect(segment: Segment): Pick<MemoryIndex, 'count' | 'position'> {
    return this.#read(segment, segment.hasFooter());
  }

  /** Encodes and writes the index of a sealed segment. Until it is encoded, the segment uses `index`. */
  seal(sealed: IndexedSegment, index: MemoryIndex): void {
    this.#enqueue(async () => {
      const { segment } = sealed;
      const bytes = await runInTurns(encodeIndex(index, this.#index.types, contentOf(segment)), () => setImmediate());
      // A scavenge may have replaced the index meanwhile.
      if (sealed.index !== index) return;
      sealed.index = this.#add(bytes, segment);
      this.#index.clearStreamCache();
      await this.#write();
    });
  }

  /** Makes the index of a scavenged copy of a segment. `path` is the path of the copy after it replaces the segment. */
  async create(segment: Segment, path: string, index: MemoryIndex, pause: () => Promise<void>): Promise<PagedIndex> {
    const bytes = await runInTurns(encodeIndex(index, this.#index.types, contentOf(segment)), pause);
    const created = PagedIndex.of(bytes, this.#pagesOf(segment));
    this.#unwritten.set(created, indexPath(path));
    await this.write();
    return created;
  }

  /** Closes the index of a replaced segment or of an unused copy, and removes the file of the index. */
  async remove(index: SegmentIndex, segmentPath: string): Promise<void> {
    if (index instanceof PagedIndex) {
      this.#unwritten.delete(index);
      index.close();
    }
    // If this fails, the next start removes the file, because it belongs to no segment.
    await this.#options.disk.remove(indexPath(segmentPath)).catch(() => undefined);
  }

  /** Writes all unwritten indexes after the queued work. The next call retries failed writes. */
  write(): Promise<void> {
    return this.#enqueue(() => this.#write());
  }

  /** Resolves when all queued work has ended. */
  settled(): Promise<void> {
    return this.#work;
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    this.#work = this.#work.then(work).catch((error: Error) => {
      this.#options.warn(
        `${this.#options.directory}: an index file could not be made, and is made at the next start: ${error.message}`,
      );
    });
    return this.#work;
  }

  async #write(): Promise<void> {
    for (const [index, path] of this.#unwritten) {
      try {
        await this.#writeFile(path, index.bytes());
      } catch (error) {
        const { message } = error as Error;
        this.#options.warn(`${path}: the index file could not be written and stays in memory for now: ${message}`);
        return;
      }
      if (!this.#unwritten.delete(index)) await this.#options.disk.remove(path).catch(() => undefined);
      else index.useFile(path);
    }
  }

  async #writeFile(path: string, bytes: Buffer): Promise<void> {
    const { directory, disk } = this.#options;
    const copy = `${path}${TEMPORARY_EXTENSION}`;
    try {
      const file = openSync(copy, 'w', 0o600);
      try {
        for (let at = 0; at < bytes.length; at += PIECE) {
          await disk.write(file, bytes.subarray(at, at + PIECE), at);
          await disk.sync(file);
        }
      } finally {
        closeSync(file);
      }
      await disk.rename(copy, path);
    } catch (error) {
      // The next start removes a file that cannot be removed here.
      await disk.remove(copy).catch(() => undefined);
      throw error;
    }
    await disk.syncDirectory(directory);
  }

  /**
   * Opens an encoded index in memory. Only an index of a segment with a footer is written to a file later: the footer
   * identifies the segment's content.
   */
  #add(bytes: Buffer, segment: Segment): PagedIndex {
    const index = PagedIndex.of(bytes, this.#pagesOf(segment));
    if (segment.footer !== undefined) this.#unwritten.set(index, indexPath(segment.path));
    return index;
  }

  #pagesOf(segment: Segment) {
    return {
      types: this.#index.types,
      cache: this.#cache,
      rebuild: (index: PagedIndex) => {
        const path = indexPath(segment.path);
        this.#options.warn(`${path}: the index file is damaged; it is made from the records again`);
        const bytes = this.#rebuild(segment);
        if (segment.footer !== undefined) this.#unwritten.set(index, path);
        void this.write();
        return bytes;
      },
    };
  }

  #rebuild(segment: Segment): Buffer {
    const isFooterValid = segment.hasFooter();
    if (!isFooterValid) {
      this.#options.warn(`${segment.path}: the index footer is missing or damaged; the index is made from the records`);
    }
    try {
      return runNow(encodeIndex(this.#read(segment, isFooterValid), this.#index.types, contentOf(segment)));
    } catch (error) {
      throw error instanceof RevisionGap
        ? new DamagedLog(`${segment.path}: ${error.message}`, { cause: error })
        : error;
    }
  }

  #read(segment: Segment, isFooterValid: boolean): MemoryIndex {
    const index = new MemoryIndex(segment.base, this.#index.types);
    const { recordsEnd } = segment;
    try {
      segment.scan(Number.POSITIVE_INFINITY, indexSink(index), recordsEnd);
      if (segment.recordsEnd === recordsEnd) return index;
      throw new DamagedLog(`${segment.path} ends at byte ${segment.recordsEnd} instead of ${recordsEnd}`);
    } catch (error) {
      if (!isFooterValid || !(error instanceof DamagedLog)) throw error;
      return this.#readFooter(segment);
    }
  }

  /** Makes the index from the footer of the segment, so that events can be read even if other records are damaged. */
  #readFooter(segment: Segment): MemoryIndex {
    const events: { position: number; offset: number; stream: string; type: string }[] = [];
    const starts = new Map<string, number>();
    segment.loadFooter({
      add: (position, offset, stream, type) => void events.push({ position, offset, stream, type }),
      startStream: (stream, revision) => void starts.set(stream, revision),
    });
    const bytes = segment.read(0, segment.recordsEnd);
    const firsts = new Map<string, number>();
    const counts = new Map<string, number>();
    for (const { position, offset, stream, type } of events) {
      if (type === TOMBSTONE_TYPE) continue;
      const before = counts.get(stream) ?? 0;
      counts.set(stream, before + 1);
      const frame = firsts.has(stream) ? 'not needed' : inspectRecord(bytes, offset, position);
      if (typeof frame === 'string') continue;
      const payload = bytes.subarray(offset + RECORD_HEADER, offset + RECORD_HEADER + frame.length);
      firsts.set(stream, readPlace(payload).revision - before);
    }
    const index = new MemoryIndex(segment.base, this.#index.types);
    for (const { position, offset, stream, type } of events) {
      const count = index.stream(stream)?.events.length ?? 0;
      const first = firsts.get(stream) ?? starts.get(stream) ?? this.#index.headBefore(stream, segment.base) + 1;
      index.add(position, offset, stream, type, first + count);
    }
    return index;
  }
}

const contentOf = ({ base, generation, footer = NO_FOOTER }: Segment) => ({ base, generation, footer });

/** Returns a sink that adds the events of a segment to its index. */
export const indexSink = (index: MemoryIndex) => ({
  add: (position: number, offset: number, stream: string, type: string, revision = 0) =>
    void index.add(position, offset, stream, type, revision),
  startStream: () => undefined,
});
