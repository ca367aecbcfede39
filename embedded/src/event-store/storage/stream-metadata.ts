/** Stream metadata: what `$$<stream>` says about how much of a stream is still to be read. */

import { readHeader } from '../wire/recorded-event.ts';
import type { EventIndex } from './event-index.ts';
import type { EventReader } from './event-reader.ts';

export const METADATA_TYPE = '$metadata';
/** The `$tb` of a softly deleted stream: the largest signed 64-bit number, which JSON readers may round. */
export const DELETED_BEFORE = '9223372036854775807';

export interface StreamMetadata {
  readonly maxCount?: number;
  /** Seconds. */
  readonly maxAge?: number;
  /** The first revision that is left. */
  readonly truncateBefore?: number;
  readonly softDeleted: boolean;
}

const NONE: StreamMetadata = { softDeleted: false };
/** Of a metadata stream itself only the latest event is read. */
const OF_METASTREAM: StreamMetadata = { softDeleted: false, maxCount: 1 };

export const metastreamOf = (stream: string): string => `$$${stream}`;
export const isMetastream = (stream: string): boolean => stream.startsWith('$$');
export const originalOf = (metastream: string): string => metastream.slice(2);

/** Metadata that is not an object, or a property that is not a number, means nothing, as on the real server. */
export function parseMetadata(data: Uint8Array): StreamMetadata {
  const found = asObject(data);
  if (found === undefined) return NONE;
  const number = (key: string) => {
    const value = found[key];
    return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
  };
  const maxCount = number('$maxCount');
  const maxAge = number('$maxAge');
  const truncateBefore = number('$tb');
  return {
    softDeleted: truncateBefore !== undefined && truncateBefore >= Number(DELETED_BEFORE),
    ...(maxCount !== undefined && { maxCount }),
    ...(maxAge !== undefined && { maxAge }),
    ...(truncateBefore !== undefined && { truncateBefore }),
  };
}

/** The same metadata with the stream beginning anew at `revision`; `undefined` when it is no JSON object. */
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

/** The metadata in force, read from the log once and then kept. */
export class MetadataCatalogue {
  readonly #index: EventIndex;
  readonly #reader: EventReader;
  readonly #known = new Map<string, { readonly ordinal: number; readonly metadata: StreamMetadata }>();

  constructor(index: EventIndex, reader: EventReader) {
    this.#index = index;
    this.#reader = reader;
  }

  /** As readers see it: of events on disk only. */
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

  /** The stored JSON. */
  raw(stream: string): Buffer | undefined {
    const ordinal = this.#latest(stream);
    return ordinal === undefined ? undefined : readHeader(this.#reader.read(ordinal)).data;
  }

  #latest(stream: string): number | undefined {
    const metastream = this.#index.stream(metastreamOf(stream));
    return metastream?.ordinals[this.#index.visibleHead(metastream)];
  }
}
