/**
 * Tests a scavenge with a kill before and after every disk operation, and reads of scavenged segments with damaged
 * bytes.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { append, copyStore, recordingDisk, storedEvents } from '../bare-store.ts';
import { announcedSeed, random } from '../seed.ts';
import { batch, content, files, fill, open, revisions, runScavenge } from '../small-segments.ts';
import { temporaryDirectory } from '../target.ts';

const { path: root, remove } = temporaryDirectory();
afterAll(remove);

describe('a kill during a scavenge', () => {
  /** The directory of the log before the scavenge. */
  const origin = join(root, 'killed-origin');
  let before: string[] = [];
  /** The events that the scavenge must leave. */
  let after: string[] = [];
  beforeAll(async () => {
    const store = await open(origin);
    after = await fill(store);
    before = content(store);
    await store.close();
  });

  it('loses no event that must remain, and the next scavenge finishes the work', { timeout: 120_000 }, async () => {
    const directory = join(root, 'killed');
    copyStore(origin, directory);
    const recording = recordingDisk(directory);
    const store = await open(directory, { disk: recording.disk });
    recording.isOn = true;
    await runScavenge(store);
    recording.isOn = false;
    await store.close();
    const operations = new Set(recording.moments.map((moment) => moment.split(' ')[1]));
    expect(operations).toEqual(new Set(['write', 'sync', 'rename', 'remove', 'syncDirectory']));
    for (const [index, moment] of recording.moments.entries()) {
      const copy = `${directory}-${index}`;
      const warnings: string[] = [];
      const reopened = await open(copy, { warn: (message) => warnings.push(message) });
      const remaining = content(reopened);
      // The log has all events that must remain, and only events that it had before the scavenge.
      expect(
        after.filter((event) => !remaining.includes(event)),
        moment,
      ).toEqual([]);
      expect(
        remaining.filter((event) => !before.includes(event)),
        moment,
      ).toEqual([]);
      expect(warnings, moment).toEqual([]);
      const bases = files(copy).map((name) => name.slice(0, 20));
      expect(new Set(bases).size, moment).toBe(bases.length);
      expect(
        files(copy).filter((name) => name.endsWith('.new')),
        moment,
      ).toEqual([]);
      await runScavenge(reopened);
      expect(content(reopened), moment).toEqual(after);
      expect(await append(reopened, 'kept', batch(1), 11n), moment).toMatchObject({ revision: 12 });
      await reopened.close();
      rmSync(copy, { recursive: true });
    }
    console.info(`scavenge: ${recording.moments.length} kills, no remaining event lost`);
  });
});

/** Maximum distance in bytes between two sampled bytes. */
const GAP_MAX = process.env['FAULTS'] === 'long' ? 15 : 90;

describe('damage in a scavenged segment', () => {
  it('is detected in each sampled byte, and never changes the result of a read', { timeout: 120_000 }, async () => {
    const chance = random(announcedSeed('scavenge damage'));
    const directory = join(root, 'flipped');
    const store = await open(directory);
    await fill(store);
    await runScavenge(store);
    const original = storedEvents(store);
    const originalContent = content(store);
    await store.close();
    const counts = { refused: 0, 'found and repaired': 0 };
    for (const name of files(directory).filter((file) => file.includes('-1.log'))) {
      const bytes = readFileSync(join(directory, name));
      for (let byte = Math.floor(chance() * 8); byte < bytes.length; byte += 1 + Math.floor(chance() * GAP_MAX)) {
        const copy = join(root, 'flipped-copy');
        rmSync(copy, { recursive: true, force: true });
        copyStore(directory, copy);
        // Remove the index files, because the store reads a footer only if there is no index file.
        for (const file of readdirSync(copy).filter((each) => each.endsWith('.index'))) rmSync(join(copy, file));
        const damaged = Buffer.from(bytes);
        damaged[byte] = (damaged[byte] ?? 0) ^ (1 << Math.floor(chance() * 8));
        writeFileSync(join(copy, name), damaged);
        const problems: string[] = [];
        let events: Buffer[] | undefined;
        try {
          const reopened = await open(copy, { warn: (message) => problems.push(message) });
          try {
            events = storedEvents(reopened);
            expect(content(reopened)).toEqual(originalContent);
            for (const stream of ['kept', 'before', 'counted'])
              expect(revisions(reopened, stream).length).toBeGreaterThan(0);
          } finally {
            await reopened.close();
          }
        } catch (error) {
          if ((error as Error).name !== 'DamagedLog') throw error;
          problems.push((error as Error).message);
        }
        expect(problems, `byte ${byte} of ${name}`).not.toHaveLength(0);
        if (events !== undefined) expect(events, `byte ${byte} of ${name}`).toEqual(original);
        counts[events === undefined ? 'refused' : 'found and repaired'] += 1;
      }
    }
    console.info(`flipped bits in scavenged segments: ${JSON.stringify(counts)}, none unnoticed`);
    expect(Math.min(...Object.values(counts))).toBeGreaterThan(0);
  });
});
