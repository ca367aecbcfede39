/** Commands over more rows than a request answers become a job: who asks is told which, and what it works on is kept for it. */
import { type JobType, noCounts, Refusal, streams, WORDS } from '@rdm/contracts';
import { type Queryable, transaction } from '@rdm/platform';
import type { CommandAnswer } from '../runtime/commands.ts';
import type { Execution } from '../runtime/execution.ts';
import { kinds } from '../runtime/stream-kinds.ts';
import { requestBulk } from './decider.ts';

/** Whether this many rows are decided by a job that has yet to begin. */
export const needsJob = (x: Execution, rows: readonly unknown[]): boolean =>
  x.jobId === undefined && rows.length > x.bulkAnswerRows;

interface JobRequest {
  /** What it works on: the rows as they were selected, the batch that is taken back, or a staged file. */
  of: { selectionId: string } | { batch: object } | { fileId: string };
  /** Null where only the file tells. */
  total: number | null;
  /** What is done to the rows, in a word: "Approve". */
  tried: string;
  /** A decision, where nothing else is said. */
  jobType?: JobType;
  description: string;
  /** Whoever may write to these may cancel the job. */
  dataSetIds: number[];
  /** The data sets whose grants decide who may hear of it. */
  governedBy: number[];
}

/** Answers with the job; the worker takes it from there. */
export async function startJob(
  x: Execution,
  { of, tried, governedBy, ...requested }: JobRequest,
): Promise<CommandAnswer> {
  const { commandId } = x.meta;
  const jobId = await jobIdOf(x);
  const { total, jobType = 'BULK_DECISION' } = requested;
  await transaction(x.pool, async (client) => {
    const counts = JSON.stringify({ ...noCounts(), total: total ?? 0 });
    const { rowCount } = await client.query(
      `INSERT INTO jobs.progress (job_id, phase, status, total, counts) VALUES ($1, 'IMPORT', 'PENDING', $2, $3)
       ON CONFLICT DO NOTHING`,
      [jobId, total ?? 0, counts],
    );
    // A repetition that comes late finds a job that has begun, or ended.
    if (rowCount !== 1) return;
    await storeJob(client, jobId, commandId, tried, of);
  });
  const fileId = 'fileId' in of ? of.fileId : null;
  // Told of once it can be worked on; one that nobody was told of is cleared away by the worker.
  await x.change(kinds.bulkDecision, streams.bulkDecision(jobId), governedBy, (job) =>
    requestBulk(job, { ...requested, jobId, commandId, jobType, fileId }),
  );
  return { status: 202, body: { jobId, commandId, ...(total === null ? {} : { total }) } };
}

/** The first id that such a command takes, in its request and, again, in each run of its job. */
export const jobIdOf = (x: Execution): Promise<number> => x.allocateOne('job_ids');

async function storeJob(
  db: Queryable,
  jobId: number,
  commandId: string,
  tried: string,
  of: JobRequest['of'],
): Promise<void> {
  const columns = 'INSERT INTO command.bulk_decisions (job_id, command_id, tried,';
  const [text, what] =
    'batch' in of
      ? [`${columns} batch) VALUES ($1, $2, $3, $4)`, JSON.stringify(of.batch)]
      : 'fileId' in of
        ? [`${columns} file_id) VALUES ($1, $2, $3, $4)`, of.fileId]
        : [
            `${columns} selection) SELECT $1, $2, $3, jsonb_build_object('parent_id', parent_id, 'items', items)
               FROM platform.selections WHERE id = $4`,
            of.selectionId,
          ];
  const { rowCount } = await db.query(text, [jobId, commandId, tried, what]);
  if (rowCount !== 1) throw new Refusal('NOT_FOUND', WORDS.selectionExpired);
}
