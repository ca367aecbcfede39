/** Handles joining and leaving of rooms: limits and current grants decide whether a socket may join. */
import type { JoinAnswer, Room } from '@rdm/contracts';
import type { QueryContext } from '../query-context.ts';
import type { Builds } from '../read-models/builds.ts';
import type { LiveSocket } from './live-server.ts';
import { findRequirements, mayJoin } from './rooms.ts';

const ROOMS_MAX = 100;
/** Maximum number of concurrent joins per socket: each join runs a query. */
const JOINING_MAX = 20;

export interface RoomMembership {
  join(socket: LiveSocket, room: unknown): Promise<JoinAnswer>;
  leave(socket: LiveSocket, room: Room): void;
}

interface MembershipOptions extends Pick<QueryContext, 'readModels' | 'access'> {
  builds: Builds;
  /** The seq up to which changes have been sent. */
  sentSeq: () => number;
  membersChanged: (room: Room) => void;
}

export function openRoomMembership(options: MembershipOptions): RoomMembership {
  const { readModels, access, builds, sentSeq, membersChanged } = options;
  return {
    async join(socket, room) {
      const refused = { ok: false as const, error: 'There is no such room' };
      const { data } = socket;
      if (data.requirements.size >= ROOMS_MAX || data.joining >= JOINING_MAX) {
        return { ok: false as const, error: `At most ${ROOMS_MAX} rooms, and ${JOINING_MAX} joins at the same time` };
      }
      if (typeof room !== 'string') return refused;
      data.joining += 1;
      const nextProjected = (timeoutMs: number) => waitForProjectedBatch(builds, timeoutMs);
      const requirements = await findRequirements(readModels, room, nextProjected).finally(() => {
        data.joining -= 1;
      });
      if (!requirements || !mayJoin(access.snapshot(), data.principal.userId, requirements)) return refused;
      if (socket.disconnected) return refused;
      data.requirements.set(room, requirements);
      await socket.join(room);
      membersChanged(room);
      return { ok: true as const, seq: sentSeq() };
    },

    leave(socket, room) {
      if (!socket.data.requirements.delete(room)) return;
      void socket.leave(room);
      membersChanged(room);
    },
  };
}

/** Resolves at the next reload of the builds, or after the timeout. A reload follows each projected batch. */
const waitForProjectedBatch = (builds: Builds, timeoutMs: number) =>
  new Promise<void>((resolve) => {
    let reloads = 0;
    const stop = () => {
      clearTimeout(timer);
      unwatch();
      resolve();
    };
    const timer = setTimeout(stop, timeoutMs);
    // Ignores the first reload, which `watch` starts itself.
    const unwatch = builds.watch(() => {
      reloads += 1;
      if (reloads > 1) stop();
    });
  });
