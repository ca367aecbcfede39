/** Tests damaged files: logs that are cut after or before their checkpoint, and flipped bits. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NO_STREAM } from '@eventstore/db-client';
import { startEventStoreProcess } from '@rdm/embedded/event-store/spawn';
import { type ProposedEvent, readHeader } from '@rdm/embedded/event-store/wire/recorded-event';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { append, checkpointAt, copyStore, openBare, storedEvents } from './bare-store.ts';
import { announcedSeed, random } from './seed.ts';
import { collect, connect, event, failureOf, temporaryDirectory } from './target.ts';

const { path: root, remove } = temporaryDirectory();
afterAll(remove);
const chance = random(announcedSeed('damage'));

function proposedEvent(text: string): ProposedEvent {
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

/** Opening thousands of stores takes long. */
const PATIENCE = { timeout: 180_000 };
const LONG = process.env['FAULTS'] === 'long';
/** The tests cut a file or flip a bit at one byte of each block of this many bytes; the seed selects the byte. */
const BYTES_PER_CUT = LONG ? 1 : 12;
const BYTES_PER_FLIP = LONG ? 1 : 8;

/** Returns one random offset in each block of `size` bytes, so that the samples are spread over the whole file. */
function sampledOffsets(length: number, size: number): number[] {
  const starts = Array.from({ length: Math.ceil(length / size) }, (_, index) => index * size);
  return starts.map((start) => start + Math.floor(chance() * Math.min(size, length - start)));
}

/**
 * The directory of an intact log: sealed segments, and an active segment with several appends of one to three events.
 */
const intactDirectory = join(root, 'whole');
/** The ends of the log before and after each append: the offset in the newest segment, and the number of events. */
const ends: { offset: number; events: number }[] = [];
let original: Buffer[] = [];
let positions: number[] = [];
let sealedEvents = 0;
let newest = '';
const segments = () =>
  readdirSync(intactDirectory)
    .filter((name) => name.endsWith('.log'))
    .sort();

beforeAll(async () => {
  const batch = (round: number) =>
    Array.from({ length: 1 + (round % 3) }, (_, index) => proposedEvent(`${round}.${index} ${'x'.repeat(round * 3)}`));
  const sealing = await openBare({ directory: intactDirectory, segmentSize: 500 });
  for (let round = 0; round < 4; round += 1) await append(sealing, `stream-${round % 2}`, batch(round));
  await sealing.close();
  newest = segments().at(-1) ?? '';
  expect(segments().length).toBeGreaterThanOrEqual(3);

  const store = await openBare({ directory: intactDirectory });
  const base = Number.parseInt(newest, 10);
  sealedEvents = store.index.ordinalAt(base);
  ends.push({ offset: store.log.tail - base, events: store.index.visible });
  for (const round of [0, 2, 1, 0]) {
    await append(store, `stream-${round % 2}`, batch(round));
    ends.push({ offset: store.log.tail - base, events: store.index.visible });
  }
  original = storedEvents(store);
  positions = original.map((_, ordinal) => store.index.position(ordinal));
  await store.close();
});

/** Returns a copy of the intact directory with one file replaced. Reuses the copy: restores only changed files. */
function withFile(name: string, bytes: Uint8Array): string {
  const directory = join(root, 'damaged');
  if (!existsSync(directory)) copyStore(intactDirectory, directory);
  for (const file of readdirSync(directory)) if (!segments().includes(file)) rmSync(join(directory, file));
  for (const file of [newest, 'checkpoint', lastReplaced]) {
    writeFileSync(join(directory, file), readFileSync(join(intactDirectory, file)));
  }
  writeFileSync(join(directory, name), bytes);
  lastReplaced = name;
  return directory;
}
let lastReplaced = 'checkpoint';

/** Returns the copy with the newest segment replaced. Writes a checkpoint up to an offset in this segment. */
function withTail(bytes: Uint8Array, acknowledged: number): string {
  const directory = withFile(newest, bytes);
  writeFileSync(join(directory, 'checkpoint'), checkpointAt(Number.parseInt(newest, 10) + acknowledged));
  return directory;
}

