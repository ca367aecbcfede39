/** Live messages. A message about a change names the entity and the user, but does not contain the changed data. */
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

/** One change of the read models. It is written in the same transaction as the changed rows. */
export const LiveChange = defineView(() =>
  z.object({
    seq: z.number(),
    position: z.string(),
    type: z.string().describe('Event type.'),
    entity: LiveEntity,
    entityId: z
      .number()
      .describe(
        'The id of the entity; for a change of rows, the id of their parent: the crosswalk of mappings, for example.',
      ),
    ids: z
      .array(z.number())
      .nullable()
      .describe('The ids of up to 100 changed rows, or the id of the entity itself; null if more rows changed.'),
    count: z.number(),
    revisions: z.array(z.number()).nullable().describe('The new revisions of the rows, in the order of `ids`.'),
    changedFields: z.array(z.string()).nullable(),
    actorId: z.number().nullable(),
    commandId: z.string(),
  }),
);
export type LiveChange = z.infer<typeof LiveChange>;

/**
 * A socket.io room: `data-set:3`, `crosswalk:3`, `relationship:3`, `job:3`, `user:3`, `approvals`, `types`,
 * `collections`, or one of these:
 * - `crosswalks` and `relationships` get the changes of definitions, but not of their rows.
 * - `reviews` gets the changes of `approvals`, but no presence messages.
 * - `crosswalk:3:<batchId>` and `relationship:3:<batchId>`, for the viewers of a submitted batch, get only presence
 *   messages.
 */
export type Room = string;

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
    phaseRows: PhaseRows.describe('The rows of the current phase.'),
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
  presence: (message: { room: Room; userIds: number[] }) => void;
  session: (message: { ended: true }) => void;
  /**
   * The user's level on this collection changed; null if a change of groups or of a role changed the levels. The client
   * reads the levels again.
   */
  access: (message: { collectionId: number | null }) => void;
  /** The notifications of the user or their read marks changed. The client reads them again. */
  notified: () => void;
}

export type JoinAnswer = { ok: true; seq: number } | { ok: false; error: string };
/**
 * The changes after a seq in the client's rooms, oldest first. If `complete` is false, changes are missing, or a change
 * may have revoked rights of the user: the client reads its lists again.
 */
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
