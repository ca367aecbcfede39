/** Tests that a failing disk stops the store, and that a full disk stops appends until there is space. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fstatSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEventStoreProcess } from '@rdm/embedded/event-store/spawn';
import { type Disk, realDisk } from '@rdm/embedded/event-store/storage/disk';
import type { Store } from '@rdm/embedded/event-store/store';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { append, checkpointAt, diskWithoutSync, openBare, storedEvents } from './bare-store.ts';
import { collect, connect, event, failureOf, newStream, temporaryDirectory } from './target.ts';

const { path: root, remove } = temporaryDirectory();
afterAll(remove);

function proposedEvent() {
  return { id: randomUUID(), type: 'Happened', isJson: true, data: Buffer.from('{}'), metadata: Buffer.alloc(0) };
}

/**
 * Returns a disk whose writes or syncs fail once `after` of them have succeeded. `failures` counts only failures on
 * segment files of the directory.
 */
function failingDisk(
  directory: string,
  operation: 'write' | 'sync',
  after: number,
  code: string,
): Disk & { failures: number } {
  let calls = 0;
  const isSegment = (file: number) =>
    readdirSync(directory)
      .filter((name) => name.endsWith('.log'))
      .some((name) => statSync(join(directory, name)).ino === fstatSync(file).ino);
  const failAt = (file: number) => {
    if (calls++ < after) return false;
    if (isSegment(file)) disk.failures += 1;
    return true;
  };
  const disk = {
    ...realDisk,
    failures: 0,
    async write(file: number, bytes: Uint8Array, offset: number) {
      if (operation === 'write' && failAt(file)) {
        // Half of the bytes are still written.
        await realDisk.write(file, bytes.subarray(0, bytes.length >> 1), offset);
        throw Object.assign(new Error(`${code}: write`), { code });
      }
      await realDisk.write(file, bytes, offset);
    },
    async sync(file: number) {
      if (operation === 'sync' && failAt(file)) throw Object.assign(new Error(`${code}: fdatasync`), { code });
      await diskWithoutSync.sync(file);
    },
  };
  return disk;
}

describe.each([
  { operation: 'sync', code: 'EIO' },
  { operation: 'sync', code: 'ENOSPC' },
  { operation: 'write', code: 'EIO' },
] as const)('a $operation that fails with $code', ({ operation, code }) => {
  it.each([1, 2, 5, 12])('stops the store after %i successful operations', async (after) => {
    const directory = join(root, `${operation}-${code}-${after}`);
    const failures: Error[] = [];
    const disk = failingDisk(directory, operation, after, code);
    const store = await openBare({ directory, disk, segmentSize: 600, onFailure: (error) => failures.push(error) });
    const outcomes: string[] = [];
    for (let round = 0; round < 20; round += 1) {
      const answers = await Promise.all([
        append(store, 'a', [proposedEvent()]),
        append(store, 'b', [proposedEvent(), proposedEvent()]),
      ]);
      outcomes.push(...answers.map(({ kind }) => kind));
    }
    const lastAppended = outcomes.lastIndexOf('appended');
    expect(outcomes.indexOf('stopped')).toBe(lastAppended + 1);
    expect(failures.map(({ message }) => message)).toEqual([expect.stringContaining(code)]);
    expect(disk.failures).toBe(1);
    expect(store.index.visible).toBe(((lastAppended + 1) / 2) * 3);
    await store.close();

    const reopened = await openBare({ directory });
    expect(storedEvents(reopened).length).toBeGreaterThanOrEqual(((lastAppended + 1) / 2) * 3);
    await reopened.close();
  });
});

/** Returns a disk that becomes full after this number of writes. A test frees space by setting `isFull` to false. */
function fullDisk(after: number): Disk & { isFull: boolean } {
  let writes = 0;
  const disk = {
    ...diskWithoutSync,
    isFull: false,
    async write(file: number, bytes: Uint8Array, offset: number) {
      if (writes++ === after) disk.isFull = true;
      if (!disk.isFull) return realDisk.write(file, bytes, offset);
      await realDisk.write(file, bytes.subarray(0, bytes.length >> 1), offset);
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    },
    free: async () => (disk.isFull ? 0 : 2 ** 30),
  };
  return disk;
}

