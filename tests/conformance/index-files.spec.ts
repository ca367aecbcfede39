/** Tests index files: the answers of the store always match its records, whatever happens to the index files. */
import { createHash, randomUUID } from 'node:crypto';
import { fstatSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Disk } from '@rdm/embedded/event-store/storage/disk';
import { readLog } from '@rdm/embedded/event-store/storage/read-log';
import { scavenge } from '@rdm/embedded/event-store/storage/scavenge';
import type { Store, StoreOptions } from '@rdm/embedded/event-store/store';
import { readHeader } from '@rdm/embedded/event-store/wire/recorded-event';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { append, copyStore, diskWithoutSync, openBare, recordingDisk } from './bare-store.ts';
import { announcedSeed, random } from './seed.ts';
import { temporaryDirectory } from './target.ts';

const { path: root, remove } = temporaryDirectory();
afterAll(remove);

/** Indexes of segments of this size have several pages; the smallest cache has one page. */
const SEGMENT_SIZE = 40_000;
const ONE_PAGE = 4_096;
const open = (directory: string, options: Partial<StoreOptions> = {}) =>
  openBare({ directory, segmentSize: SEGMENT_SIZE, pageCache: ONE_PAGE, ...options });

function proposedEvent(type = 'Happened', data: object = {}) {
  const bytes = Buffer.from(JSON.stringify(data));
  return { id: randomUUID(), type, isJson: true, data: bytes, metadata: Buffer.alloc(0) };
}

const indexFiles = (directory: string) => readdirSync(directory).filter((name) => name.endsWith('.index'));
const contentOf = (directory: string) =>
  Object.fromEntries(indexFiles(directory).map((name) => [name, readFileSync(join(directory, name))]));

const digestsOf = (directory: string) =>
  Object.fromEntries(
    Object.entries(contentOf(directory)).map(([name, bytes]) => [
      name,
      createHash('sha256').update(bytes).digest('hex'),
    ]),
  );

interface StoredEvent {
  readonly position: number;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
}

