/** Refuses to restore a backup if data was purged after the backup was made. */
import { MaintenanceError } from '../errors.ts';
import type { BackupTrailer } from '../format/entries.ts';
import { readLedger } from '../purge/ledger.ts';

/** Returns the ids of the purges that deleted streams, from the ledger in a folder. */
export const purgesInLedger = async (folder: string): Promise<number[]> =>
  (await readLedger(folder)).filter(({ streams }) => streams.length > 0).map(({ purgeId }) => purgeId);

/** Throws PURGED_SINCE for purges that the backup does not list, because the backup may contain the purged data. */
export function requireNothingPurged(purgeIds: Iterable<number>, { purges }: Pick<BackupTrailer, 'purges'>): void {
  const laterPurges = [...new Set(purgeIds)].filter((id) => !purges.includes(String(id))).sort((a, b) => a - b);
  if (laterPurges.length === 0) return;
  const named = laterPurges.length === 1 ? `purge ${laterPurges[0]}` : `the purges ${laterPurges.join(', ')}`;
  const message = `The backup may contain data that ${named} deleted for good later. Choose a later backup, or restore this data with the option --with-purged of npm run restore, and purge the data again afterwards.`;
  throw new MaintenanceError('PURGED_SINCE', message);
}
