/** Decisions over more rows than a request answers become a job: who asks is told which, and the rows are kept for it. */
import { BULK_ANSWER_ROWS, noCounts, Refusal, streams, WORDS } from '@rdm/contracts';
import { transaction } from '@rdm/platform';
import type { CommandAnswer } from '../commands.ts';
import type { Execution } from '../execution.ts';
import { kinds } from '../kinds.ts';
import { requestBulk } from './decider.ts';

/** Whether this many rows are decided by a job that has yet to begin. */
export const becomesJob = (x: Execution, rows: readonly unknown[]): boolean =>
  x.jobId === undefined && rows.length > BULK_ANSWER_ROWS;

interface Wanted {
  /** The rows as they were selected, or the batch that is taken back. */
  of: { selectionId: string } | { batch: object };
  total: number;
  /** What is done to the rows, in a word: "Approve". */
  tried: string;
  description: string;
  /** Whoever may write to these may cancel the job. */
  dataSetIds: number[];
  /** The data sets whose grants decide who may hear of it. */
  governedBy: number[];
}

/** Answers with the job; the worker takes it from there. */
export async function startJob(x: Execution, { of, tried, governedBy, ...wanted }: Wanted): Promise<CommandAnswer> {
  const { commandId } = x.meta;
  const jobId = await x.allocateOne('job_ids');
  await transaction(x.pool, async (client) => {
    const counts = JSON.stringify({ ...noCounts(), total: wanted.total });
    const { rowCount } = await client.query(
      `INSERT INTO jobs.progress (job_id, phase, status, total, counts) VALUES ($1, 'IMPORT', 'PENDING', $2, $3)
       ON CONFLICT DO NOTHING`,
      [jobId, wanted.total, counts],
    );
    // A repetition that comes late finds a job that has begun, or ended.
    if (rowCount !== 1) return;
    const kept = await client.query(
      'batch' in of
        ? 'INSERT INTO command.bulk_decisions (job_id, command_id, tried, batch) VALUES ($1, $2, $3, $4)'
        : `INSERT INTO command.bulk_decisions (job_id, command_id, tried, selection)
           SELECT $1, $2, $3, jsonb_build_object('parent_id', parent_id, 'items', items)
             FROM platform.selections WHERE id = $4`,
      [jobId, commandId, tried, 'batch' in of ? JSON.stringify(of.batch) : of.selectionId],
    );
    if (kept.rowCount !== 1) throw new Refusal('NOT_FOUND', WORDS.selectionExpired);
  });
  // Told of once it can be worked on; one that nobody was told of is cleared away by the worker.
  await x.change(kinds.bulkDecision, streams.bulkDecision(jobId), governedBy, (job) =>
    requestBulk(job, { jobId, commandId, ...wanted }),
  );
  return { status: 202, body: { jobId, commandId, total: wanted.total } };
}
