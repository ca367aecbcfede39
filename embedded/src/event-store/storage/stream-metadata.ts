/** Stream metadata in `$$<stream>`: it limits which events of a stream clients can read. */

import { readHeader } from '../wire/recorded-event.ts';
import type { EventReader } from './event-reader.ts';
import { BoundedMap } from './index/bounded-map.ts';
import type { EventIndex } from './index/event-index.ts';

export const METADATA_TYPE = '$metadata';
/**
 * The `$tb` of a softly deleted stream: the largest signed 64-bit number. It is text, because a JSON number would be
 * rounded.
 */
export const DELETED_BEFORE = '9223372036854775807';

export interface StreamMetadata {
  readonly maxCount?: number;
  /** Maximum age of events, in seconds. */
  readonly maxAge?: number;
  /** The first revision that can be read. */
  readonly truncateBefore?: number;
  readonly isSoftDeleted: boolean;
}

const NO_METADATA: StreamMetadata = { isSoftDeleted: false };
/** A read of a metadata stream returns only its latest event. */
const METASTREAM_METADATA: StreamMetadata = { isSoftDeleted: false, maxCount: 1 };

export const metastreamOf = (stream: string): string => `$$${stream}`;
export const isMetastream = (stream: string): boolean => stream.startsWith('$$');
export const originalOf = (metastream: string): string => metastream.slice(2);

/** Parses metadata. Like EventStoreDB, ignores metadata that is not an object, and properties that are not numbers. */
export function parseMetadata(data: Uint8Array): StreamMetadata {
  const object = parseObject(data);
  if (object === undefined) return NO_METADATA;
  const number = (key: string) => {
    const value = object[key];
    return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
  };
  const maxCount = number('$maxCount');
  const maxAge = number('$maxAge');
  const truncateBefore = number('$tb');
  return {
    isSoftDeleted: truncateBefore !== undefined && truncateBefore >= Number(DELETED_BEFORE),
    ...(maxCount !== undefined && { maxCount }),
    ...(maxAge !== undefined && { maxAge }),
    ...(truncateBefore !== undefined && { truncateBefore }),
  };
}

/**
 * Returns the metadata with a new first revision, for a deleted stream that is recreated. Returns undefined if the
 * metadata is not a JSON object.
 */
export function recreatedMetadata(data: Uint8Array, revision: number): Buffer | undefined {
  const metadata = parseObject(data);
  return metadata && Buffer.from(JSON.stringify({ ...metadata, $tb: revision }));
}

function parseObject(data: Uint8Array): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(data).toString());
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Maximum number of streams whose metadata is cached. */
const CACHED_STREAMS = 10_000;

/** Reads the current metadata of streams from the log and caches it. */
export class MetadataCatalogue {
  readonly #index: EventIndex;
  readonly #reader: EventReader;
  readonly #cache = new BoundedMap<{ readonly ordinal: number; readonly metadata: StreamMetadata }>(CACHED_STREAMS);

  constructor(index: EventIndex, reader: EventReader) {
    this.#index = index;
    this.#reader = reader;
  }

  /** Returns the current metadata of a stream. Metadata in the unfinished commit group is ignored. */
  of(stream: string): StreamMetadata {
    if (isMetastream(stream)) return METASTREAM_METADATA;
    const ordinal = this.#latestOrdinal(stream);
    if (ordinal === undefined) return NO_METADATA;
    const cached = this.#cache.get(stream);
    if (cached?.ordinal === ordinal) return cached.metadata;
    const metadata = parseMetadata(readHeader(this.#reader.read(ordinal)).data);
    this.#cache.set(stream, { ordinal, metadata });
    return metadata;
  }

  /** Returns the current metadata as the stored JSON; undefined if the stream has none. */
  raw(stream: string): Buffer | undefined {
    const ordinal = this.#latestOrdinal(stream);
    return ordinal === undefined ? undefined : readHeader(this.#reader.read(ordinal)).data;
  }

  #latestOrdinal(stream: string): number | undefined {
    const metastream = metastreamOf(stream);
    return this.#index.ordinalOf(metastream, this.#index.visibleHead(metastream));
  }
}
