/**
 * Tests which events a scavenge drops, which files it writes, and that failures of the disk and damaged files lose no
 * events.
 */
import { cpSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommitGroup } from '@rdm/embedded/event-store/storage/commit-group';
import { type Disk, realDisk } from '@rdm/embedded/event-store/storage/disk';
import { readLog } from '@rdm/embedded/event-store/storage/read-log';
import { scavenge } from '@rdm/embedded/event-store/storage/scavenge';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { append, copyStore, diskWithoutSync, storedEvents } from './bare-store.ts';
import {
  batch,
  content,
  files,
  fill,
  open,
  proposedEvent,
  revisions,
  runScavenge,
  setMetadata,
} from './small-segments.ts';
import { failureOf, temporaryDirectory } from './target.ts';

const { path: root, remove } = temporaryDirectory();
afterAll(remove);

/** The files of a log in the format before scavenges existed, in Base64. */
const versionOne: Record<string, string> = JSON.parse(
  readFileSync(new URL('./log-version-1.json', import.meta.url), 'utf8'),
);

const bytesOf = (directory: string) =>
  files(directory).reduce((sum, name) => sum + statSync(join(directory, name)).size, 0);

describe('a scavenge', () => {
  it('leaves the expected events at their positions, and reports the saved bytes', async () => {
    const directory = join(root, 'kinds');
    let store = await open(directory);
    const expected = await fill(store);
    const positions = new Map(content(store).map((event, ordinal) => [event, store.index.position(ordinal)]));
    await store.writer.seal();
    const before = bytesOf(directory);
    const segments = await runScavenge(store);
    expect(content(store)).toEqual(expected);
    expect(segments.length).toBeGreaterThan(3);
    expect(before - bytesOf(directory)).toBe(segments.reduce((sum, { bytesSaved }) => sum + bytesSaved, 0));
    expect(bytesOf(directory)).toBeLessThan(before * 0.8);
    expect(files(directory).filter((name) => name.includes('-1.log')).length).toBe(segments.length);
    expect(await runScavenge(store)).toEqual([]);
    await store.close();

    store = await open(directory);
    expect(content(store)).toEqual(expected);
    const found = content(store).map((event, ordinal) => [event, store.index.position(ordinal)]);
    expect(found).toEqual(expected.map((event) => [event, positions.get(event)]));
    await store.close();
  });

  it('never removes the last event of a stream, even if the event has expired', async () => {
    const directory = join(root, 'age');
    const store = await open(directory);
    await append(store, 'old', batch(4));
    await setMetadata(store, 'old', { $maxAge: 0 });
    await new Promise((resolve) => setTimeout(resolve, 5));
    await append(store, 'other', batch(1));
    await runScavenge(store);
    expect(revisions(store, 'old')).toEqual(['3']);
    await store.close();
  });

  it('seals the active segment only if events in it are dropped', async () => {
    const directory = join(root, 'active');
    const store = await open(directory, { segmentSize: 1_000_000 });
    await append(store, 'a', batch(3));
    expect(await runScavenge(store)).toEqual([]);
    expect(files(directory)).toHaveLength(1);
    await append(store, 'a', [], 'any', 'tombstone');
    expect(await runScavenge(store)).toHaveLength(1);
    expect(content(store)).toEqual(['a/T']);
    await store.close();
  });

  it('allows appends at exact revisions, and recognises repeats of recent events', async () => {
    const directory = join(root, 'appends');
    let store = await open(directory);
    const events = batch(600);
    for (const event of events) await append(store, 'a', [event]);
    await setMetadata(store, 'a', { $tb: 500 });
    await runScavenge(store);
    expect(revisions(store, 'a')[0]).toBe('500');
    const dropped = events.slice(10, 12);
    // The store recognises the repeat from memory, and returns no position, because the events were removed.
    expect(await append(store, 'a', dropped, 'any')).toEqual({ kind: 'appended', revision: 11 });
    await store.close();

    store = await open(directory);
    expect(store.streams.first('a')).toBe(500);
    expect(await append(store, 'a', events.slice(0, 1), 'no_stream')).toEqual({ kind: 'wrong-version', head: 599 });
    expect(await append(store, 'a', events.slice(510, 512), 509n)).toMatchObject({ kind: 'appended', revision: 511 });
    expect(await append(store, 'a', batch(1), 598n)).toEqual({ kind: 'wrong-version', head: 599 });
    expect(await append(store, 'a', batch(1), 599n)).toMatchObject({ kind: 'appended', revision: 600 });
    await setMetadata(store, 'a', {});
    const ordinals = store.streams.ordinals('a', 0, 1, 1_000);
    expect(ordinals.length).toBe(101);
    await store.close();
  });

  it('keeps the revisions of a stream if all its events in a scavenged segment are dropped', async () => {
    const directory = join(root, 'next');
    let store = await open(directory);
    await append(store, 'a', batch(3));
    await append(store, 'b', batch(3));
    await store.writer.seal();
    await append(store, 'a', batch(2));
    await store.writer.seal();
    await setMetadata(store, 'a', { $tb: 3 });
    expect(await runScavenge(store)).toHaveLength(1);
    await setMetadata(store, 'b', { $tb: 1 });
    // This scavenge writes the second generation of the first segment. The second segment was never scavenged.
    expect(await runScavenge(store)).toHaveLength(1);
    await store.close();
    expect(files(directory)).toContain(`${'0'.repeat(20)}-2.log`);

    store = await open(directory);
    expect([revisions(store, 'a'), revisions(store, 'b')]).toEqual([
      ['3', '4'],
      ['1', '2'],
    ]);
    expect(await append(store, 'a', batch(1), 4n)).toMatchObject({ revision: 5 });
    await store.close();
  });

  it('keeps the revisions of a restored stream that does not begin at 0', async () => {
    const directory = join(root, 'restored');
    let store = await open(directory);
    const group = new CommitGroup(store.index);
    group.reset(store.log.tail);
    const place = (stream: string, revision: number) => ({ stream, revision, event: proposedEvent() });
    group.add([place('a', 500), place('b', 7), place('a', 501)], Date.now());
    await store.log.append(group.bytes);
    store.index.publish();
    await store.writer.seal();
    await append(store, 'b', [], 'any', 'tombstone');
    for (const step of ['sealed', 'scavenged']) {
      await store.close();
      store = await open(directory);
      expect(revisions(store, 'a'), step).toEqual(['500', '501']);
      expect(await append(store, 'a', [], 501n)).toEqual({ kind: 'appended', revision: 501 });
      if (step === 'sealed') expect(await runScavenge(store)).toHaveLength(1);
    }
    await store.close();
  });

  it('can be aborted between two segments, and completed by the next scavenge', async () => {
    const directory = join(root, 'aborted');
    const store = await open(directory);
    const expected = await fill(store);
    const abort = new AbortController();
    const options = { pauseFactor: 0, signal: abort.signal, onSegment: () => abort.abort(new Error('enough')) };
    expect((await failureOf(scavenge(store, options))).message).toBe('enough');
    expect(files(directory).filter((name) => name.endsWith('.new'))).toEqual([]);
    expect(files(directory).filter((name) => name.includes('-1.log'))).toHaveLength(1);
    await runScavenge(store);
    expect(content(store)).toEqual(expected);
    await store.close();
  });

  it('leaves files that a backup can read while the store runs', async () => {
    const directory = join(root, 'beside');
    const store = await open(directory);
    await fill(store);
    await runScavenge(store);
    const last = store.index.position(store.index.visible - 1);
    const payloads = () => [...readLog(directory, last)].flat().map(({ payload }) => payload);
    expect(payloads()).toEqual(storedEvents(store));
    const remainingOrdinals = Array.from({ length: store.index.visible }, (_, ordinal) => ordinal).filter(
      (ordinal) => !store.index.isDropped(ordinal),
    );
    const half = store.index.position(remainingOrdinals[remainingOrdinals.length >> 1] ?? 0);
    const upTo = [...readLog(directory, half)].flat().map(({ position }) => position);
    expect(upTo.at(-1)).toBe(half);
    expect(Math.max(...upTo)).toBe(half);
    await store.close();
  });
});

