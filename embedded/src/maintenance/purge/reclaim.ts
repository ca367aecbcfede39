/** Gives back the space of purged events, or names the command for the operator of the event store. */
import type { Client, Log } from '@rdm/platform';
import { MaintenanceError } from '../errors.ts';
import { type ScavengeOptions, scavengeLocked } from '../scavenge.ts';

/** The bytes that were given back and where others may remain, or what the operator does because this process may not. */
export type Reclaimed = { bytes: number; leftovers: string[] } | { command: string };

const ACTIVE_CHUNK =
  'EventStoreDB: events in the chunk that it writes now. Scavenge it again when it writes another one.';

/** `client` holds the lock of maintenance. Rejects with DISK_SPACE, and with the signal's reason. */
export async function reclaimSpace(
  client: Client,
  { command, isEmbedded, log, ...options }: ScavengeOptions & { command: string; isEmbedded: boolean; log: Log },
): Promise<Reclaimed> {
  try {
    // The product's own store scavenges all its files; EventStoreDB leaves out the chunk that it writes.
    return { bytes: await scavengeLocked(client, options), leftovers: isEmbedded ? [] : [ACTIVE_CHUNK] };
  } catch (error) {
    if (!(error instanceof MaintenanceError) || error.code !== 'SCAVENGE_FAILED') throw error;
    log.warn({ err: error }, 'The space of a purge was not given back: its operator is named the command');
    return { command };
  }
}
