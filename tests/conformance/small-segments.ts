/** Opens stores with small segments, fills and scavenges them, and reads their content. */
import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { type ScavengedSegment, scavenge } from '@rdm/embedded/event-store/storage/scavenge';
import type { Store, StoreOptions } from '@rdm/embedded/event-store/store';
import { readHeader } from '@rdm/embedded/event-store/wire/recorded-event';
import { append, openBare, storedEvents } from './bare-store.ts';

const SEGMENT_SIZE = 1_000;
export const open = (directory: string, options: Partial<StoreOptions> = {}) =>
  openBare({ directory, segmentSize: SEGMENT_SIZE, ...options });

export function proposedEvent(text = '', type = 'Happened') {
  const data = Buffer.from(JSON.stringify({ text }));
  return { id: randomUUID(), type, isJson: true, data, metadata: Buffer.alloc(0) };
}

export const batch = (count: number) =>
  Array.from({ length: count }, (_, index) => proposedEvent('x'.repeat(20 * index)));

export const setMetadata = (store: Store, stream: string, metadata: object) =>
  append(store, `$$${stream}`, [{ ...proposedEvent('', '$metadata'), data: Buffer.from(JSON.stringify(metadata)) }]);

export async function runScavenge(store: Store, signal = new AbortController().signal): Promise<ScavengedSegment[]> {
  const segments: ScavengedSegment[] = [];
  await scavenge(store, { pauseFactor: 0, signal, onSegment: (segment) => void segments.push(segment) });
  return segments;
}

/** Returns each event as `stream/revision`, a tombstone as `stream/T`. */
export const content = (store: Store) =>
  storedEvents(store)
    .map((bytes) => readHeader(bytes))
    .map(({ stream, revision, type }) => `${stream}/${type === '$streamDeleted' ? 'T' : revision}`);

export const revisions = (store: Store, stream: string) =>
  content(store)
    .filter((event) => event.startsWith(`${stream}/`))
    .map((event) => event.slice(stream.length + 1));

/** Returns the names of segments and unfinished copies, without index files, which are written in the background. */
export const files = (directory: string) => readdirSync(directory).filter((name) => /^[\d-]+\.(log|new)$/.test(name));

/** Writes streams into several segments; returns the content that must remain after a scavenge. */
export async function fill(store: Store): Promise<string[]> {
  for (let round = 0; round < 6; round += 1) {
    for (const stream of ['kept', 'tombstoned', 'before', 'counted', 'deleted']) await append(store, stream, batch(2));
    await setMetadata(store, 'kept', { round });
  }
  await setMetadata(store, 'before', { $tb: 7 });
  await setMetadata(store, 'counted', { $maxCount: 3 });
  await setMetadata(store, 'tombstoned', { $maxCount: 100 });
  await append(store, 'deleted', [], 'any', 'delete');
  await append(store, 'tombstoned', [], 'any', 'tombstone');
  await append(store, 'last', batch(1));
  const remains: Record<string, (revision: number) => boolean> = {
    kept: () => true,
    $$kept: (revision) => revision === 5,
    tombstoned: () => false,
    $$tombstoned: () => false,
    before: (revision) => revision >= 7,
    counted: (revision) => revision >= 9,
    deleted: (revision) => revision === 11,
  };
  return content(store).filter((event) => {
    const [stream = '', revision = ''] = event.split('/');
    return revision === 'T' || (remains[stream] ?? (() => true))(Number(revision));
  });
}