describe('a process that reads the files of a running store', () => {
  it('reads the records that existed when it began, even while a scavenge replaces the files', async () => {
    const directory = join(root, 'beside-during');
    const store = await open(directory);
    await fill(store);
    const before = storedEvents(store);
    const reading = readLog(directory, store.index.position(store.index.visible - 1));
    const first = reading.next().value ?? [];
    expect(await runScavenge(store)).not.toEqual([]);
    const payloads = [first, ...reading].flat().map(({ payload }) => payload);
    expect(payloads).toEqual(before);
    await store.close();
  });
});

describe('a log of the first version', () => {
  function unpack(name: string): string {
    const directory = join(root, name);
    mkdirSync(directory);
    for (const [file, base64] of Object.entries(versionOne)) {
      writeFileSync(join(directory, file), Buffer.from(base64, 'base64'));
    }
    return directory;
  }
  const whole = [
    ...['kept-1/0', 'kept-1/1', 'purged-1/0', 'kept-1/2', 'kept-1/3', 'purged-1/1', 'kept-1/4', 'kept-1/5'],
    ...['purged-1/2', 'kept-1/6', 'kept-1/7', 'purged-1/3', '$$kept-1/0', 'purged-1/T'],
  ];

  it('can be opened, appended to and scavenged', async () => {
    const directory = unpack('version-1');
    const warnings: string[] = [];
    let store = await open(directory, { warn: (message) => warnings.push(message) });
    expect(content(store)).toEqual(whole);
    expect(await append(store, 'kept-1', batch(1), 7n)).toMatchObject({ revision: 8 });
    await runScavenge(store);
    const expected = ['kept-1/6', 'kept-1/7', '$$kept-1/0', 'purged-1/T', 'kept-1/8'];
    expect(content(store)).toEqual(expected);
    await store.close();
    store = await open(directory, { warn: (message) => warnings.push(message) });
    expect(content(store)).toEqual(expected);
    expect(warnings).toEqual([]);
    await store.close();
  });

  it('keeps its bytes when the active segment is sealed', async () => {
    const directory = unpack('version-1-written');
    const store = await open(directory);
    await store.writer.seal();
    await store.close();
    for (const [file, base64] of Object.entries(versionOne).filter(([name]) => name.endsWith('.log'))) {
      const bytes = Buffer.from(base64, 'base64');
      expect(readFileSync(join(directory, file)).subarray(0, bytes.length), file).toEqual(bytes);
    }
  });
});

