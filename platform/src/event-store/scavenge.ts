/**
 * Starts, follows and stops scavenges. A scavenge shortens the files of an event store: it removes the events that
 * clients can no longer read.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { EventStoreDBClient, jsonEvent, START } from '@eventstore/db-client';
import { GossipClient } from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import { OperationsClient } from '@eventstore/db-client/generated/operations_grpc_pb.js';
import operations from '@eventstore/db-client/generated/operations_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import { DISK_FULL } from './disk-full.ts';
import { isFull } from './store-status.ts';

/** A scavenge of one node. */
export interface StartedScavenge {
  id: string;
  /** A connection string with only the node of this scavenge. */
  url: string;
  /** Whether the scavenge was already running. */
  isEarlier: boolean;
}

export interface ScavengeOutcome {
  result: 'Success' | 'Stopped' | 'Errored' | 'Interrupted';
  /** Why the scavenge did not succeed; null after a success, or if the event store gives no reason. */
  error: string | null;
  /** The number of bytes saved. `followScavenge` returns the sum of all nodes. */
  spaceSaved: number;
}

const DEADLINE_MS = 10_000;
const RETRY_MS = 1_000;
const FULL_CHECK_MS = 5_000;
/** A node whose disk is full for this time counts as failed, because it cannot record the end of its scavenge. */
const FULL_MS = 60_000;
/** No stream has this revision. The refusal of an append at this revision shows whether the disk is full. */
const IMPOSSIBLE_REVISION = BigInt(Number.MAX_SAFE_INTEGER);
const ADDRESS = /^(?<scheme>\w+)(?<discover>\+discover)?:\/\/(?<credentials>[^@/?]*@)?(?<hosts>[^/?]*)(?<rest>.*)$/s;

/**
 * Starts a scavenge on each live node that runs none. Returns one scavenge per live node. Rejects if a node does not
 * answer or refuses the call.
 */
export async function startScavenge(url: string): Promise<StartedScavenge[]> {
  return Promise.all(
    (await nodesOf(url)).map(async (node) => {
      const answer = await withClient(node, (client) =>
        client['execute'](
          OperationsClient,
          'startScavenge',
          (channel) =>
            new Promise<operations.ScavengeResp>((resolve, reject) => {
              const request = new operations.StartScavengeReq();
              request.setOptions(new operations.StartScavengeReq.Options().setThreadCount(1));
              channel.startScavenge(
                request,
                ...client['callArguments']({ deadline: DEADLINE_MS }),
                (error, response) => (error ? reject(error) : resolve(response)),
              );
            }),
        ),
      );
      const isEarlier = answer.getScavengeResult() === operations.ScavengeResp.ScavengeResult.INPROGRESS;
      return { id: answer.getScavengeId(), url: node, isEarlier };
    }),
  );
}

/** Stops a scavenge. The segments of the log that it has replaced stay replaced. */
export function stopScavenge({ id, url }: StartedScavenge): Promise<void> {
  return withClient(url, (client) =>
    client['execute'](
      OperationsClient,
      'stopScavenge',
      (channel) =>
        new Promise<void>((resolve, reject) => {
          const request = new operations.StopScavengeReq();
          request.setOptions(new operations.StopScavengeReq.Options().setScavengeId(id));
          channel.stopScavenge(request, ...client['callArguments']({ deadline: DEADLINE_MS }), (error) =>
            error ? reject(error) : resolve(),
          );
        }),
    ),
  );
}

/**
 * Resolves when all scavenges have ended; rejects when the signal is aborted. Result and error are those of the first
 * scavenge in the list that did not succeed. Waits while the event store is unavailable, because a restarted node
 * records that its scavenge was interrupted. A scavenge fails if the disk of its node is full for `fullMs`.
 * `onProgress` receives the bytes that one step saved.
 */
