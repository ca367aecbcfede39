/** Sends the progress of a job to the clients in its room and in the room of its parent job. */
import type { JobMessage } from '@rdm/contracts';
import type { Metrics } from '@rdm/platform';
import { PHASE_ROWS, progressOf } from '../entities/jobs.ts';
import type { QueryContext } from '../query-context.ts';
import { batchByKey } from './batching.ts';
import { emitToAllowed, type LiveServer, type LiveSocket } from './live-server.ts';
import { mayJoin } from './rooms.ts';

const MESSAGE_EVERY_MS = 250;

interface JobProgressOptions extends Pick<QueryContext, 'pool' | 'access' | 'log'> {
  io: LiveServer;
  sentMessages: ReturnType<Metrics['counter']>;
}

export function openJobProgress({ io, pool, access, log, sentMessages }: JobProgressOptions) {
  async function send(jobId: number): Promise<void> {
    const { rows } = await pool.query(PROGRESS, [jobId]);
    const row = rows[0] as (Omit<JobMessage, 'progress' | 'secondsLeft'> & { parentJobId: number | null }) | undefined;
    if (!row) return;
    const { parentJobId, ...progress } = row;
    const remaining = Math.max(0, row.total - row.processed);
    const message: JobMessage = {
      ...progress,
      progress: progressOf(row),
      secondsLeft: row.rate ? Math.ceil(remaining / row.rate) : null,
    };
    const rooms = [`job:${jobId}`, ...(parentJobId === null ? [] : [`job:${parentJobId}`])];
    const isAllowed = (socket: LiveSocket) =>
      rooms.every((room) => {
        const requirements = socket.data.requirements.get(room);
        return !requirements || mayJoin(access.snapshot(), socket.data.principal.userId, requirements);
      });
    emitToAllowed(io, rooms, isAllowed, (to) => to.emit('job', message));
    sentMessages.inc({ kind: 'job' });
  }

  return batchByKey<number>(MESSAGE_EVERY_MS, (jobId) => {
    send(jobId).catch((error: unknown) => log.warn({ err: error }, 'Progress of a job could not be read'));
  });
}

const PROGRESS = `
  SELECT p.job_id AS "jobId", p.parent_job_id AS "parentJobId", p.status, p.processed, p.total,
         p.phase AS "workflowPhase", ${PHASE_ROWS} AS "phaseRows",
         coalesce((p.counts ->> 'failed')::bigint, 0) AS failed,
         CASE WHEN p.status = 'IN_PROGRESS' THEN p.rate END AS rate
    FROM jobs.progress p WHERE p.job_id = $1`;