describe('a full disk', () => {
  // These writes include records, the footer of a sealed segment, and the header of a new segment.
  it.concurrent.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'stops appends after %i writes until there is space, and never stops reads',
    async (after) => {
      const directory = join(root, `full-${after}`);
      const disk = fullDisk(after);
      const first = await openBare({ directory, disk, segmentSize: 300 });
      const rounds = Array.from({ length: 10 }, () => [proposedEvent()]);
      const attemptAppend = (store: Store, round: number) =>
        append(store, 'a', rounds[round] ?? [], round === 0 ? 'no_stream' : BigInt(round - 1));
      let round = 0;
      while ((await attemptAppend(first, round)).kind === 'appended') round += 1;
      const storedBefore = storedEvents(first);
      expect(storedBefore).toHaveLength(round);
      // A full store refuses new appends before it compares revisions, but still recognises repeated appends.
      const refusals = await Promise.all([
        attemptAppend(first, round),
        attemptAppend(first, round + 1),
        append(first, 'b', []),
      ]);
      expect(refusals.map(({ kind }) => kind)).toEqual(['full', 'full', 'full']);
      if (round > 0)
        expect(await attemptAppend(first, round - 1)).toMatchObject({ kind: 'appended', revision: round - 1 });
      expect(await append(first, 'a', [proposedEvent()], 'no_stream')).toEqual({ kind: 'full' });
      await first.close();

      const second = await openBare({ directory, disk, segmentSize: 300 });
      expect(storedEvents(second)).toEqual(storedBefore);
      expect((await attemptAppend(second, round)).kind).toBe('full');
      disk.isFull = false;
      await vi.waitFor(() => expect(second.log.isFull).toBe(false), { timeout: 20_000 });
      for (; round < rounds.length; round += 1) {
        expect(await attemptAppend(second, round)).toMatchObject({ kind: 'appended', revision: round });
      }
      await second.close();
      const third = await openBare({ directory });
      expect(third.index.visible).toBe(rounds.length);
      expect(storedEvents(third).slice(0, storedBefore.length)).toEqual(storedBefore);
      await third.close();
    },
  );

  it('refuses all appends of a group whose write fails, and keeps none of their events', async () => {
    const directory = join(root, 'full-group');
    const disk = fullDisk(1);
    const store = await openBare({ directory, disk });
    const [event] = [proposedEvent()];
    const group = [append(store, 'a', [event], 'no_stream'), append(store, 'a', [proposedEvent()], 'no_stream')];
    group.push(append(store, 'b', [], 'no_stream', 'tombstone'), append(store, 'a', [event], 'any'));
    expect((await Promise.all(group)).map(({ kind }) => kind)).toEqual(['full', 'full', 'full', 'full']);
    expect([store.index.count, store.log.tail]).toEqual([0, statSync(join(directory, `${'0'.repeat(20)}.log`)).size]);
    disk.isFull = false;
    await expect.poll(() => store.log.isFull, { timeout: 20_000 }).toBe(false);
    expect(await append(store, 'a', [event], 'any')).toMatchObject({ kind: 'appended', revision: 0 });
    expect(await append(store, 'b', [proposedEvent()], 'no_stream')).toMatchObject({ kind: 'appended', revision: 0 });
    expect(store.index.visible).toBe(2);
    await store.close();
  });
});

