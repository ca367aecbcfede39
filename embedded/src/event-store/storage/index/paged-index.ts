/** The index of a sealed segment, in memory or in a file. Only the head and the needed pages of the file are read. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { isInBloom } from './bloom-filter.ts';
import {
  type FooterFrame,
  HEADER_WORDS,
  type IndexHeader,
  isHeadValid,
  layoutOf,
  NO_TOMBSTONE,
  readIndexHeader,
  STREAM_WORDS,
  wordsOf,
} from './index-format.ts';
import { PAGE_SIZE, PAGE_WORDS, type Page, type PageCache } from './page-cache.ts';
import { firstWhere, type SegmentIndex, type StreamPart, type TypeNames } from './segment-index.ts';
import type { StreamHash } from './stream-hash.ts';

export interface IndexedContent {
  readonly base: number;
  readonly generation: number;
  readonly footer: FooterFrame;
}

export interface PagedIndexOptions {
  readonly types: TypeNames;
  readonly cache: PageCache;
  /** Encodes the index again from its segment. Throws `DamagedLog` if the segment is too damaged. */
  readonly rebuild: (index: PagedIndex) => Buffer;
}

const FIRST_STEP = 64;

export class PagedIndex implements SegmentIndex {
  readonly #options: PagedIndexOptions;
  #header: IndexHeader;
  #layout: ReturnType<typeof layoutOf>;
  #head: Uint32Array;
  #bloom: Uint32Array;
  /** The numbers of event types in `TypeNames`, by their numbers in this file. */
  #types: Uint32Array;
  #file: number | undefined;
  /** The content after the head, while the index is in memory. */
  #content: Uint32Array | undefined;
  #pages: (Page | undefined)[] = [];

