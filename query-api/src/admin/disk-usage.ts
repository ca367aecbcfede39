/** Reads the free and the total space of the disk with the data folder, and the size of the event log. */
import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { SystemDiagnostics } from '@rdm/contracts';
import type { Settings } from '@rdm/platform';

type DiskUsage = Pick<SystemDiagnostics['disk'], 'freeBytes' | 'totalBytes' | 'logBytes'>;

export const UNKNOWN_USAGE: DiskUsage = { freeBytes: null, totalBytes: null, logBytes: null };

/**
 * All figures are null if no data folder is configured; a figure is null if its folder cannot be read. The size of the
 * log is also null if the event store is not embedded.
 */
export async function readDiskUsage(settings: Pick<Settings, 'DATA_DIR' | 'EVENTSTORE_EMBEDDED'>): Promise<DiskUsage> {
  const { DATA_DIR: folder, EVENTSTORE_EMBEDDED: isEmbedded } = settings;
  if (folder === undefined) return UNKNOWN_USAGE;
  const [disk, logBytes] = await Promise.all([
    statfs(folder).catch(() => undefined),
    isEmbedded ? folderBytes(join(folder, 'event-store')).catch(() => null) : null,
  ]);
  if (!disk) return { ...UNKNOWN_USAGE, logBytes };
  return { freeBytes: disk.bavail * disk.bsize, totalBytes: disk.blocks * disk.bsize, logBytes };
}

async function folderBytes(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
