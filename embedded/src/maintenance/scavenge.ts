/** Scavenges the event store under the maintenance lock, so that no backup or restore runs meanwhile. */
import type { Client, Pool } from '@rdm/platform';
import { followScavenge, startScavenge, stopScavenge } from '@rdm/platform/event-store/scavenge';
import { MaintenanceError } from './errors.ts';
import { withMaintenanceLock } from './maintenance-lock.ts';

export interface ScavengeOptions {
  eventStoreUrl: string;
  signal: AbortSignal;
  /** Receives the number of bytes freed so far. */
  onProgress?: (bytes: number) => void;
}

/**
 * Takes the maintenance lock and scavenges; returns the number of freed bytes. Rejects with a `MaintenanceError`
 * (`MAINTENANCE_RUNNING`, `DISK_SPACE`, `SCAVENGE_FAILED`). If the signal is aborted or the connection with the lock is
 * lost, stops the scavenge and rejects with the reason.
 */
export const scavengeAlone = ({ pool, ...options }: ScavengeOptions & { pool: Pool }): Promise<number> =>
  withMaintenanceLock(pool, (client) => scavengeLocked(client, options));

/** Scavenges with a connection that already holds the maintenance lock. */
export async function scavengeLocked(
  client: Client,
  { eventStoreUrl, signal, onProgress }: ScavengeOptions,
): Promise<number> {
  // Stops if the lock is lost, because a backup could then start and copy the files of the log.
  const unlocked = new AbortController();
  client.once('error', (error) => unlocked.abort(error));
  const stopSignal = AbortSignal.any([signal, unlocked.signal]);
  const scavenges = await startScavenge(eventStoreUrl).catch((error: unknown) => {
    throw failure(error instanceof Error ? error.message : String(error), error);
  });
  let saved = 0;
  try {
    const outcome = await followScavenge(scavenges, stopSignal, (bytes) => {
      saved += bytes;
      onProgress?.(saved);
    });
    if (outcome.result === 'Success') return outcome.spaceSaved;
    throw failure(outcome.error ?? outcome.result);
  } catch (error) {
    // Ignores failures of the stops, because a scavenge that has ended meanwhile cannot be stopped.
    if (stopSignal.aborted) await Promise.allSettled(scavenges.map(stopScavenge));
    throw error;
  }
}

function failure(reason: string, cause?: unknown): MaintenanceError {
  if (/disk is full/i.test(reason)) {
    const message = `The disk of the event store has too little space for a scavenge, which copies one file at a time: ${reason}`;
    return new MaintenanceError('DISK_SPACE', message, { cause });
  }
  const message = `The event store did not complete the scavenge. The freed space stays free. Start the scavenge again. Reason: ${reason}`;
  return new MaintenanceError('SCAVENGE_FAILED', message, { cause });
}