  private constructor(head: Buffer, header: IndexHeader, options: PagedIndexOptions) {
    this.#options = options;
    this.#header = header;
    this.#layout = layoutOf(header);
    this.#head = wordsOf(head);
    this.#bloom = this.#head.subarray(HEADER_WORDS, HEADER_WORDS + header.bloomWords);
    const typesAt = (this.#layout.checksums + this.#layout.pages) * 4;
    const names = JSON.parse(head.toString('utf8', typesAt, typesAt + header.typeBytes)) as string[];
    this.#types = Uint32Array.from(names, (name) => options.types.number(name));
  }

  /** Opens an index from encoded bytes, which stay in memory until `useFile`. */
  static of(bytes: Buffer, options: PagedIndexOptions): PagedIndex {
    const header = readIndexHeader(bytes);
    if (header === undefined) throw new TypeError('these bytes are no index');
    const { headSize } = layoutOf(header);
    const index = new PagedIndex(Buffer.from(new Uint8Array(bytes.subarray(0, headSize)).buffer), header, options);
    index.#content = wordsOf(bytes.subarray(headSize));
    return index;
  }

  /**
   * Opens the index file of a segment. Returns `missing` if there is no file, `other` if the file is the index of other
   * content, and `damaged` if the file is unreadable or has a damaged head or a wrong length.
   */
  static open(
    path: string,
    content: IndexedContent,
    options: PagedIndexOptions,
  ): PagedIndex | 'missing' | 'other' | 'damaged' {
    let file: number;
    try {
      file = openSync(path, 'r');
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'missing' : 'damaged';
    }
    const opened = readOrUndefined(() => openHead(file, content)) ?? 'damaged';
    if (typeof opened === 'string') {
      closeSync(file);
      return opened;
    }
    const index = new PagedIndex(opened.head, opened.header, options);
    index.#file = file;
    return index;
  }

  get isInMemory(): boolean {
    return this.#content !== undefined;
  }

  /** Returns the bytes for the file of the index. Throws if the index is not in memory. */
  bytes(): Buffer {
    if (this.#content === undefined) throw new Error('the index is in its file');
    return Buffer.concat(
      [this.#head, this.#content].map((part) => Buffer.from(part.buffer, part.byteOffset, part.byteLength)),
    );
  }

  /** Switches from memory to the file, which must contain the same bytes. */
  useFile(path: string): void {
    this.close();
    this.#file = openSync(path, 'r');
    this.#content = undefined;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  get count(): number {
    return this.#header.events;
  }

  get hasMetastreams(): boolean {
    return this.#header.hasMetastreams;
  }

  position(event: number): number {
    return this.#header.base + this.#eventWord(this.#layout.positions, event);
  }

  offset(event: number): number {
    return this.#eventWord(this.#layout.offsets, event);
  }

  streamOf(event: number): number {
    return this.#eventWord(this.#layout.streamOf, event);
  }

  typeOf(event: number): number {
    return this.#types[this.#eventWord(this.#layout.typeOf, event)] ?? 0;
  }

  streamName(stream: number): string {
    const start = this.#streamWord(stream, 0);
    return this.#text(this.#layout.names * 4 + start, this.#streamWord(stream + 1, 0) - start);
  }

  find(stream: string, hash: StreamHash): StreamPart | undefined {
    if (!isInBloom(this.#bloom, hash)) return undefined;
    const { streams } = this.#header;
    for (let at = this.#firstHash(hash.high); at < streams && this.#hash(at) === hash.high; at += 1) {
      const number = this.#word(this.#layout.hashedStreams + at);
      if (this.streamName(number) === stream) return this.#part(number);
    }
    return undefined;
  }

  eventAt(position: number): number {
    return firstWhere(this.count, (event) => this.position(event) >= position);
  }

  /** Yields the streams that decide what a scavenge drops. */
  *scavengeStreams(): Generator<string> {
    for (let at = 0; at < this.#header.scavengeStreams; at += 1) {
      yield this.streamName(this.#word(this.#layout.scavengeStreams + at));
    }
  }

  #part(stream: number): StreamPart {
    const start = this.#streamWord(stream, 3);
    const tombstone = this.#streamWord(stream, 4);
    return {
      first: this.#streamWord(stream, 1) + this.#streamWord(stream, 2) * 2 ** 32,
      count: this.#streamWord(stream + 1, 3) - start,
      eventAt: (place) => this.#word(this.#layout.streamEvents + start + place),
      tombstone: tombstone === NO_TOMBSTONE ? undefined : tombstone,
    };
  }

  #eventWord(column: number, event: number): number {
    if (event < 0 || event >= this.#header.events) throw new RangeError(`no event ${event}`);
    return this.#word(column + event);
  }

  #streamWord(stream: number, field: number): number {
    return this.#word(this.#layout.streams + stream * STREAM_WORDS + field);
  }

  #hash(at: number): number {
    return this.#word(this.#layout.hashes + at);
  }

  /**
   * Returns the index of the first hash that is not less than `value`. Hashes are distributed evenly, so the search
   * starts at the index that is proportional to the value.
   */
  #firstHash(value: number): number {
    const { streams } = this.#header;
    let low = Math.min(streams, Math.floor((value / 2 ** 32) * streams));
    let high = low;
    let step = FIRST_STEP;
    while (low > 0 && this.#hash(low - 1) >= value) {
      high = low - 1;
      low = Math.max(0, low - step);
      step *= 2;
    }
    while (high < streams && this.#hash(high) < value) {
      low = high + 1;
      high = Math.min(streams, high + step);
      step *= 2;
    }
    return low + firstWhere(high - low, (at) => this.#hash(low + at) >= value);
  }

  #word(at: number): number {
    if (this.#content !== undefined) return this.#content[at] ?? 0;
    const page = this.#pages[Math.floor(at / PAGE_WORDS)] ?? this.#load(Math.floor(at / PAGE_WORDS));
    if (page === undefined) return this.#word(at);
    page.isRecent = true;
    return page.words[at % PAGE_WORDS] ?? 0;
  }

  #text(offset: number, length: number): string {
    if (this.#content !== undefined) {
      return Buffer.from(this.#content.buffer, this.#content.byteOffset + offset, length).toString();
    }
    const number = Math.floor(offset / PAGE_SIZE);
    const from = offset % PAGE_SIZE;
    const page = this.#pages[number] ?? this.#load(number);
    if (page === undefined) return this.#text(offset, length);
    if (from + length <= PAGE_SIZE) return page.bytes.toString('utf8', from, from + length);
    const pieces: Buffer[] = [];
    for (let at = offset; at < offset + length; ) {
      const start = at % PAGE_SIZE;
      const size = Math.min(PAGE_SIZE - start, offset + length - at);
      const next = this.#pages[Math.floor(at / PAGE_SIZE)] ?? this.#load(Math.floor(at / PAGE_SIZE));
      if (next === undefined) return this.#text(offset, length);
      // Copy the bytes, because loading the next page may overwrite this page.
      pieces.push(Buffer.from(next.bytes.subarray(start, start + size)));
      at += size;
    }
    return Buffer.concat(pieces).toString();
  }

  /** Reads a page from the file. If the page is damaged, rebuilds the whole index in memory and returns undefined. */
  #load(number: number): Page | undefined {
    const page = this.#options.cache.take();
    page.filePages = this.#pages;
    page.number = number;
    if (!this.#read(number, page.bytes)) {
      page.filePages = [];
      this.#repair();
      return undefined;
    }
    page.isRecent = true;
    this.#pages[number] = page;
    return page;
  }

  #read(number: number, bytes: Buffer): boolean {
    const file = this.#file;
    if (file === undefined) throw new Error('the index file is closed');
    const offset = this.#layout.headSize + number * PAGE_SIZE;
    const length = readOrUndefined(() => readSync(file, bytes, 0, PAGE_SIZE, offset));
    return length === PAGE_SIZE && crc32(bytes) === this.#head[this.#layout.checksums + number];
  }

  /**
   * Rebuilds the index from the segment. The same records make the same bytes, so the numbers of events and streams
   * stay valid.
   */
  #repair(): void {
    const bytes = this.#options.rebuild(this);
    this.close();
    this.#pages = [];
    const index = PagedIndex.of(bytes, this.#options);
    this.#header = index.#header;
    this.#layout = index.#layout;
    this.#head = index.#head;
    this.#bloom = index.#bloom;
    this.#types = index.#types;
    this.#content = index.#content;
  }
}

/** Calls `read`; returns undefined if the disk fails, because the index can be rebuilt from its segment. */
function readOrUndefined<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return undefined;
  }
}

function openHead(file: number, content: IndexedContent): { head: Buffer; header: IndexHeader } | 'other' | 'damaged' {
  const { size } = fstatSync(file);
  const headerBytes = Buffer.allocUnsafeSlow(HEADER_WORDS * 4);
  if (readSync(file, headerBytes, 0, headerBytes.length, 0) < headerBytes.length) return 'damaged';
  const header = readIndexHeader(headerBytes);
  if (header === undefined) return 'damaged';
  const { headSize, pages } = layoutOf(header);
  if (size !== headSize + pages * PAGE_SIZE) return 'damaged';
  const head = Buffer.allocUnsafeSlow(headSize);
  if (readSync(file, head, 0, headSize, 0) < headSize || !isHeadValid(head)) return 'damaged';
  const { base, generation, footer } = header;
  const isSame =
    base === content.base &&
    generation === content.generation &&
    footer.length === content.footer.length &&
    footer.checksum === content.footer.checksum;
  return isSame ? { head, header } : 'other';
}
