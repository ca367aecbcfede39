/**
 * Opens stores whose logs have several index files, and compares the answers of their indexes with the records of the
 * segments.
 */
import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readLog } from '@rdm/embedded/event-store/storage/read-log';
import { scavenge } from '@rdm/embedded/event-store/storage/scavenge';
import type { Store, StoreOptions } from '@rdm/embedded/event-store/store';
import { readHeader } from '@rdm/embedded/event-store/wire/recorded-event';
import { expect } from 'vitest';
import { append, openBare } from './bare-store.ts';

/** The index of a segment of this size has several pages. */
const SEGMENT_SIZE = 40_000;
/** The smallest cache, in bytes. */
const ONE_PAGE = 4_096;
export const open = (directory: string, options: Partial<StoreOptions> = {}) =>
  openBare({ directory, segmentSize: SEGMENT_SIZE, pageCache: ONE_PAGE, ...options });

export function proposedEvent(type = 'Happened', data: object = {}) {
  const bytes = Buffer.from(JSON.stringify(data));
  return { id: randomUUID(), type, isJson: true, data: bytes, metadata: Buffer.alloc(0) };
}

export const indexFiles = (directory: string) => readdirSync(directory).filter((name) => name.endsWith('.index'));
export const contentOf = (directory: string) =>
  Object.fromEntries(indexFiles(directory).map((name) => [name, readFileSync(join(directory, name))]));

export const digestsOf = (directory: string) =>
  Object.fromEntries(
    Object.entries(contentOf(directory)).map(([name, bytes]) => [
      name,
      createHash('sha256').update(bytes).digest('hex'),
    ]),
  );

export interface StoredEvent {
  readonly position: number;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
}

/** Reads the records from the segment files, up to the last event that the index has. */
export function recordsOf(directory: string, store: Store): StoredEvent[] {
  const last = Array.from({ length: store.index.visible }, (_, ordinal) => ordinal).findLast(
    (ordinal) => !store.index.isDropped(ordinal),
  );
  if (last === undefined) return [];
  const records = [...readLog(directory, store.index.position(last))].flat();
  return records.map(({ position, payload }) => {
    const { stream, revision, type } = readHeader(payload);
    return { position, stream, revision, type };
  });
}

/** Compares the answers of the index with the records. */
export function compare({ index, streams }: Store, records: readonly StoredEvent[]): void {
  const ordinals = Array.from({ length: index.visible }, (_, ordinal) => ordinal).filter(
    (ordinal) => !index.isDropped(ordinal),
  );
  const positions = records.map(({ position }) => position);
  expect(ordinals.map((ordinal) => index.position(ordinal))).toEqual(positions);
  expect(ordinals.map((ordinal) => index.typeName(ordinal))).toEqual(records.map(({ type }) => type));
  const startsWithB = index.streamTest((name) => name.startsWith('b'));
  const isSystem = index.typeTest((type) => type.startsWith('$'));
  expect(ordinals.map(startsWithB)).toEqual(records.map(({ stream }) => stream.startsWith('b')));
  expect(ordinals.map(isSystem)).toEqual(records.map(({ type }) => type.startsWith('$')));
  const firstFrom = (position: number) => {
    let ordinal = index.ordinalAt(position);
    while (ordinal < index.visible && index.isDropped(ordinal)) ordinal += 1;
    return ordinal === index.visible ? undefined : index.position(ordinal);
  };
  expect(positions.map((position) => firstFrom(position))).toEqual(positions);
  expect(positions.map((position) => firstFrom(position - 1))).toEqual(positions);
  expect(positions.map((position) => firstFrom(position + 1))).toEqual(
    [...positions.slice(1), undefined].slice(0, positions.length),
  );
  const byStream = new Map<string, StoredEvent[]>();
  for (const record of records) byStream.set(record.stream, [...(byStream.get(record.stream) ?? []), record]);
  for (const [stream, all] of byStream) {
    const events = all.filter(({ type }) => type !== '$streamDeleted');
    const tombstone = all.find(({ type }) => type === '$streamDeleted');
    const head = events.at(-1)?.revision ?? -1;
    expect([index.head(stream), streams.head(stream)], stream).toEqual([head, head]);
    if (events[0]) expect(index.first(stream), stream).toBe(events[0].revision);
    const revisions = [(events[0]?.revision ?? 0) - 1, ...events.map(({ revision }) => revision), head + 1];
    const foundOrdinals = revisions.map((revision) => index.ordinalOf(stream, revision));
    expect(
      foundOrdinals.map((ordinal) => (ordinal === undefined ? undefined : index.position(ordinal))),
      stream,
    ).toEqual([undefined, ...events.map(({ position }) => position), undefined]);
    const tombstoned = index.tombstone(stream);
    expect(tombstoned === undefined ? undefined : index.position(tombstoned)).toBe(tombstone?.position);
  }
  for (const missing of ['', 'b', 'stream', `${records[0]?.stream}0`, '$$none']) {
    if (!byStream.has(missing)) expect([index.head(missing), index.tombstone(missing)]).toEqual([-1, undefined]);
  }
}

export const runScavenge = (store: Store) =>
  scavenge(store, { pauseFactor: 0, signal: new AbortController().signal, onSegment: () => undefined });

export async function fill(store: Store, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const events = Array.from({ length: 10 }, () => proposedEvent());
    await append(store, `${'ab'[round % 2]}${round % 37}-${'x'.repeat(round % 50)}`, events);
  }
  await append(store, 'a1-x', [], 'any', 'tombstone');
}
