/** Live messages: what changed, where, by whom — never the data itself. */
import { z } from 'zod';
import { defineView } from '../define-view.ts';
import { JOB_STATUSES, PhaseRows, WORKFLOW_PHASES } from '../jobs/jobs.ts';

export const LiveEntity = defineView(() =>
  z.enum([
    'reference-type',
    'data-set',
    'instance',
    'crosswalk',
    'mapping',
    'missing-mapping',
    'relationship',
    'relationship-value',
    'collection',
    'user',
    'role',
    'group',
    'api-key',
    'job',
  ]),
);
export type LiveEntity = z.infer<typeof LiveEntity>;

/** One change of the read models, written in the transaction of its rows. */
export const LiveChange = defineView(() =>
  z.object({
    seq: z.number(),
    position: z.string(),
    type: z.string().describe('Event type.'),
    entity: LiveEntity,
    entityId: z.number().describe('The entity, or its parent where `ids` name rows (`crosswalk` 3 and mapping ids).'),
    ids: z.array(z.number()).nullable().describe('Rows touched, up to 100; beyond it null and `count` alone.'),
    count: z.number(),
    revisions: z.array(z.number()).nullable().describe("Rows' new revisions, in the order of `ids`."),
    changedFields: z.array(z.string()).nullable(),
    actorId: z.number().nullable(),
    commandId: z.string(),
  }),
);
export type LiveChange = z.infer<typeof LiveChange>;

/**
 * `data-set:3` `crosswalk:3` `relationship:3` `job:3` `user:3`, `approvals`, `types`, `collections`; and `reviews`, which gets
 * the messages of `approvals` and has no presence. `crosswalk:3:<batchId>` has the presence of viewers of one submitted batch,
 * and gets no messages.
 */
export type Room = string;

/** The room of the viewers of one submitted batch. */
export const batchRoom = (parent: 'crosswalk' | 'relationship', parentId: number, batchId: string): Room =>
  `${parent}:${parentId}:${batchId}`;

export const JobMessage = defineView(() =>
  z.object({
    jobId: z.number(),
    status: z.enum(JOB_STATUSES),
    progress: z.number(),
    processed: z.number(),
    total: z.number(),
    workflowPhase: z.enum(WORKFLOW_PHASES),
    phaseRows: PhaseRows.describe('Of the phase that the job is in.'),
    failed: z.number(),
    rate: z.number().nullable(),
    secondsLeft: z.number().nullable(),
  }),
);
export type JobMessage = z.infer<typeof JobMessage>;

/** Socket.io, server to client. */
export interface ServerMessages {
  change: (change: LiveChange) => void;
  job: (job: JobMessage) => void;
  presence: (who: { room: Room; userIds: number[] }) => void;
  session: (message: { ended: true }) => void;
  /** The user's own levels changed, on a collection or through a group or a role: read them again. */
  access: (message: { collectionId: number | null }) => void;
  /** The user's own notifications, or their read marks, changed: read them again. */
  notified: () => void;
}

export type JoinAnswer = { ok: true; seq: number } | { ok: false; error: string };
/** Changes after a seq, oldest first; `complete` is false if there are too many and lists must be read again. */
export const SinceAnswer = defineView(() =>
  z.object({ complete: z.boolean(), changes: z.array(LiveChange), seq: z.number() }),
);
export type SinceAnswer = z.infer<typeof SinceAnswer>;

/** Socket.io, client to server. */
export interface ClientMessages {
  join: (room: Room, answer: (result: JoinAnswer) => void) => void;
  leave: (room: Room) => void;
  since: (seq: number, answer: (result: SinceAnswer) => void) => void;
}
