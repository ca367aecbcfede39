/** Gives back the space of purged events, or names the command for the operator of the event store. */
import type { Client, Log } from '@rdm/platform';
import { MaintenanceError } from '../errors.ts';
import { type ScavengeOptions, scavengeLocked } from '../scavenge.ts';

/** The bytes that were given back, or what the operator does because this process may not. */
export type Reclaimed = { bytes: number } | { command: string };

/** `client` holds the lock of maintenance. Rejects with DISK_SPACE, and with the signal's reason. */
export async function reclaimSpace(
  client: Client,
  { command, log, ...options }: ScavengeOptions & { command: string; log: Log },
): Promise<Reclaimed> {
  try {
    return { bytes: await scavengeLocked(client, options) };
  } catch (error) {
    if (!(error instanceof MaintenanceError) || error.code !== 'SCAVENGE_FAILED') throw error;
    log.warn({ err: error }, 'The space of a purge was not given back: its operator is named the command');
    return { command };
  }
}
