/**
 * The format of index files. The file `<base>-<generation>.index`, in the directory of the log, contains the index of a
 * sealed segment. The head of the file stays in memory; the pages after the head are read when they are needed. Numbers
 * are 32-bit words in the byte order of the machine.
 *
 * | part | words |
 * |---|---|
 * | head: header | a magic number, the version, the fields of `IndexHeader`, and the CRC-32 of the head |
 * | head: Bloom filter | the Bloom filter with the hashes of the streams |
 * | head: checksums | the CRC-32 of each page |
 * | head: types | the names of event types, as JSON |
 * | positions, offsets | the position of each event relative to the base; if scavenged, also its offset in the file |
 * | stream and type of events | the number of the stream and the number of the type of each event |
 * | events of streams | the numbers of the events of stream 0, of stream 1, … |
 * | hashes, numbers | the `high` hashes of the streams, ascending, and the number of each stream |
 * | streams | start in "names", first revision, start in "events of streams", tombstone; a last row has both ends |
 * | scavenge streams | the numbers of metadata streams and of streams with a tombstone |
 * | names | the names of the streams |
 */
import { crc32 } from 'node:zlib';
import { addToBloom, bloomWords } from './bloom-filter.ts';
import { PAGE_SIZE } from './page-cache.ts';
import { decidesScavenge, type MemoryIndex, type MemoryStream, type TypeNames } from './segment-index.ts';
import { hashOf } from './stream-hash.ts';

/** Length and checksum of the footer of a segment. They identify the content of the segment. */
export interface FooterFrame {
  readonly length: number;
  readonly checksum: number;
}

export interface IndexHeader {
  readonly base: number;
  readonly generation: number;
  /** The footer of the segment. An index is only used for a segment with the same footer. */
  readonly footer: FooterFrame;
  readonly events: number;
  readonly streams: number;
  readonly tombstones: number;
  readonly scavengeStreams: number;
  readonly hasMetastreams: boolean;
  readonly nameBytes: number;
  readonly bloomWords: number;
  readonly typeBytes: number;
}

const MAGIC = 0x31584449;
const VERSION = 1;
/** The length of the header, with unused words, so that the Bloom filter after it begins at a cache line. */
export const HEADER_WORDS = 32;
const HEADER_CHECKSUM = 31;
export const STREAM_WORDS = 5;
export const NO_TOMBSTONE = 0xffff_ffff;

/**
 * Returns the start of each column in words after the head, the number of pages, the start of the checksums in words of
 * the head, and the size of the head in bytes.
 */
export function layoutOf(header: IndexHeader) {
  const { events, streams } = header;
  let next = 0;
  const column = (length: number) => {
    const start = next;
    next += length;
    return start;
  };
  const positions = column(events);
  const offsets = header.generation > 0 ? column(events) : positions;
  const columns = {
    positions,
    offsets,
    streamOf: column(events),
    typeOf: column(events),
    streamEvents: column(events - header.tombstones),
    hashes: column(streams),
    hashedStreams: column(streams),
    streams: column((streams + 1) * STREAM_WORDS),
    scavengeStreams: column(header.scavengeStreams),
    names: next,
  };
  const pages = Math.ceil((next * 4 + header.nameBytes) / PAGE_SIZE);
  const checksums = HEADER_WORDS + header.bloomWords;
  const headBytes = (checksums + pages) * 4 + header.typeBytes;
  return { ...columns, pages, checksums, headSize: Math.ceil(headBytes / PAGE_SIZE) * PAGE_SIZE };
}

/** Parses the header of an index file; returns undefined if the bytes are not a header of this version. */
export function readIndexHeader(bytes: Buffer): IndexHeader | undefined {
  if (bytes.length < HEADER_WORDS * 4) return undefined;
  const words = wordsOf(bytes.subarray(0, HEADER_WORDS * 4));
  const word = (at: number) => words[at] ?? 0;
  if (word(0) !== MAGIC || word(1) !== VERSION) return undefined;
  return {
    base: word(2) + word(3) * 2 ** 32,
    generation: word(4),
    footer: { length: word(5), checksum: word(6) },
    events: word(7),
    streams: word(8),
    tombstones: word(9),
    scavengeStreams: word(10),
    hasMetastreams: word(11) === 1,
    nameBytes: word(12),
    bloomWords: word(13),
    typeBytes: word(14),
  };
}

function writeHeader(words: Uint32Array, header: IndexHeader): void {
  const { base, footer } = header;
  words.set([
    ...[MAGIC, VERSION, base % 2 ** 32, Math.floor(base / 2 ** 32), header.generation, footer.length, footer.checksum],
    ...[header.events, header.streams, header.tombstones, header.scavengeStreams, header.hasMetastreams ? 1 : 0],
    ...[header.nameBytes, header.bloomWords, header.typeBytes],
  ]);
}

/** Returns the checksum of all words of a head except the checksum itself. */
function headChecksum(head: Buffer): number {
  return crc32(head.subarray(HEADER_WORDS * 4), crc32(head.subarray(0, HEADER_CHECKSUM * 4)));
}

export const isHeadValid = (head: Buffer): boolean => wordsOf(head)[HEADER_CHECKSUM] === headChecksum(head);