describe('a store that is opened after a failed sync', () => {
  it('rewrites and syncs unsynced records before it advances the checkpoint or answers a repeated append', async () => {
    const directory = join(root, 'unsynced');
    const failing = failingDisk(directory, 'sync', 3, 'EIO');
    const first = await openBare({ directory, disk: failing, onFailure: () => undefined });
    const events = [proposedEvent(), proposedEvent()];
    expect((await append(first, 'kept', [proposedEvent()])).kind).toBe('appended');
    expect((await append(first, 'kept', [proposedEvent()], 0n)).kind).toBe('appended');
    expect((await append(first, 'unsynced', events, 'no_stream')).kind).toBe('stopped');
    const end = first.log.tail;
    await first.close();

    const checkpoint = () => Number(readFileSync(join(directory, 'checkpoint')).readBigUInt64LE());
    const steps: string[] = [];
    const disk: Disk = {
      ...realDisk,
      async write(file, bytes, offset) {
        await realDisk.write(file, bytes, offset);
        steps.push(`write from ${offset} with the checkpoint at ${checkpoint()}`);
      },
      async sync(file) {
        await realDisk.sync(file);
        steps.push(`sync with the checkpoint at ${checkpoint()}`);
      },
    };
    expect(checkpoint()).toBe(end);
    const second = await openBare({ directory, disk });
    expect(second.index.visible).toBe(4);
    expect(steps).toEqual([`write from ${end} with the checkpoint at ${end}`, `sync with the checkpoint at ${end}`]);
    expect(checkpoint()).toBe(second.log.tail);
    expect(await append(second, 'unsynced', events, 'no_stream')).toMatchObject({ kind: 'appended', revision: 1 });
    await second.close();
  });

  it('also syncs segments that were started or sealed after the checkpoint', async () => {
    const directory = join(root, 'unsynced-segments');
    const first = await openBare({ directory, segmentSize: 300 });
    for (let round = 0; round < 6; round += 1) await append(first, 'a', [proposedEvent()]);
    await first.close();
    const segments = readdirSync(directory).filter((name) => name.endsWith('.log'));
    expect(segments.length).toBeGreaterThan(2);
    const behind = Number.parseInt(segments.at(-2) ?? '', 10) + 40;
    writeFileSync(join(directory, 'checkpoint'), checkpointAt(behind));
    const synced: number[] = [];
    const disk: Disk = { ...realDisk, sync: async (file) => void synced.push(file) };
    const second = await openBare({ directory, disk });
    expect(new Set(synced).size).toBe(2);
    expect(second.index.visible).toBe(6);
    await second.close();
  });
});

describe('a server on a failing disk', () => {
  const main = fileURLToPath(new URL('../dist/conformance/failing-disk.main.js', import.meta.url));

  it('reports a full disk to clients, continues subscriptions, and accepts appends again when there is space', async () => {
    const dir = join(root, 'full');
    const store = await startEventStoreProcess({ dir, main, output: 'pipe' });
    const client = connect(store.url);
    const stream = newStream();
    await client.appendToStream(stream, event({ number: 0 }));
    const receivedData: unknown[] = [];
    const subscription = client.subscribeToStream(stream);
    subscription.on('data', ({ event: recordedEvent }) => receivedData.push(recordedEvent?.data));
    writeFileSync(join(dir, 'full'), '');
    for (const options of [{}, { credentials: { username: 'admin', password: 'changeit' } }]) {
      const refusal = await failureOf(client.appendToStream(stream, event({ number: 1 }), options));
      expect(refusal.message).toContain('The event store takes no appends because its disk is full');
    }
    expect(await collect(client.readStream(stream))).toHaveLength(1);
    rmSync(join(dir, 'full'));
    await expect
      .poll(() => client.appendToStream(stream, event({ number: 2 })).catch(() => undefined), { timeout: 20_000 })
      .toMatchObject({ success: true, nextExpectedRevision: 1n });
    await expect.poll(() => receivedData, { timeout: 20_000 }).toEqual([{ number: 0 }, { number: 2 }]);
    await client.dispose();
    await store.stop();
  });

  it('ends the process with an error after a failed sync, and has all acknowledged events at the next start', async () => {
    const dir = join(root, 'wire');
    const store = await startEventStoreProcess({ dir, main, output: 'pipe' });
    const exited = once(store.child, 'exit');
    const client = connect(store.url);
    const acknowledged: string[] = [];
    const load = Array.from({ length: 16 }, async () => {
      for (;;) {
        const id = randomUUID();
        await client.appendToStream(newStream(), event({}, 'Loaded', id));
        acknowledged.push(id);
      }
    }).map((writer) => writer.catch(() => undefined));
    await expect.poll(() => acknowledged.length, { timeout: 40_000 }).toBeGreaterThan(100);
    writeFileSync(join(dir, 'fail'), '');
    expect((await exited)[0]).toBe(1);
    await Promise.all(load);
    await client.dispose();

    const healthy = await startEventStoreProcess({ dir, output: 'pipe' });
    const reader = connect(healthy.url);
    const storedIds = new Set((await collect(reader.readAll())).map(({ event: recordedEvent }) => recordedEvent?.id));
    expect(acknowledged.filter((id) => !storedIds.has(id))).toEqual([]);
    await reader.dispose();
    await healthy.stop();
  });
});
