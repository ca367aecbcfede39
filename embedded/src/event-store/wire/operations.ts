/** Serves `event_store.client.operations.Operations`: starts and stops scavenges. */
import { invalidArgument } from './errors.ts';
import { type Handler, unary } from './grpc.ts';
import { decoder, encoder, type StartScavengeReq, type StopScavengeReq } from './protocol.ts';
import type { Scavenges } from './scavenges.ts';

const decodeStart = decoder<StartScavengeReq>('StartScavengeReq');
const decodeStop = decoder<StopScavengeReq>('StopScavengeReq');
const encodeScavenge = encoder('ScavengeResp');

const OPERATIONS = '/event_store.client.operations.Operations';

/**
 * Returns the handlers by path. The options of a start are required but have no effect: a scavenge always runs in one
 * thread and begins with the first segment.
 */
export function operationsService(scavenges: Scavenges): [string, Handler][] {
  return [
    [
      `${OPERATIONS}/StartScavenge`,
      unary(decodeStart, async ({ options }) => {
        if (options === null) throw invalidArgument('The request has no options');
        return encodeScavenge(await scavenges.start());
      }),
    ],
    [
      `${OPERATIONS}/StopScavenge`,
      unary(decodeStop, async ({ options }) => {
        if (options === null) throw invalidArgument('The request has no options');
        return encodeScavenge(await scavenges.stop(options.scavengeId));
      }),
    ],
  ];
}
