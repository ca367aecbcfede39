/** Opens the store of a directory and serves it over gRPC. */

import { openStore, type StoreOptions } from '../store.ts';
import type { AppendLimits } from './batch-append.ts';
import { GrpcServer, unary } from './grpc.ts';
import { clusterOfOne, supportedMethods } from './node-info.ts';
import { operationsService } from './operations.ts';
import { passwordCheck } from './password.ts';
import { decoder } from './protocol.ts';
import { ReadService } from './reads.ts';
import { Scavenges } from './scavenges.ts';
import { streamsService } from './service.ts';

export interface EventStoreOptions extends StoreOptions {
  /** The port to listen on; 0 for any free port. */
  readonly port: number;
  readonly host?: string;
  /** Maximum number of bytes of data in one append. */
  readonly maxAppendSize?: number;
  /** The password that every call must send, except calls of `openMethods`. If undefined, no password is required. */
  readonly password?: string | undefined;
  /**
   * Whether to end a live subscription that reads too slowly, as EventStoreDB 23.10 does. If false, events wait until
   * the subscription reads them.
   */
  readonly endsSlowSubscriptions?: boolean;
  /** The pause of a scavenge after each piece of work while events are appended, in durations of the piece. */
  readonly scavengePauseFactor?: number;
}

export interface RunningEventStore {
  readonly port: number;
  /** Stops a running scavenge, finishes the queued appends, then closes. */
  stop(): Promise<void>;
}

const LIMITS: AppendLimits = { maxAppendSize: 1024 * 1024, writeTimeout: 10_000 };
/** The default of `scavengePauseFactor`. With this pause, appends take at most twice as long during a scavenge. */
export const SCAVENGE_PAUSE_FACTOR = 9;
/** When the store stops, open calls have this time to end by themselves. */
const STOP_GRACE_MS = 250;

export async function startEventStore(options: EventStoreOptions): Promise<RunningEventStore> {
  const { host = '127.0.0.1' } = options;
  const store = await openStore(options);
  const limits = { ...LIMITS, ...(options.maxAppendSize && { maxAppendSize: options.maxAppendSize }) };

  let port = 0;
  const cluster = clusterOfOne(host);
  const decodeEmpty = decoder('Empty');
  // These calls need no password: the official client sends its connection name, which is the password, in other calls
  // only. Without the supported methods, the client cannot append.
  const openMethods = new Map([
    ['/event_store.client.server_features.ServerFeatures/GetSupportedMethods', unary(decodeEmpty, supportedMethods)],
    ['/event_store.client.gossip.Gossip/Read', unary(decodeEmpty, () => cluster(port))],
  ]);
  const reads = new ReadService(store.index, store.streams, options);
  const streams = streamsService(store.writer, reads, limits);
  const scavenges = new Scavenges(store, {
    node: () => `${host}:${port}`,
    pauseFactor: options.scavengePauseFactor ?? SCAVENGE_PAUSE_FACTOR,
    warn: options.warn ?? console.warn,
  });
  const operations = operationsService(scavenges);
  const hasPassword = options.password === undefined ? () => true : passwordCheck(options.password);
  const server = new GrpcServer(
    new Map([...streams, ...operations, ...openMethods]),
    (path, headers) => openMethods.has(path) || hasPassword(headers),
  );
  try {
    port = await server.listen(host, options.port);
  } catch (error) {
    await store.close();
    throw new Error(`cannot listen on ${host}:${options.port}: ${String(error)}`);
  }
  await scavenges.completeInterrupted();
  return {
    port,
    async stop() {
      await scavenges.close();
      await store.writer.close();
      await server.close(STOP_GRACE_MS);
      await store.close();
    },
  };
}
