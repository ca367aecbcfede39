/** Opens a store without its server, for tests that open thousands of stores. */
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { ExpectedRevision } from '@rdm/embedded/event-store/storage/append-decision';
import { type Disk, realDisk } from '@rdm/embedded/event-store/storage/disk';
import type { Outcome } from '@rdm/embedded/event-store/storage/writer';
import { openStore, type Store, type StoreOptions } from '@rdm/embedded/event-store/store';
import type { ProposedEvent } from '@rdm/embedded/event-store/wire/recorded-event';

/** A disk that does not sync the content of files, for tests that simulate no power cuts. */
export const diskWithoutSync: Disk = { ...realDisk, sync: async () => undefined };

export function openBare(options: Partial<StoreOptions> & { directory: string }): Promise<Store> {
  const rethrow = (error: Error) => {
    throw error;
  };
  return openStore({ disk: diskWithoutSync, warn: () => undefined, onFailure: rethrow, ...options });
}

export function append(
  store: Store,
  stream: string,
  events: readonly ProposedEvent[],
  expected: ExpectedRevision = 'any',
  kind: 'append' | 'delete' | 'tombstone' = 'append',
): Promise<Outcome> {
  return new Promise((answer) => {
    store.writer.submit({ kind, stream, expected, events, expiresAt: Number.POSITIVE_INFINITY, answer });
  });
}

/** Returns all stored events in their order. */
export function storedEvents({ index, reader }: Store): Buffer[] {
  return [...reader.readAll(Array.from({ length: index.visible }, (_, ordinal) => ordinal))];
}

/** Copies the files of a store. Ignores files that the store renames or removes meanwhile. */
export function copyStore(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    try {
      copyFileSync(join(from, name), join(to, name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

interface Recording {
  readonly disk: Disk;
  /** The moment of each copy, such as `before write`. */
  readonly moments: string[];
  isOn: boolean;
}

/**
 * Returns a disk that copies the directory before and after each operation except `free`, while `isOn`.
 * Copy n, `<directory>-<n>`, is what a kill at moment n leaves.
 */
export function recordingDisk(directory: string): Recording {
  const moments: string[] = [];
  const recordAround =
    <Arguments extends unknown[]>(name: string, operation: (...args: Arguments) => Promise<void>) =>
    async (...args: Arguments) => {
      const record = (moment: string) => {
        if (!recording.isOn) return;
        copyStore(directory, `${directory}-${moments.length}`);
        moments.push(`${moment} ${name}`);
      };
      record('before');
      await operation(...args);
      record('after');
    };
  const disk: Disk = {
    ...diskWithoutSync,
    write: recordAround('write', diskWithoutSync.write),
    sync: recordAround('sync', diskWithoutSync.sync),
    rename: recordAround('rename', realDisk.rename),
    remove: recordAround('remove', realDisk.remove),
    syncDirectory: recordAround('syncDirectory', realDisk.syncDirectory),
  };
  const recording = { disk, moments, isOn: false };
  return recording;
}

/** Returns the content of the checkpoint file when everything before a position was acknowledged. */
export function checkpointAt(position: number): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeBigUInt64LE(BigInt(position));
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 8)), 8);
  return bytes;
}