describe('a torn tail', () => {
  it('leaves the complete appends before the cut, and the log accepts new appends', PATIENCE, async () => {
    const bytes = readFileSync(join(intactDirectory, newest));
    // Each append is also cut at its first and its last byte.
    const edges = ends.flatMap(({ offset }) => [offset - 1, offset, offset + 1]);
    const sampled = new Set([0, ...edges, ...sampledOffsets(bytes.length, BYTES_PER_CUT)]);
    const cuts = [...sampled].filter((cut) => cut >= 0 && cut < bytes.length).sort((a, b) => a - b);
    for (const [index, cut] of cuts.entries()) {
      const end = ends.findLast(({ offset }) => offset <= cut);
      const directory = withTail(bytes.subarray(0, cut), end?.offset ?? 0);
      const expected = end?.events ?? sealedEvents;
      const store = await openBare({ directory, segmentSize: 64 * 1024 });
      expect(storedEvents(store), `cut at ${cut}`).toEqual(original.slice(0, expected));
      await append(store, 'stream-0', [proposedEvent('after')]);
      await store.close();
      if (index % 10 > 0) continue;
      const reopened = await openBare({ directory });
      expect(reopened.index.visible, `reopened after a cut at ${cut}`).toBe(expected + 1);
      await reopened.close();
    }
    console.info(`torn tails: ${cuts.length} cuts of ${bytes.length} bytes, each a valid prefix`);
  });

  it('is ignored if it consists of zeros', async () => {
    const { offset, events: kept } = ends.at(-2) ?? { offset: 0, events: 0 };
    const bytes = readFileSync(join(intactDirectory, newest));
    const directory = withTail(Buffer.concat([bytes.subarray(0, offset)], bytes.length + 4_096), offset);
    const store = await openBare({ directory });
    expect(storedEvents(store)).toEqual(original.slice(0, kept));
    await store.close();
  });

  it('is removed with a warning if it was never acknowledged', async () => {
    for (const rubbish of [Buffer.alloc(100, 1), Buffer.alloc(5_000, 0xff), Buffer.from(original[0] ?? [])]) {
      const directory = withFile(newest, Buffer.concat([readFileSync(join(intactDirectory, newest)), rubbish]));
      const warnings: string[] = [];
      const store = await openBare({ directory, warn: (message) => warnings.push(message) });
      expect(storedEvents(store)).toEqual(original);
      expect(warnings).toContainEqual(expect.stringContaining('an unfinished append'));
      await store.close();
    }
  });
});

describe('a log shorter than its checkpoint', () => {
  /** Returns the message with which the store refuses the directory, and checks that the files are unchanged. */
  async function refusalOf(directory: string, acceptedEnd?: number): Promise<string> {
    const files = () =>
      readdirSync(directory)
        .filter((name) => name !== 'owner')
        .map((name) => [name, readFileSync(join(directory, name))]);
    const before = files();
    const refusal = await failureOf(openBare({ directory, acceptedEnd }));
    expect(refusal.name).toBe('ShortenedLog');
    expect(files()).toEqual(before);
    return refusal.message;
  }
  const lastPosition = (events: number) => positions[events - 1];

  it('is refused with a message that names its end and the acknowledged end', async () => {
    const bytes = readFileSync(join(intactDirectory, newest));
    const acknowledged = Number.parseInt(newest, 10) + bytes.length;
    for (const cut of sampledOffsets(bytes.length, BYTES_PER_CUT)) {
      const kept = ends.findLast(({ offset }) => offset <= cut)?.events ?? sealedEvents;
      const sentence = await refusalOf(withFile(newest, bytes.subarray(0, cut)));
      expect(sentence, `cut at ${cut}`).toContain(
        `the log ends with the event at position ${lastPosition(kept)}, but events up to position ${acknowledged} were acknowledged`,
      );
      expect(sentence).toContain(`start once with ACCEPT_LOG_END=${lastPosition(kept)}`);
    }
  });

  it('is refused if segments are missing or its checkpoint is empty', async () => {
    const directory = join(root, 'shortened');
    for (const missing of [segments().slice(-1), segments().slice(-2), segments(), ['checkpoint']]) {
      rmSync(directory, { recursive: true, force: true });
      copyStore(intactDirectory, directory);
      for (const name of missing) rmSync(join(directory, name));
      if (missing[0] === 'checkpoint') writeFileSync(join(directory, 'checkpoint'), '');
      expect(await refusalOf(directory), missing.join()).toMatch(/acknowledged.*ACCEPT_LOG_END=\d+/);
    }
  });

  it('opens if the operator accepts exactly its end', async () => {
    const { offset, events: kept } = ends.at(-2) ?? { offset: 0, events: 0 };
    const directory = withFile(newest, readFileSync(join(intactDirectory, newest)).subarray(0, offset + 3));
    const acceptedEnd = lastPosition(kept) ?? 0;
    expect(await refusalOf(directory, acceptedEnd + 1)).toContain(`ACCEPT_LOG_END=${acceptedEnd + 1} names another`);
    for (const option of [{ acceptedEnd }, {}, { acceptedEnd }]) {
      const store = await openBare({ directory, ...option });
      expect(storedEvents(store)).toEqual(original.slice(0, kept));
      await store.close();
    }
    const store = await openBare({ directory, acceptedEnd });
    await append(store, 'stream-0', [proposedEvent('after')]);
    await store.close();
    const reopened = await openBare({ directory, acceptedEnd });
    expect(reopened.index.visible).toBe(kept + 1);
    await reopened.close();
  });
});

