/** Live messages: what changed, where, by whom — never the data itself. */
import type { JobStatus } from '../jobs/jobs.ts';

export type LiveEntity =
  | 'reference-type'
  | 'data-set'
  | 'instance'
  | 'crosswalk'
  | 'mapping'
  | 'missing-mapping'
  | 'relationship'
  | 'relationship-value'
  | 'collection'
  | 'user'
  | 'role'
  | 'group'
  | 'api-key'
  | 'job';

/** One change of the read models, written in the transaction of its rows. */
export interface LiveChange {
  seq: number;
  position: string;
  /** Event type. */
  type: string;
  entity: LiveEntity;
  /** The entity, or its parent where `ids` name rows (`crosswalk` 3 and mapping ids). */
  entityId: number;
  /** Rows touched, up to 100; beyond it null and `count` alone. */
  ids: number[] | null;
  count: number;
  /** Rows' new revisions, in the order of `ids`. */
  revisions: number[] | null;
  changedFields: string[] | null;
  actorId: number | null;
  commandId: string;
}

/**
 * `data-set:3` `crosswalk:3` `relationship:3` `job:3` `user:3`, `approvals`, `types`, `collections`; and `reviews`, which gets
 * the messages of `approvals` and has no presence. `crosswalk:3:<batchId>` has the presence of viewers of one submitted batch,
 * and gets no messages.
 */
export type Room = string;

/** The room of the viewers of one submitted batch. */
export const batchRoom = (parent: 'crosswalk' | 'relationship', parentId: number, batchId: string): Room =>
  `${parent}:${parentId}:${batchId}`;

export interface JobMessage {
  jobId: number;
  status: JobStatus;
  progress: number;
  processed: number;
  total: number;
  failed: number;
  rate: number | null;
  secondsLeft: number | null;
}

/** Socket.io, server to client. */
export interface ServerMessages {
  change: (change: LiveChange) => void;
  job: (job: JobMessage) => void;
  presence: (who: { room: Room; userIds: number[] }) => void;
  session: (said: { ended: true }) => void;
  /** The user's own levels changed, on a collection or through a group or a role: read them again. */
  access: (said: { collectionId: number | null }) => void;
  /** The user's own notifications, or their read marks, changed: read them again. */
  notified: () => void;
}

export type JoinAnswer = { ok: true; seq: number } | { ok: false; error: string };
/** Changes after a seq, oldest first; `complete` is false if there are too many and lists must be read again. */
export type SinceAnswer = { complete: boolean; changes: LiveChange[]; seq: number };

/** Socket.io, client to server. */
export interface ClientMessages {
  join: (room: Room, answer: (said: JoinAnswer) => void) => void;
  leave: (room: Room) => void;
  since: (seq: number, answer: (said: SinceAnswer) => void) => void;
}
