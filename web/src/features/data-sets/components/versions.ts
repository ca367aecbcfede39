/** The title of a row version: added, imported, changed, deleted or restored. */
import type { InstanceVersion } from '../api/instances.ts';

/** `before` is the previous version; undefined for the first one. */
export function versionTitle(version: InstanceVersion, before: InstanceVersion | undefined): string {
  const byImport = version.jobId !== null && version.jobId !== before?.jobId;
  if (version.deleted) return 'Deleted';
  if (before === undefined) return version.jobId === null ? 'Added' : `Imported by job ${version.jobId}`;
  if (before.deleted) return 'Restored';
  return byImport ? `Changed by import job ${version.jobId}` : 'Changed';
}
