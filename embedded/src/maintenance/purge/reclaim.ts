/** Frees the space of purged events, or returns the command with which an operator frees this space. */
import type { PurgedStream } from '@rdm/contracts';
import type { Client, EventStore, Log } from '@rdm/platform';
import { MaintenanceError } from '../errors.ts';
import { type ScavengeOptions, scavengeLocked } from '../scavenge.ts';

/**
 * `bytes` is the freed space, and `leftovers` are places where purged bytes may remain. An operator must run `command`
 * if this process could not free the space of `stored` purged events.
 */
export type ReclaimResult = { bytes: number; leftovers: string[] } | { command: string; stored: number };

export interface ReclaimOptions extends ScavengeOptions {
  store: Pick<EventStore, 'readAll'>;
  isEmbedded: boolean;
  log: Log;
}

const ONE_NODE = 'EventStoreDB: nodes that were not scavenged. The product checks only one node.';

/**
 * `client` must hold the maintenance lock. Rejects if the disk is too full (DISK_SPACE), the lock is lost, the signal
 * aborts or the log cannot be read.
 */
export async function reclaimSpace(
  client: Client,
  streams: readonly PurgedStream[],
  { store, isEmbedded, log, ...options }: ReclaimOptions,
): Promise<ReclaimResult> {
  const { eventStoreUrl, signal } = options;
  try {
    const bytes = await scavengeLocked(client, options);
    // The embedded store scavenges all its files; EventStoreDB does not scavenge the chunk that it is writing.
    const stored = isEmbedded ? 0 : await countStored(store, streams, signal);
    return { bytes, leftovers: stored === 0 ? [] : [activeChunk(stored)] };
  } catch (error) {
    if (!(error instanceof MaintenanceError) || error.code !== 'SCAVENGE_FAILED') throw error;
    log.warn({ err: error }, 'This process could not scavenge the event store');
    // The operator may have scavenged the store already.
    const stored = await countStored(store, streams, signal);
    if (stored > 0) return { command: scavengeCommand(eventStoreUrl, isEmbedded), stored };
    return { bytes: 0, leftovers: nodesIn(eventStoreUrl).length > 1 ? [ONE_NODE] : [] };
  }
}

const activeChunk = (stored: number): string =>
  `EventStoreDB: ${stored} purged ${stored === 1 ? 'event' : 'events'} in the current chunk. Scavenge EventStoreDB again after it begins the next chunk.`;

/** Returns the number of events of the purged streams that `$all` still contains. */
async function countStored(
  store: Pick<EventStore, 'readAll'>,
  streams: readonly PurgedStream[],
  signal: AbortSignal,
): Promise<number> {
  const purged = new Set(streams.map(({ stream }) => stream));
  let stored = 0;
  for await (const { stream } of store.readAll(null)) {
    signal.throwIfAborted();
    if (purged.has(stream)) stored += 1;
  }
  return stored;
}

/** Returns host and port of each node in the address. */
const nodesIn = (url: string): string[] =>
  (/^\w+(?:\+discover)?:\/\/(?:[^@/?]*@)?(?<hosts>[^/?]*)/.exec(url)?.groups?.['hosts'] ?? '')
    .split(',')
    .map((host) => (host.includes(':') ? host : `${host}:2113`));

/** Returns the command that scavenges the event store, without user and password of the address. */
export function scavengeCommand(url: string, isEmbedded: boolean): string {
  if (isEmbedded) return 'npm run scavenge';
  const scheme = /[?&]tls=false/i.test(url) ? 'http' : 'https';
  return nodesIn(url)
    .map((node) => `curl -u ops -X POST -d '{}' ${scheme}://${node}/admin/scavenge`)
    .join('\n');
}