/** Returns bytes as 32-bit words. Copies the bytes if they do not begin at a multiple of four in memory. */
export function wordsOf(bytes: Buffer): Uint32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : Buffer.from(new Uint8Array(bytes).buffer);
  return new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.length >>> 2);
}

/** Encodes an index for a file. Pauses at each `yield`, so that other work can run in between. */
export function* encodeIndex(
  index: MemoryIndex,
  types: TypeNames,
  segment: { readonly base: number; readonly generation: number; readonly footer: FooterFrame },
): Generator<void, Buffer> {
  const { base, generation, footer } = segment;
  // Number only streams with events, so that the same records always make the same file: a discarded commit group
  // leaves streams without events.
  const streamNumbers = new Int32Array(index.streams.length).fill(-1);
  const typeNumbers = new Map<number, number>();
  const streams: MemoryStream[] = [];
  for (let event = 0; event < index.count; event += 1) {
    const stream = index.streamOf(event);
    if (streamNumbers[stream] === -1) {
      streamNumbers[stream] = streams.length;
      streams.push(index.streams[stream] as MemoryStream);
    }
    const type = index.typeOf(event);
    if (!typeNumbers.has(type)) typeNumbers.set(type, typeNumbers.size);
  }
  yield;
  const names = Buffer.from(streams.map(({ name }) => name).join(''));
  const typeNames = Buffer.from(JSON.stringify([...typeNumbers.keys()].map((number) => types.name(number))));
  const scavengeStreams = streams.flatMap((stream, number) => (decidesScavenge(stream) ? [number] : []));
  const header: IndexHeader = {
    ...{ base, generation, footer },
    events: index.count,
    streams: streams.length,
    tombstones: streams.filter(({ tombstone }) => tombstone !== undefined).length,
    scavengeStreams: scavengeStreams.length,
    hasMetastreams: streams.some(({ name }) => name.startsWith('$$')),
    nameBytes: names.length,
    bloomWords: bloomWords(streams.length),
    typeBytes: typeNames.length,
  };
  yield;
  const layout = layoutOf(header);
  const bytes = Buffer.alloc(layout.headSize + layout.pages * PAGE_SIZE);
  const head = bytes.subarray(0, layout.headSize);
  const headWords = wordsOf(head);
  const data = bytes.subarray(layout.headSize);
  const words = wordsOf(data);
  for (let event = 0; event < index.count; event += 1) {
    words[layout.positions + event] = index.position(event) - base;
    words[layout.offsets + event] = index.offset(event);
    words[layout.streamOf + event] = streamNumbers[index.streamOf(event)] ?? 0;
    words[layout.typeOf + event] = typeNumbers.get(index.typeOf(event)) ?? 0;
  }
  yield;
  const bloom = headWords.subarray(HEADER_WORDS, HEADER_WORDS + header.bloomWords);
  const hashes = new BigUint64Array(streams.length);
  const hashWords = new Uint32Array(hashes.buffer);
  let eventsBefore = 0;
  let bytesBefore = 0;
  for (const [number, { name, first, events, tombstone }] of streams.entries()) {
    const hash = hashOf(name);
    addToBloom(bloom, hash);
    hashWords[number * 2 + UPPER] = hash.high;
    hashWords[number * 2 + 1 - UPPER] = number;
    const at = layout.streams + number * STREAM_WORDS;
    words[at] = bytesBefore;
    words[at + 1] = first % 2 ** 32;
    words[at + 2] = Math.floor(first / 2 ** 32);
    words[at + 3] = eventsBefore;
    words[at + 4] = tombstone ?? NO_TOMBSTONE;
    words.set(events, layout.streamEvents + eventsBefore);
    eventsBefore += events.length;
    bytesBefore += Buffer.byteLength(name);
  }
  const end = layout.streams + streams.length * STREAM_WORDS;
  words[end] = bytesBefore;
  words[end + 3] = eventsBefore;
  yield;
  hashes.sort();
  for (let at = 0; at < streams.length; at += 1) {
    words[layout.hashes + at] = hashWords[at * 2 + UPPER] ?? 0;
    words[layout.hashedStreams + at] = hashWords[at * 2 + 1 - UPPER] ?? 0;
  }
  yield;
  words.set(scavengeStreams, layout.scavengeStreams);
  names.copy(data, layout.names * 4);
  for (let page = 0; page < layout.pages; page += 1) {
    headWords[layout.checksums + page] = crc32(data.subarray(page * PAGE_SIZE, (page + 1) * PAGE_SIZE));
  }
  typeNames.copy(head, (layout.checksums + layout.pages) * 4);
  writeHeader(headWords, header);
  headWords[HEADER_CHECKSUM] = headChecksum(head);
  return bytes;
}

/** The index (0 or 1) of the upper word of a 64-bit number in memory. */
const UPPER = new Uint32Array(new BigUint64Array([1n]).buffer)[0] === 1 ? 1 : 0;

/** Runs a computation to its end without pausing at its `yield`s. */
export function runNow<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Runs a computation, and waits for `pause` at each of its `yield`s. */
export async function runInTurns<Result>(
  steps: Generator<void, Result>,
  pause: () => Promise<unknown>,
): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await pause();
  }
}
