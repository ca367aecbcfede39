/** Damaged files: a tail cut at every byte opens as a valid prefix; a flipped bit is found wherever it is. */
import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NO_STREAM } from '@eventstore/db-client';
import { type ProposedEvent, readHeader } from '@rdm/embedded/event-store/recorded-event';
import { startEventStoreProcess } from '@rdm/embedded/event-store/spawn';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { append, copyStore, everything, openBare } from './bare-store.ts';
import { announcedSeed, random } from './seed.ts';
import { collect, connect, event, failure, temporaryDirectory } from './target.ts';

const { path: root, remove } = temporaryDirectory();
afterAll(remove);
const chance = random(announcedSeed('damage'));

function proposed(text: string): ProposedEvent {
  const id = `00000000-0000-4000-8000-${Math.floor(chance() * 2 ** 47)
    .toString(16)
    .padStart(12, '0')}`;
  return {
    id,
    type: 'Happened',
    isJson: true,
    data: Buffer.from(JSON.stringify({ text })),
    metadata: Buffer.from('{}'),
  };
}

/** How many events the log holds after each append, and where each append ends in the newest segment. */
const whole = join(root, 'whole');
const ends: { offset: number; events: number }[] = [];
let original: Buffer[] = [];
let newest = '';

beforeAll(async () => {
  const store = await openBare({ directory: whole, segmentSize: 1_200 });
  for (let round = 0; round < 9; round += 1) {
    const batch = Array.from({ length: 1 + (round % 3) }, (_, at) =>
      proposed(`${round}.${at} ${'x'.repeat(round * 3)}`),
    );
    await append(store, `stream-${round % 2}`, batch);
    const segments = readdirSync(whole)
      .filter((name) => name.endsWith('.log'))
      .sort();
    newest = segments.at(-1) ?? '';
    ends.push({ offset: store.log.tail - Number.parseInt(newest, 10), events: store.index.visible });
  }
  original = everything(store);
  await store.close();
  // Only the appends of the newest segment can be torn off.
  const first = ends.findLastIndex(({ offset }, at) => (ends[at - 1]?.offset ?? Number.POSITIVE_INFINITY) > offset);
  ends.splice(0, Math.max(0, first));
  expect(readdirSync(whole).filter((name) => name.endsWith('.log')).length).toBeGreaterThanOrEqual(3);
});

describe('a torn tail', () => {
  it('opens as the appends before it, at every byte, and takes new ones', async () => {
    const size = readFileSync(join(whole, newest)).length;
    const inNewest = original.length - (ends.at(-1)?.events ?? 0);
    expect(inNewest).toBe(0);
    const beforeNewest = (await sealedEvents()).length;
    for (let cut = 0; cut < size; cut += 1) {
      const directory = join(root, 'torn');
      rmSync(directory, { recursive: true, force: true });
      copyStore(whole, directory);
      truncateSync(join(directory, newest), cut);
      const expected = ends.findLast(({ offset }) => offset <= cut)?.events ?? beforeNewest;
      const store = await openBare({ directory });
      expect(everything(store), `cut at ${cut}`).toEqual(original.slice(0, expected));
      await append(store, 'stream-0', [proposed('after')]);
      await store.close();
      const again = await openBare({ directory });
      expect(again.index.visible, `reopened after a cut at ${cut}`).toBe(expected + 1);
      await again.close();
    }
    console.info(`torn tails: ${size} cuts, each a valid prefix`);
  });

  it('that was never acknowledged is cut off, whatever it holds', async () => {
    for (const rubbish of [Buffer.alloc(100, 1), Buffer.alloc(5_000, 0xff), Buffer.from(original[0] ?? [])]) {
      const directory = join(root, 'rubbish');
      rmSync(directory, { recursive: true, force: true });
      copyStore(whole, directory);
      writeFileSync(join(directory, newest), Buffer.concat([readFileSync(join(whole, newest)), rubbish]));
      const warnings: string[] = [];
      const store = await openBare({ directory, warn: (message) => warnings.push(message) });
      expect(everything(store)).toEqual(original);
      expect(warnings).toContainEqual(expect.stringContaining('cut off an unfinished append'));
      await store.close();
    }
  });

  async function sealedEvents(): Promise<Buffer[]> {
    const directory = join(root, 'sealed');
    copyStore(whole, directory);
    rmSync(join(directory, newest));
    const store = await openBare({ directory });
    const found = everything(store);
    await store.close();
    return found;
  }
});

