/** Tests that the store returns its records correctly with missing, damaged or unwritable index files. */
import { fstatSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Disk } from '@rdm/embedded/event-store/storage/disk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { append, copyStore, diskWithoutSync } from './bare-store.ts';
import {
  compare,
  contentOf,
  digestsOf,
  fill,
  indexFiles,
  open,
  proposedEvent,
  recordsOf,
  runScavenge,
  type StoredEvent,
} from './indexed-store.ts';
import { announcedSeed, random } from './seed.ts';
import { temporaryDirectory } from './target.ts';

const { path: root, remove } = temporaryDirectory();
afterAll(remove);

/** The directory of a log with several sealed segments, and the records of this log. */
const origin = join(root, 'origin');
let records: StoredEvent[] = [];

beforeAll(async () => {
  const store = await open(origin);
  await fill(store, 100);
  await append(store, '$$b2', [proposedEvent('$metadata', { $maxCount: 3 })]);
  records = recordsOf(origin, store);
  await store.close();
  expect(indexFiles(origin).length).toBeGreaterThan(3);
});

describe('an index file', () => {
  it('exists for each sealed segment, so that queries scan no sealed segment', async () => {
    const store = await open(origin);
    const sealed = store.index.segments.filter(({ segment }) => segment.isSealed);
    const scanCounts = sealed.map(({ segment }) => {
      let count = 0;
      const original = segment.scan.bind(segment);
      segment.scan = (...args: Parameters<typeof original>) => {
        count += 1;
        return original(...args);
      };
      return () => count;
    });
    compare(store, records);
    expect(scanCounts.map((count) => count())).toEqual(sealed.map(() => 0));
    expect(indexFiles(origin)).toHaveLength(sealed.length);
    await store.close();
  });

  it('is created again with the same content when the store finds the file missing or damaged', {
    timeout: 120_000,
  }, async () => {
    const chance = random(announcedSeed('index damage'));
    const contents = contentOf(origin);
    const directory = join(root, 'flipped');
    copyStore(origin, directory);
    const [name = ''] = indexFiles(directory);
    const bytes = contents[name] ?? Buffer.alloc(0);
    let detectedCount = 0;
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
      detectedCount += 1;
      expect(warnings[0]).toMatch(/the index file (is damaged|belongs to other records); it is made from the records/);
      expect(digestsOf(directory)).toEqual(digestsOf(origin));
    }
    expect(detectedCount).toBeGreaterThan(10);
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
  it('stops the store, because a revision exists twice', async () => {
    const directories = [join(root, 'first-log'), join(root, 'second-log')] as const;
    for (const [index, second] of ['a', 'b'].entries()) {
      const store = await open(directories[index] ?? '');
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
      { name: 'DamagedLog', message: expect.stringContaining('revision 1 of stream a follows revision 1') },
    ]);
    await store.close();
  });
});

describe('an index file that cannot be written', () => {
  it.each(['write', 'sync', 'rename', 'syncDirectory'] as const)(
    'does not stop appends after a failed %s, and is written later',
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
        // Appends sync the directory with another function.
        syncDirectory: async () => failIf('syncDirectory', true),
      };
      const warnings: string[] = [];
      const store = await open(directory, { disk, warn: (message) => void warnings.push(message) });
      await fill(store, 60);
      await store.log.indexFiles.settled();
      expect(warnings).toContainEqual(expect.stringContaining('could not be written and stays in memory'));
      compare(store, recordsOf(directory, store));
      // A scavenge succeeds while index files cannot be written, but needs `syncDirectory` for its own files.
      if (operation === 'syncDirectory') isFailing = false;
      await runScavenge(store);
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