describe('a kill during a scavenge', () => {
  /** The directory of the log before the scavenge. */
  const origin = join(root, 'killed-origin');
  let expected: string[] = [];
  beforeAll(async () => {
    const store = await open(origin);
    expected = await fill(store);
    await store.close();
  });

  it('loses no event if the scavenged file of a segment is damaged and the former file remains', async () => {
    const directory = join(root, 'damaged-generation');
    copyStore(origin, directory);
    const store = await open(directory);
    await runScavenge(store);
    await store.close();
    // Simulates a kill: the former file was not removed, and the scavenged file is incomplete.
    const scavenged =
      files(directory)
        .filter((name) => name.includes('-1.log'))
        .at(-1) ?? '';
    const former = scavenged.replace('-1', '');
    cpSync(join(origin, former), join(directory, former));
    const bytes = readFileSync(join(directory, scavenged));
    writeFileSync(join(directory, scavenged), bytes.subarray(0, bytes.length - 3));
    const reopened = await open(directory);
    expect(files(directory)).not.toContain(scavenged);
    await runScavenge(reopened);
    expect(content(reopened)).toEqual(expected);
    await reopened.close();
  });
});

describe('a disk that fails during a scavenge', () => {
  const operations = ['write', 'sync', 'rename', 'remove', 'syncDirectory'] as const;

  it.each(operations.flatMap((operation) => [0, 1, 2].map((successes) => ({ operation, successes }))))(
    'ends the scavenge and loses no event if $operation fails after $successes successful calls',
    async ({ operation, successes }) => {
      const directory = join(root, `fails-${operation}-${successes}`);
      let calls = -1;
      const fail = async () => {
        throw Object.assign(new Error(`ENOSPC: no space left on device, ${operation}`), { code: 'ENOSPC' });
      };
      const counted = <Operation extends (...args: never[]) => Promise<void>>(name: string, real: Operation) =>
        (async (...args: Parameters<Operation>) => {
          if (calls >= 0 && name === operation && calls++ >= successes) return fail();
          return real(...args);
        }) as Operation;
      const disk: Disk = {
        ...diskWithoutSync,
        write: counted('write', diskWithoutSync.write),
        sync: counted('sync', diskWithoutSync.sync),
        rename: counted('rename', realDisk.rename),
        remove: counted('remove', realDisk.remove),
        syncDirectory: counted('syncDirectory', realDisk.syncDirectory),
      };
      const store = await open(directory, { disk });
      const expected = await fill(store);
      await store.writer.seal();
      const before = content(store);
      calls = 0;
      const error = await failureOf(runScavenge(store));
      calls = -1;
      expect(error.message).toContain('ENOSPC');
      const found = content(store);
      expect(expected.filter((event) => !found.includes(event))).toEqual([]);
      if (successes === 0 && operation !== 'remove') expect(found).toEqual(before);
      expect(files(directory).filter((name) => name.endsWith('.new'))).toEqual([]);
      // The store continues, because the failure concerned only a copy.
      expect(await append(store, 'kept', batch(1), 11n)).toMatchObject({ revision: 12 });
      await store.close();
      const reopened = await open(directory);
      await runScavenge(reopened);
      expect(content(reopened)).toEqual([...expected, 'kept/12']);
      await reopened.close();
    },
  );

  it('ends the scavenge before the first write if a copy does not fit', async () => {
    const directory = join(root, 'no-space');
    const store = await open(directory, { disk: { ...diskWithoutSync, free: async () => 10 } });
    await fill(store);
    await store.writer.seal();
    const before = files(directory);
    expect(await failureOf(runScavenge(store))).toMatchObject({ name: 'DiskFull' });
    expect(files(directory)).toEqual(before);
    await store.close();
  });
});

describe('a damaged footer of a scavenged segment', () => {
  it('loses no revision, even after another scavenge', async () => {
    const directory = join(root, 'lost-footer');
    let store = await open(directory);
    await append(store, 'a', batch(3));
    await append(store, 'b', batch(3));
    await store.writer.seal();
    await append(store, 'a', batch(2));
    await store.writer.seal();
    await setMetadata(store, 'a', { $tb: 3 });
    await runScavenge(store);
    await store.close();
    const path = join(directory, `${'0'.repeat(20)}-1.log`);
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.subarray(0, bytes.length - 1));
    store = await open(directory);
    expect(revisions(store, 'a')).toEqual(['3', '4']);
    expect(store.index.first('a')).toBe(3);
    await setMetadata(store, 'b', { $tb: 1 });
    await runScavenge(store);
    await store.close();
    store = await open(directory);
    expect(store.index.first('a')).toBe(3);
    expect(await append(store, 'a', batch(1), 4n)).toMatchObject({ revision: 5 });
    await store.close();
  });
});