/** Reads the records of the segment files without an index. */
function recordsOf(directory: string, store: Store): StoredEvent[] {
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

/** Compares all answers of the index with the records. */
function compare({ index, streams }: Store, records: readonly StoredEvent[]): void {
  const ordinals = Array.from({ length: index.visible }, (_, ordinal) => ordinal).filter(
    (ordinal) => !index.isDropped(ordinal),
  );
  const positions = records.map(({ position }) => position);
  expect(ordinals.map((ordinal) => index.position(ordinal))).toEqual(positions);
  expect(ordinals.map((ordinal) => index.typeName(ordinal))).toEqual(records.map(({ type }) => type));
  const isOfB = index.streamTest((name) => name.startsWith('b'));
  const isSystem = index.typeTest((type) => type.startsWith('$'));
  expect(ordinals.map(isOfB)).toEqual(records.map(({ stream }) => stream.startsWith('b')));
  expect(ordinals.map(isSystem)).toEqual(records.map(({ type }) => type.startsWith('$')));
  const firstAfter = (position: number) => {
    let ordinal = index.ordinalAt(position);
    while (ordinal < index.visible && index.isDropped(ordinal)) ordinal += 1;
    return ordinal === index.visible ? undefined : index.position(ordinal);
  };
  expect(positions.map((position) => firstAfter(position))).toEqual(positions);
  expect(positions.map((position) => firstAfter(position - 1))).toEqual(positions);
  expect(positions.map((position) => firstAfter(position + 1))).toEqual(
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
    const found = revisions.map((revision) => index.ordinalOf(stream, revision));
    expect(
      found.map((ordinal) => (ordinal === undefined ? undefined : index.position(ordinal))),
      stream,
    ).toEqual([undefined, ...events.map(({ position }) => position), undefined]);
    const tombstoned = index.tombstone(stream);
    expect(tombstoned === undefined ? undefined : index.position(tombstoned)).toBe(tombstone?.position);
  }
  for (const missing of ['', 'b', 'stream', `${records[0]?.stream}0`, '$$none']) {
    if (!byStream.has(missing)) expect([index.head(missing), index.tombstone(missing)]).toEqual([-1, undefined]);
  }
}

/** Streams of few and of many events, with names of any length. */
const stream = fc
  .tuple(fc.constantFrom('a', 'b', 'ü', '$x'), fc.nat({ max: 60 }), fc.constantFrom('', '-'.repeat(90)))
  .map(([letter, number, end]) => `${letter}${number % (1 + (number >> 2))}${end}`);
const step = fc.oneof(
  {
    weight: 30,
    arbitrary: fc.record({ do: fc.constant('append' as const), stream, count: fc.integer({ min: 1, max: 30 }) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('limit' as const), stream, first: fc.nat({ max: 30 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('tombstone' as const), stream }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('scavenge' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen' as const) }) },
);
type Step = Exclude<typeof step extends fc.Arbitrary<infer Value> ? Value : never, undefined>;

const scavenged = (store: Store) =>
  scavenge(store, { rest: 0, signal: new AbortController().signal, onSegment: () => undefined });

/** Names of many event types. */
const types = Array.from({ length: 40 }, (_, number) => `Happened${number}`);

async function write(store: Store, { do: what, ...options }: Step): Promise<void> {
  if (what === 'append' && 'count' in options) {
    const events = Array.from({ length: options.count }, (_, at) => proposedEvent(types[(options.count + at) % 40]));
    await append(store, options.stream, events);
  } else if (what === 'limit' && 'first' in options) {
    await append(store, `$$${options.stream}`, [proposedEvent('$metadata', { $tb: options.first })]);
  } else if (what === 'tombstone' && 'stream' in options) await append(store, options.stream, [], 'any', 'tombstone');
  else if (what === 'scavenge') await scavenged(store);
}

const RUNS = Number(process.env['RUNS'] ?? (process.env['FAULTS'] === 'long' ? 30 : 8));

it('matches the records after any sequence of writes, scavenges and restarts, with and without index files', {
  timeout: 300_000,
}, async () => {
  const seed = announcedSeed('index files');
  let run = 0;
  let most = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 60, maxLength: 120 }), fc.nat(), async (steps, place) => {
      const directory = join(root, `any-${run++}`);
      const warnings: string[] = [];
      const reopened = () => open(directory, { warn: (message) => void warnings.push(message) });
      let store = await reopened();
      for (const each of steps) {
        if (each.do === 'reopen') {
          await store.close();
          store = await reopened();
        } else await write(store, each);
        if (each.do === 'reopen' || each.do === 'scavenge') compare(store, recordsOf(directory, store));
      }
      await scavenged(store);
      const records = recordsOf(directory, store);
      compare(store, records);
      await store.close();
      expect(warnings).toEqual([]);
      const before = contentOf(directory);
      const digests = digestsOf(directory);
      const names = Object.keys(before);
      most = Math.max(most, names.length);
      const chosen = names[place % Math.max(1, names.length)];
      const damages: ((path: string, size: number) => void)[] = [
        (path) => rmSync(path),
        (path, size) => truncateSync(path, place % size),
        (path, size) => {
          const bytes = readFileSync(path);
          bytes[place % size] = (bytes[place % size] ?? 0) ^ (1 << (place % 8));
          writeFileSync(path, bytes);
        },
        (path) => writeFileSync(path, ''),
      ];
      for (const [number, damage] of damages.entries()) {
        if (chosen === undefined) break;
        const path = join(directory, chosen);
        damage(path, statSync(path).size);
        store = await reopened();
        compare(store, records);
        await scavenged(store);
        compare(store, recordsOf(directory, store));
        await store.close();
        // A bit may be flipped where nothing is read.
        if (number !== 2) expect(digestsOf(directory)).toEqual(digests);
        else writeFileSync(path, before[chosen] ?? '');
      }
    }),
    { seed, numRuns: RUNS, endOnFailure: true },
  );
  expect(most).toBeGreaterThan(2);
});

/** The directory of a log with several sealed segments, and the records of this log. */
const origin = join(root, 'origin');
let records: StoredEvent[] = [];

async function fill(store: Store, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const events = Array.from({ length: 10 }, () => proposedEvent());
    await append(store, `${'ab'[round % 2]}${round % 37}-${'x'.repeat(round % 50)}`, events);
  }
  await append(store, 'a1-x', [], 'any', 'tombstone');
}

beforeAll(async () => {
  const store = await open(origin);
  await fill(store, 100);
  await append(store, '$$b2', [proposedEvent('$metadata', { $maxCount: 3 })]);
  records = recordsOf(origin, store);
  await store.close();
  expect(indexFiles(origin).length).toBeGreaterThan(3);
});

describe('an index file', () => {
  it('exists for each sealed segment, so that the next start reads no sealed segment', async () => {
    const store = await open(origin);
    const sealed = store.index.segments.filter(({ segment }) => segment.isSealed);
    const read = sealed.map(({ segment }) => {
      let count = 0;
      const original = segment.scan.bind(segment);
      segment.scan = (...args: Parameters<typeof original>) => {
        count += 1;
        return original(...args);
      };
      return () => count;
    });
    compare(store, records);
    expect(read.map((count) => count())).toEqual(sealed.map(() => 0));
    expect(indexFiles(origin)).toHaveLength(sealed.length);
    await store.close();
  });

  it('is made again with the same content if it is missing, or if a page with a flipped bit is read', {
    timeout: 120_000,
  }, async () => {
    const chance = random(announcedSeed('index damage'));
    const whole = contentOf(origin);
    const directory = join(root, 'flipped');
    copyStore(origin, directory);
    const [name = ''] = indexFiles(directory);
    const bytes = whole[name] ?? Buffer.alloc(0);
    let found = 0;
    for (let byte = Math.floor(chance() * 40); byte < bytes.length; byte += 1 + Math.floor(chance() * 300)) {
      const damaged = Buffer.from(bytes);
      damaged[byte] = (damaged[byte] ?? 0) ^ (1 << Math.floor(chance() * 8));
      writeFileSync(join(directory, name), damaged);
      const warnings: string[] = [];
      const store = await open(directory, { warn: (message) => void warnings.push(message) });
      compare(store, records);
      await store.close();
      expect(warnings.length).toBeLessThanOrEqual(1);
      if (warnings.length === 0) continue;
      found += 1;
      expect(warnings[0]).toMatch(/the index file (is damaged|belongs to other records); it is made from the records/);
      expect(digestsOf(directory)).toEqual(digestsOf(origin));
    }
    expect(found).toBeGreaterThan(10);
    for (const each of indexFiles(directory)) rmSync(join(directory, each));
    const store = await open(directory);
    compare(store, records);
    await store.close();
    expect(digestsOf(directory)).toEqual(digestsOf(origin));
  });

  it('is not used if it belongs to another log', async () => {
    const [directory, other] = [join(root, 'mine'), join(root, 'other')];
    copyStore(origin, directory);
    const store = await open(other);
    await append(store, 'first', [proposedEvent()]);
    await fill(store, 100);
    await store.close();
    const [name = ''] = indexFiles(other);
    writeFileSync(join(directory, name), readFileSync(join(other, name)));
    writeFileSync(join(directory, `${'9'.repeat(20)}.index`), 'of no segment');
    const warnings: string[] = [];
    const mine = await open(directory, { warn: (message) => void warnings.push(message) });
    compare(mine, records);
    await mine.close();
    expect(warnings).toEqual([expect.stringContaining('belongs to other records')]);
    expect(digestsOf(directory)).toEqual(digestsOf(origin));
  });

  it('is not written by a store that refuses the log', async () => {
    const directory = join(root, 'refused');
    copyStore(origin, directory);
    for (const each of indexFiles(directory)) rmSync(join(directory, each));
    const last = readdirSync(directory)
      .filter((name) => name.endsWith('.log'))
      .at(-1);
    rmSync(join(directory, last ?? ''));
    await expect(open(directory)).rejects.toMatchObject({ name: 'ShortenedLog' });
    expect(indexFiles(directory)).toEqual([]);
  });
});

describe('a segment of another log after a sealed segment', () => {
  it('stops the store, because a revision is missing or exists twice', async () => {
    const directories = [join(root, 'first-log'), join(root, 'second-log')] as const;
    for (const [at, second] of ['a', 'b'].entries()) {
      const store = await open(directories[at] ?? '');
      for (const stream of ['a', second]) await append(store, stream, [proposedEvent()]);
      await store.writer.seal();
      await append(store, 'a', [proposedEvent()]);
      await store.close();
    }
    const [directory, other] = directories;
    const last = readdirSync(directory)
      .filter((name) => name.endsWith('.log'))
      .at(-1);
    writeFileSync(join(directory, last ?? ''), readFileSync(join(other, last ?? '')));
    const failures: Error[] = [];
    const store = await open(directory, { onFailure: (error) => void failures.push(error) });
    await store.log.checked.catch(() => undefined);
    expect(failures).toMatchObject([
      { name: 'DamagedLog', message: expect.stringContaining('the event 1 of a follows the event 1') },
    ]);
    await store.close();
  });
});

describe('a kill while index files are written', () => {
  it('leaves a log that opens with the same events and makes missing index files', { timeout: 240_000 }, async () => {
    const directory = join(root, 'killed');
    const recording = recordingDisk(directory);
    const store = await open(directory, { disk: recording.disk, segmentSize: 8_000 });
    await fill(store, 5);
    recording.isOn = true;
    await fill(store, 30);
    await store.close();
    expect(new Set(recording.moments.map((moment) => moment.split(' ')[1]))).toEqual(
      new Set(['write', 'sync', 'rename', 'syncDirectory']),
    );
    const whole = digestsOf(directory);
    for (const [at, moment] of recording.moments.entries()) {
      const copy = `${directory}-${at}`;
      const warnings: string[] = [];
      const reopened = await open(copy, { segmentSize: 8_000, warn: (message) => void warnings.push(message) });
      compare(reopened, recordsOf(copy, reopened));
      await reopened.close();
      // Ignore warnings about an unfinished append.
      expect(
        warnings.filter((warning) => !warning.includes('is cut off')),
        moment,
      ).toEqual([]);
      expect(
        readdirSync(copy).filter((name) => name.endsWith('.new')),
        moment,
      ).toEqual([]);
      expect(whole, moment).toMatchObject(digestsOf(copy));
      rmSync(copy, { recursive: true });
    }
    console.info(`index files: ${recording.moments.length} kills, the log complete after each`);
  });
});

describe('a disk on which index files cannot be written', () => {
  it.each(['write', 'sync', 'rename', 'syncDirectory'] as const)(
    'because %s fails stops neither appends nor scavenges, and gets the files later',
    async (operation) => {
      const directory = join(root, `fails-${operation}`);
      let isFailing = true;
      const isIndexFile = (file: number) =>
        readdirSync(directory)
          .filter((name) => name.endsWith('.index.new'))
          .some((name) => statSync(join(directory, name), { throwIfNoEntry: false })?.ino === fstatSync(file).ino);
      const failure = () =>
        Object.assign(new Error(`ENOSPC: no space left on device, ${operation}`), { code: 'ENOSPC' });
      const failIf = (name: string, isIndex: boolean) => {
        if (isFailing && name === operation && isIndex) throw failure();
      };
      const disk: Disk = {
        ...diskWithoutSync,
        async write(file, bytes, offset) {
          failIf('write', isIndexFile(file));
          await diskWithoutSync.write(file, bytes, offset);
        },
        sync: async (file) => failIf('sync', isIndexFile(file)),
        async rename(from, to) {
          failIf('rename', from.endsWith('.index.new'));
          await diskWithoutSync.rename(from, to);
        },
        // Appends sync the directory by another function.
        syncDirectory: async () => failIf('syncDirectory', true),
      };
      const warnings: string[] = [];
      const store = await open(directory, { disk, warn: (message) => void warnings.push(message) });
      await fill(store, 60);
      await store.log.indexFiles.settled();
      expect(warnings).toContainEqual(expect.stringContaining('could not be written and stays in memory'));
      compare(store, recordsOf(directory, store));
      if (operation === 'syncDirectory') isFailing = false;
      await scavenged(store);
      compare(store, recordsOf(directory, store));
      isFailing = false;
      await fill(store, 60);
      await store.close();
      const segments = readdirSync(directory).filter((name) => name.endsWith('.log'));
      expect(indexFiles(directory)).toHaveLength(segments.length - 1);
      const reopened = await open(directory, { warn: (message) => void warnings.push(message) });
      compare(reopened, recordsOf(directory, reopened));
      await reopened.close();
    },
  );
});
