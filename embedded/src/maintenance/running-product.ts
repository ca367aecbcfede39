/** Requests a backup from the running product, which alone may read its stores then. */
import type { DirectoryInUse } from '../launcher/lock.ts';
import { MaintenanceError } from './errors.ts';

/** Refuses for now: the product has no route for it yet. */
export async function requestBackupOfRunningProduct({ pid }: DirectoryInUse): Promise<never> {
  const message = `The product is running (process ${pid}). Stop it first, then run this again.`;
  throw new MaintenanceError('MAINTENANCE_RUNNING', message);
}
