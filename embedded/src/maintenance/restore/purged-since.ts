/** Refuses to restore a backup that contains data that were purged after it was made. */
import { MaintenanceError } from '../errors.ts';
import type { BackupTrailer } from '../format/entries.ts';
import { readLedger } from '../purge/ledger.ts';

/** Returns the ids of the purges that deleted streams, from the ledger in a folder. */
export const purgesInLedger = async (folder: string): Promise<number[]> =>
  (await readLedger(folder)).filter(({ streams }) => streams.length > 0).map(({ purgeId }) => purgeId);

/**
 * Throws PURGED_SINCE if the backup does not list one of these purges: it may contain the data that this purge deleted.
 */
export function requireNothingPurged(purgeIds: Iterable<number>, { purges }: Pick<BackupTrailer, 'purges'>): void {
  const laterPurges = [...new Set(purgeIds)].filter((id) => !purges.includes(String(id))).sort((a, b) => a - b);
  if (laterPurges.length === 0) return;
  const named = laterPurges.length === 1 ? `purge ${laterPurges[0]}` : `the purges ${laterPurges.join(', ')}`;
  const message = `The backup contains data that ${named} deleted for good after it was made. Choose a later backup, or use npm run restore with --with-purged to bring these data back, and purge them again.`;
  throw new MaintenanceError('PURGED_SINCE', message);
}