describe('a flipped bit', () => {
  /** Opens the damaged copy and reads all of it: what was complained of, and what came out. */
  async function examine(file: string, byte: number): Promise<{ complaints: string[]; found: Buffer[] | undefined }> {
    const directory = join(root, 'flipped');
    rmSync(directory, { recursive: true, force: true });
    copyStore(whole, directory);
    const bytes = readFileSync(join(directory, file));
    bytes[byte] = (bytes[byte] ?? 0) ^ (1 << Math.floor(chance() * 8));
    writeFileSync(join(directory, file), bytes);
    const complaints: string[] = [];
    try {
      const store = await openBare({ directory, warn: (message) => complaints.push(message) });
      try {
        return { complaints, found: everything(store) };
      } finally {
        await store.close();
      }
    } catch (error) {
      expect((error as Error).name).toBe('DamagedLog');
      return { complaints: [...complaints, (error as Error).message], found: undefined };
    }
  }

  it('in any byte of any file is found, and never changes what is read', async () => {
    const counts: Record<string, number> = {};
    for (const file of readdirSync(whole).filter((name) => name !== 'owner')) {
      const size = readFileSync(join(whole, file)).length;
      for (let byte = 0; byte < size; byte += 1) {
        const { complaints, found } = await examine(file, byte);
        expect(complaints, `byte ${byte} of ${file}`).not.toHaveLength(0);
        if (found !== undefined) expect(found, `byte ${byte} of ${file}`).toEqual(original);
        const what = found === undefined ? 'refused' : 'found and made good';
        counts[what] = (counts[what] ?? 0) + 1;
      }
    }
    console.info(`flipped bits: ${JSON.stringify(counts)}, none unnoticed`);
    expect(counts['refused']).toBeGreaterThan(0);
    expect(counts['found and made good']).toBeGreaterThan(0);
  });
});

describe('over the wire', () => {
  it('a damaged sealed record is refused to its readers, and the others are served', async () => {
    const directory = join(root, 'wire');
    copyStore(whole, directory);
    const first = join(directory, '00000000000000000000.log');
    const bytes = readFileSync(first);
    bytes[32 + 16 + 60] = (bytes[32 + 16 + 60] ?? 0) ^ 1;
    writeFileSync(first, bytes);
    const store = await startEventStoreProcess({ dir: directory, output: 'pipe' });
    const client = connect(store.url);
    expect(await failure(collect(client.readStream('stream-0')))).toMatchObject({ code: 15 });
    expect((await collect(client.readStream('stream-1'))).length).toBeGreaterThan(0);
    const [repeat] = original.map((bytes) => readHeader(bytes)).filter(({ stream }) => stream === 'stream-0');
    const again = client.appendToStream('stream-0', event({}, 'Again', repeat?.id), { expectedRevision: NO_STREAM });
    expect((await failure(again)).message).toMatch(/damaged/);
    expect((await client.appendToStream('stream-0', event())).success).toBe(true);
    await client.dispose();
    await store.stop();
  });

  it('a damaged newest segment keeps the store from starting, and says where', async () => {
    const directory = join(root, 'refused');
    copyStore(whole, directory);
    const path = join(directory, newest);
    const bytes = readFileSync(path);
    bytes[32 + 16 + 60] = (bytes[32 + 16 + 60] ?? 0) ^ 1;
    writeFileSync(path, bytes);
    const refusal = await failure(startEventStoreProcess({ dir: directory, output: 'pipe' }));
    expect(refusal.message).toMatch(/the record at position \d+ is damaged/);
  });
});
