/**
 * Tests that the answers of the index match the records of the log: after random histories, after damage to one index
 * file, and after a kill at each disk operation.
 */
import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Store } from '@rdm/embedded/event-store/store';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { append, recordingDisk } from '../bare-store.ts';
import { compare, contentOf, digestsOf, fill, open, proposedEvent, recordsOf, runScavenge } from '../indexed-store.ts';
import { announcedSeed } from '../seed.ts';
import { temporaryDirectory } from '../target.ts';

const { path: root, remove } = temporaryDirectory();
afterAll(remove);

/** Streams of few and of many events, with short and long names. */
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

const types = Array.from({ length: 40 }, (_, number) => `Happened${number}`);

async function write(store: Store, { do: action, ...options }: Step): Promise<void> {
  if (action === 'append' && 'count' in options) {
    const events = Array.from({ length: options.count }, (_, index) =>
      proposedEvent(types[(options.count + index) % 40]),
    );
    await append(store, options.stream, events);
  } else if (action === 'limit' && 'first' in options) {
    await append(store, `$$${options.stream}`, [proposedEvent('$metadata', { $tb: options.first })]);
  } else if (action === 'tombstone' && 'stream' in options) await append(store, options.stream, [], 'any', 'tombstone');
  else if (action === 'scavenge') await runScavenge(store);
}

const RUNS = Number(process.env['RUNS'] ?? (process.env['FAULTS'] === 'long' ? 30 : 8));

it('the index matches the records after random writes, scavenges, restarts and damage to an index file', {
  timeout: 300_000,
}, async () => {
  const seed = announcedSeed('index files');
  let run = 0;
  let filesMax = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 60, maxLength: 120 }), fc.nat(), async (steps, place) => {
      const directory = join(root, `any-${run++}`);
      const warnings: string[] = [];
      const reopen = () => open(directory, { warn: (message) => void warnings.push(message) });
      let store = await reopen();
      for (const each of steps) {
        if (each.do === 'reopen') {
          await store.close();
          store = await reopen();
        } else await write(store, each);
        if (each.do === 'reopen' || each.do === 'scavenge') compare(store, recordsOf(directory, store));
      }
      await runScavenge(store);
      const records = recordsOf(directory, store);
      compare(store, records);
      await store.close();
      expect(warnings).toEqual([]);
      const before = contentOf(directory);
      const digests = digestsOf(directory);
      const names = Object.keys(before);
      filesMax = Math.max(filesMax, names.length);
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
        store = await reopen();
        compare(store, records);
        await runScavenge(store);
        compare(store, recordsOf(directory, store));
        await store.close();
        // A file with a flipped bit is created again only if the store read the page with the bit.
        if (number !== 2) expect(digestsOf(directory)).toEqual(digests);
        else writeFileSync(path, before[chosen] ?? '');
      }
    }),
    { seed, numRuns: RUNS, endOnFailure: true },
  );
  expect(filesMax).toBeGreaterThan(2);
});

describe('a kill while index files are written', () => {
  it('leaves a log with a correct index and no unfinished or damaged index file', { timeout: 240_000 }, async () => {
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
    for (const [index, moment] of recording.moments.entries()) {
      const copy = `${directory}-${index}`;
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
    console.info(`index files: ${recording.moments.length} kills, the index correct after each`);
  });
});
