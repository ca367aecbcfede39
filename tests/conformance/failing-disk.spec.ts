/** A disk that fails: nothing is acknowledged after it, and the store stops rather than tries again. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Disk, realDisk } from '@rdm/embedded/event-store/disk';
import { startEventStoreProcess } from '@rdm/embedded/event-store/spawn';
import { afterEach, describe, expect, it } from 'vitest';
import { append, checkpointAt, everything, hastyDisk, openBare } from './bare-store.ts';
import { collect, connect, event, newStream, temporaryDirectory } from './target.ts';

const { path: root, remove } = temporaryDirectory();
afterEach(remove);

function proposed() {
  return { id: randomUUID(), type: 'Happened', isJson: true, data: Buffer.from('{}'), metadata: Buffer.alloc(0) };
}

/** Fails from the given operation on, as a disk does that is full or broken. */
function failingDisk(operation: 'write' | 'sync', after: number, code: string): Disk & { calls: number } {
  const disk = {
    calls: 0,
    async write(file: number, bytes: Uint8Array, offset: number) {
      if (operation === 'write' && disk.calls++ >= after) {
        // Half of it still reaches the file.
        await realDisk.write(file, bytes.subarray(0, bytes.length >> 1), offset);
        throw Object.assign(new Error(`${code}: write`), { code });
      }
      await realDisk.write(file, bytes, offset);
    },
    async sync(file: number) {
      if (operation === 'sync' && disk.calls++ >= after) throw Object.assign(new Error(`${code}: fdatasync`), { code });
      await hastyDisk.sync(file);
    },
  };
  return disk;
}

describe.each([
  { operation: 'sync', code: 'EIO' },
  { operation: 'sync', code: 'ENOSPC' },
  { operation: 'write', code: 'ENOSPC' },
] as const)('when a $operation fails with $code', ({ operation, code }) => {
  it.each([1, 2, 5, 12])('operation %i is the last one', async (after) => {
    const directory = join(root, `${operation}-${code}-${after}`);
    const failures: Error[] = [];
    const disk = failingDisk(operation, after, code);
    const store = await openBare({ directory, disk, segmentSize: 600, onFailure: (error) => failures.push(error) });
    const outcomes: string[] = [];
    for (let round = 0; round < 20; round += 1) {
      const answers = await Promise.all([
        append(store, 'a', [proposed()]),
        append(store, 'b', [proposed(), proposed()]),
      ]);
      outcomes.push(...answers.map(({ kind }) => kind));
    }
    const lastKept = outcomes.lastIndexOf('appended');
    expect(outcomes.indexOf('stopped')).toBe(lastKept + 1);
    expect(failures.map(({ message }) => message)).toEqual([expect.stringContaining(code)]);
    expect(disk.calls).toBe(after + 1);
    expect(store.index.visible).toBe(((lastKept + 1) / 2) * 3);
    await store.close();

    const again = await openBare({ directory });
    expect(everything(again).length).toBeGreaterThanOrEqual(((lastKept + 1) / 2) * 3);
    await again.close();
  });
});

describe('a store that is opened after a failed sync', () => {
  it('makes what it finds behind the checkpoint durable before it moves the checkpoint or answers a repeat', async () => {
    const directory = join(root, 'unsynced');
    const failing = failingDisk('sync', 3, 'EIO');
    const first = await openBare({ directory, disk: failing, onFailure: () => undefined });
    const events = [proposed(), proposed()];
    expect((await append(first, 'kept', [proposed()])).kind).toBe('appended');
    expect((await append(first, 'kept', [proposed()], 0n)).kind).toBe('appended');
    expect((await append(first, 'unsynced', events, 'no_stream')).kind).toBe('stopped');
    const end = first.log.tail;
    await first.close();

    const checkpoint = () => Number(readFileSync(join(directory, 'checkpoint')).readBigUInt64LE());
    const steps: string[] = [];
    const disk: Disk = {
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

  it('also syncs segments that were begun or sealed behind the checkpoint', async () => {
    const directory = join(root, 'unsynced-segments');
    const first = await openBare({ directory, segmentSize: 300 });
    for (let round = 0; round < 6; round += 1) await append(first, 'a', [proposed()]);
    await first.close();
    const segments = readdirSync(directory).filter((name) => name.endsWith('.log'));
    expect(segments.length).toBeGreaterThan(2);
    const behind = Number.parseInt(segments.at(-2) ?? '', 10) + 40;
    writeFileSync(join(directory, 'checkpoint'), checkpointAt(behind));
    const synced: number[] = [];
    const disk: Disk = { write: realDisk.write, sync: async (file) => void synced.push(file) };
    const second = await openBare({ directory, disk });
    expect(new Set(synced).size).toBe(2);
    expect(second.index.visible).toBe(6);
    await second.close();
  });
});

describe('over the wire', () => {
  it('the process ends with an error, and what it acknowledged is there afterwards', async () => {
    const dir = join(root, 'wire');
    const main = fileURLToPath(new URL('../dist/conformance/failing-disk.main.js', import.meta.url));
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
    const found = new Set((await collect(reader.readAll())).map(({ event: seen }) => seen?.id));
    expect(acknowledged.filter((id) => !found.has(id))).toEqual([]);
    await reader.dispose();
    await healthy.stop();
  });
});
