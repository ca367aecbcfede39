/** Determines the status of the event store for operators: version, members, and problems of reads and appends. */
import { ErrorType, type EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { GossipClient } from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import gossip from '@eventstore/db-client/generated/gossip_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import { ACCESS_STREAM, type EventStoreMember } from '@rdm/contracts';
import type { AppendClient } from './append-client.ts';
import { DISK_FULL } from './disk-full.ts';
import type { EventStore } from './event-store.ts';
import { describeOldStore, describeStoreProblem } from './event-store-problem.ts';

const PROBE_DEADLINE_MS = 2_000;

/** The version that the client reports for a server that is too old to report its version. */
const UNKNOWN_VERSION = 'unknown';

const { VNodeState } = gossip.MemberInfo;

function toMember(member: gossip.MemberInfo): EventStoreMember {
  const { state, isAlive, httpEndPoint } = member.toObject();
  const name = Object.entries(VNodeState).find(([, value]) => value === state)?.[0];
  return {
    address: httpEndPoint ? `${httpEndPoint.address}:${httpEndPoint.port}` : null,
    state: name ?? String(state),
    isAlive,
  };
}

/** No stream has this revision: a store that takes appends refuses the probe with WrongExpectedVersion. */
const IMPOSSIBLE_REVISION = BigInt(Number.MAX_SAFE_INTEGER);
const PROBE = jsonEvent({ type: 'Probe', data: {} });

export const isFull = (error: unknown): boolean => error instanceof Error && error.message.includes(DISK_FULL);

export const isErrorOfType = (error: unknown, type: string): boolean =>
  typeof error === 'object' && error !== null && 'type' in error && error.type === type;

export interface StoreStatus extends Pick<EventStore, 'problem' | 'appendProblem' | 'version' | 'members'> {
  /** Yields the items of a read. If the read fails, `problem()` returns the reason until a read succeeds. */
  watchRead<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item>;
}

/**
 * The client has no public calls for the version and the members. `capabilities`, `execute` and `callArguments` are
 * protected in its types, so they are accessed as `client['…']`.
 */
export function openStoreStatus(client: EventStoreDBClient, appends: AppendClient): StoreStatus {
  let problem: string | undefined;
  /** Describes a version that is too old; undefined for a supported version, null until the version is known. */
  let versionProblem: string | undefined | null = null;

  async function* watchRead<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item> {
    try {
      for await (const item of items) {
        problem = undefined;
        yield item;
      }
      problem = undefined;
    } catch (error) {
      // For a missing stream, describeStoreProblem returns undefined: the store can be read.
      problem = describeStoreProblem(error);
      throw error;
    }
  }

  /** Reads the version if it is not known yet. Returns undefined if it stays unknown or is supported. */
  async function readVersionProblem(): Promise<string | undefined> {
    if (versionProblem === null) {
      const features = await client['capabilities'].catch(() => undefined);
      if (features) versionProblem = describeOldStore(features.serverVersion);
    }
    return versionProblem ?? undefined;
  }

  return {
    watchRead,

    async problem() {
      return problem ?? (await readVersionProblem());
    },

    async appendProblem() {
      try {
        const options = { deadlineMs: PROBE_DEADLINE_MS, isProbe: true };
        await appends.append(ACCESS_STREAM, [PROBE], IMPOSSIBLE_REVISION, options);
      } catch (error) {
        if (isErrorOfType(error, ErrorType.WRONG_EXPECTED_VERSION)) return undefined;
        if (isFull(error)) return `${DISK_FULL}. It takes appends again when 64 MiB are free.`;
        const reason = describeStoreProblem(error) ?? (error instanceof Error ? error.message : String(error));
        return `The event store takes no appends: ${reason}`;
      }
      throw new Error('The event store took an append at a revision that no stream has');
    },

    async version() {
      const { serverVersion } = await client['capabilities'];
      return serverVersion === UNKNOWN_VERSION ? null : serverVersion;
    },

    members: () =>
      client['execute'](
        GossipClient,
        'readMembers',
        (channel) =>
          new Promise<EventStoreMember[]>((resolve, reject) => {
            const options = client['callArguments']({ deadline: PROBE_DEADLINE_MS });
            channel.read(new shared.Empty(), ...options, (error, info) =>
              error ? reject(error) : resolve(info.getMembersList().map(toMember)),
            );
          }),
      ),
  };
}