describe('a flipped bit', () => {
  /** Flips a bit in a copy, and opens the copy; returns the reported problems, and the events if it opens. */
  async function examine(file: string, byte: number): Promise<{ problems: string[]; events: Buffer[] | undefined }> {
    const bytes = readFileSync(join(intactDirectory, file));
    bytes[byte] = (bytes[byte] ?? 0) ^ (1 << Math.floor(chance() * 8));
    const directory = withFile(file, bytes);
    const problems: string[] = [];
    try {
      const store = await openBare({ directory, warn: (message) => problems.push(message) });
      try {
        return { problems, events: storedEvents(store) };
      } finally {
        await store.close();
      }
    } catch (error) {
      expect(['DamagedLog', 'ShortenedLog']).toContain((error as Error).name);
      return { problems: [...problems, (error as Error).message], events: undefined };
    }
  }

  it('is detected in the segments and the checkpoint, and never changes the result of a read', PATIENCE, async () => {
    const counts = { refused: 0, 'found and repaired': 0 };
    for (const file of [...segments(), 'checkpoint']) {
      for (const byte of sampledOffsets(readFileSync(join(intactDirectory, file)).length, BYTES_PER_FLIP)) {
        const { problems, events } = await examine(file, byte);
        expect(problems, `byte ${byte} of ${file}`).not.toHaveLength(0);
        if (events !== undefined) expect(events, `byte ${byte} of ${file}`).toEqual(original);
        counts[events === undefined ? 'refused' : 'found and repaired'] += 1;
      }
    }
    console.info(`flipped bits: ${JSON.stringify(counts)}, none unnoticed`);
    expect(counts.refused).toBeGreaterThan(0);
    expect(counts['found and repaired']).toBeGreaterThan(0);
  });
});

describe('a server with a damaged log', () => {
  it('refuses to read a damaged record of a sealed segment, and serves the other records', async () => {
    const directory = join(root, 'wire');
    copyStore(intactDirectory, directory);
    const first = join(directory, '00000000000000000000.log');
    const bytes = readFileSync(first);
    bytes[32 + 16 + 60] = (bytes[32 + 16 + 60] ?? 0) ^ 1;
    writeFileSync(first, bytes);
    const store = await startEventStoreProcess({ dir: directory, output: 'pipe' });
    const client = connect(store.url);
    expect(await failureOf(collect(client.readStream('stream-0')))).toMatchObject({ code: 15 });
    expect((await collect(client.readStream('stream-1'))).length).toBeGreaterThan(0);
    const [repeat] = original.map((bytes) => readHeader(bytes)).filter(({ stream }) => stream === 'stream-0');
    const repeatedAppend = client.appendToStream('stream-0', event({}, 'Again', repeat?.id), {
      expectedRevision: NO_STREAM,
    });
    expect((await failureOf(repeatedAppend)).message).toMatch(/damaged/);
    expect((await client.appendToStream('stream-0', event())).success).toBe(true);
    await client.dispose();
    await store.stop();
  });

  it('does not start with a damaged newest segment, and reports the position', async () => {
    const directory = join(root, 'refused');
    copyStore(intactDirectory, directory);
    const path = join(directory, newest);
    const bytes = readFileSync(path);
    bytes[32 + 16 + 60] = (bytes[32 + 16 + 60] ?? 0) ^ 1;
    writeFileSync(path, bytes);
    const refusal = await failureOf(startEventStoreProcess({ dir: directory, output: 'pipe' }));
    expect(refusal.message).toMatch(/the record at position \d+ is damaged/);
  });
});
