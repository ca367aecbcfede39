/** Stream metadata in `$$<stream>`: limits on which events of a stream can still be read. */

import { readHeader } from '../wire/recorded-event.ts';
import type { EventReader } from './event-reader.ts';
import { BoundedMap } from './index/bounded-map.ts';
import type { EventIndex } from './index/event-index.ts';

export const METADATA_TYPE = '$metadata';
/** The `$tb` of a softly deleted stream: the largest signed 64-bit number, which JSON readers may round. */
export const DELETED_BEFORE = '9223372036854775807';

export interface StreamMetadata {
  readonly maxCount?: number;
  /** Maximum age of events, in seconds. */
  readonly maxAge?: number;
  /** The first revision that can be read. */
  readonly truncateBefore?: number;
  readonly isSoftDeleted: boolean;
}

const NONE: StreamMetadata = { isSoftDeleted: false };
/** A read of a metadata stream returns only its latest event. */
const OF_METASTREAM: StreamMetadata = { isSoftDeleted: false, maxCount: 1 };

export const metastreamOf = (stream: string): string => `$$${stream}`;
export const isMetastream = (stream: string): boolean => stream.startsWith('$$');
export const originalOf = (metastream: string): string => metastream.slice(2);

/** Parses metadata. Like EventStoreDB, ignores metadata that is not an object, and properties that are not numbers. */
export function parseMetadata(data: Uint8Array): StreamMetadata {
  const object = asObject(data);
  if (object === undefined) return NONE;
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
 * Returns the metadata with a new first revision, for a deleted stream that is recreated; undefined if it is not a JSON object.
 */
export function recreatedFrom(data: Uint8Array, revision: number): Buffer | undefined {
  const found = asObject(data);
  return found && Buffer.from(JSON.stringify({ ...found, $tb: revision }));
}

function asObject(data: Uint8Array): Record<string, unknown> | undefined {
  try {
    const found: unknown = JSON.parse(Buffer.from(data).toString());
    return typeof found === 'object' && found !== null ? (found as Record<string, unknown>) : undefined;
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
  readonly #known = new BoundedMap<{ readonly ordinal: number; readonly metadata: StreamMetadata }>(CACHED_STREAMS);

  constructor(index: EventIndex, reader: EventReader) {
    this.#index = index;
    this.#reader = reader;
  }

  /** Returns the metadata that readers see, without metadata of the unfinished group. */
  of(stream: string): StreamMetadata {
    if (isMetastream(stream)) return OF_METASTREAM;
    const ordinal = this.#latest(stream);
    if (ordinal === undefined) return NONE;
    const known = this.#known.get(stream);
    if (known?.ordinal === ordinal) return known.metadata;
    const metadata = parseMetadata(readHeader(this.#reader.read(ordinal)).data);
    this.#known.set(stream, { ordinal, metadata });
    return metadata;
  }

  /** Returns the metadata as the stored JSON. */
  raw(stream: string): Buffer | undefined {
    const ordinal = this.#latest(stream);
    return ordinal === undefined ? undefined : readHeader(this.#reader.read(ordinal)).data;
  }

  #latest(stream: string): number | undefined {
    const metastream = metastreamOf(stream);
    return this.#index.ordinalOf(metastream, this.#index.visibleHead(metastream));
  }
}