export async function followScavenge(
  scavenges: readonly StartedScavenge[],
  signal: AbortSignal,
  onProgress: (bytesSaved: number) => void = () => {},
  { fullMs = FULL_MS, fullCheckMs = FULL_CHECK_MS } = {},
): Promise<ScavengeOutcome> {
  const outcomes = await Promise.all(
    scavenges.map(async (scavenge) => {
      const decided = new AbortController();
      const stopSignal = AbortSignal.any([signal, decided.signal]);
      let saved = 0;
      const onStep = (bytesSaved: number) => {
        saved += bytesSaved;
        onProgress(bytesSaved);
      };
      const followed = followOne(scavenge, stopSignal, onStep);
      const full = untilFull(scavenge, fullMs, fullCheckMs, stopSignal).then(
        (error): ScavengeOutcome => ({ result: 'Errored', error, spaceSaved: saved }),
      );
      try {
        return await Promise.race([followed, full]);
      } finally {
        decided.abort();
        await Promise.allSettled([followed, full]);
      }
    }),
  );
  const spaceSaved = outcomes.reduce((sum, outcome) => sum + outcome.spaceSaved, 0);
  const failed = outcomes.find(({ result }) => result !== 'Success');
  return { result: failed?.result ?? 'Success', error: failed?.error ?? null, spaceSaved };
}

/** Resolves with a reason when the disk of the node has been full for `fullMs`; rejects when the signal is aborted. */
async function untilFull(
  { id, url }: StartedScavenge,
  fullMs: number,
  checkMs: number,
  signal: AbortSignal,
): Promise<string> {
  let since: number | undefined;
  for (;;) {
    await sleep(checkMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    const isNowFull = await withClient(url, (client) =>
      client
        .appendToStream(`$scavenges-${id}`, jsonEvent({ type: 'Probe', data: {} }), {
          expectedRevision: IMPOSSIBLE_REVISION,
          deadline: DEADLINE_MS,
        })
        .then(() => false, isFull),
    );
    since = isNowFull ? (since ?? performance.now()) : undefined;
    if (since !== undefined && performance.now() - since >= fullMs) {
      return `${DISK_FULL}. The node cannot record how the scavenge ended. Free at least 64 MiB, then start the scavenge again.`;
    }
  }
}

async function followOne(
  { id, url }: StartedScavenge,
  signal: AbortSignal,
  onProgress: (bytesSaved: number) => void,
): Promise<ScavengeOutcome> {
  let last: bigint | undefined;
  for (;;) {
    const outcome = await withClient(url, async (client) => {
      const subscription = client.subscribeToStream(`$scavenges-${id}`, { fromRevision: last ?? START });
      const stop = () => void subscription.unsubscribe().catch(() => undefined);
      signal.addEventListener('abort', stop, { once: true });
      try {
        for await (const { event } of subscription) {
          if (event === undefined) continue;
          last = event.revision;
          const data = event.data as unknown as ScavengeOutcome;
          if (event.type === '$scavengeCompleted') return data;
          if (data.spaceSaved) onProgress(data.spaceSaved);
        }
      } catch {
        // The store is unavailable or has ended a slow subscription: subscribe again.
      } finally {
        signal.removeEventListener('abort', stop);
        await subscription.unsubscribe().catch(() => undefined);
      }
      return undefined;
    });
    signal.throwIfAborted();
    if (outcome) return { result: outcome.result, error: outcome.error || null, spaceSaved: outcome.spaceSaved };
    await sleep(RETRY_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

/** Returns a connection string for each live node; `url` itself if it names one host without discovery. */
async function nodesOf(url: string): Promise<string[]> {
  const { scheme, discover, credentials = '', hosts = '', rest = '' } = ADDRESS.exec(url)?.groups ?? {};
  if (discover === undefined && !hosts.includes(',')) return [url];
  const members = await withClient(url, (client) =>
    client['execute'](
      GossipClient,
      'readMembers',
      (channel) =>
        new Promise<string[]>((resolve, reject) => {
          channel.read(new shared.Empty(), ...client['callArguments']({ deadline: DEADLINE_MS }), (error, info) => {
            if (error) return reject(error);
            const allMembers = info.getMembersList().map((member) => member.toObject());
            return resolve(
              allMembers
                .filter(({ isAlive }) => isAlive)
                .flatMap(({ httpEndPoint }) => (httpEndPoint ? [`${httpEndPoint.address}:${httpEndPoint.port}`] : [])),
            );
          });
        }),
    ),
  );
  return members.map((address) => `${scheme}://${credentials}${address}${rest}`);
}

async function withClient<Result>(url: string, use: (client: EventStoreDBClient) => Promise<Result>): Promise<Result> {
  const client = EventStoreDBClient.connectionString(url);
  try {
    return await use(client);
  } finally {
    await client.dispose();
  }
}
