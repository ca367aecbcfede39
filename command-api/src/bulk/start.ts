/** Turns a command over many rows, or an import of a file, into a job. */
import { type JobType, noCounts, Refusal, streams, WORDS } from '@rdm/contracts';
import { type Queryable, transaction } from '@rdm/platform';
import type { CommandAnswer } from '../runtime/command-answer.ts';
import type { Execution } from '../runtime/execution.ts';
import { kinds } from '../runtime/stream-kinds.ts';
import { requestBulk } from './decider.ts';

/** Whether a request has too many rows and needs a job; always false in a job. */
export const needsJob = (x: Execution, rows: readonly unknown[]): boolean =>
  x.jobId === undefined && rows.length > x.bulkAnswerRows;

interface JobRequest {
  /** The id, if the command allocated it already. */
  jobId?: number;
  /** A stored selection, a `batch` that describes what to undo, or an uploaded file. */
  input: { selectionId: string } | { batch: object } | { fileId: string };
  /** The import job that this job undoes. */
  undoneJobId?: number;
  /** The id of the command that requested the undone import. */
  undoes?: string;
  /** The number of rows; null before the file is read. */
  total: number | null;
  /** The verb on the rows, such as "Approve", for the logs of the job. */
  verbText: string;
  /** BULK_DECISION by default. */
  jobType?: JobType;
  description: string;
  /** The data sets on which a user needs WRITE to cancel the job. */
  dataSetIds: number[];
  /** The data sets whose grants control who can see the job. */
  governedBy: number[];
}

/** Stores a job, which a worker runs, and answers with its id. */
export async function startJob(
  x: Execution,
  { input, verbText, governedBy, ...requested }: JobRequest,
): Promise<CommandAnswer> {
  const { commandId } = x.meta;
  const jobId = requested.jobId ?? (await allocateJobId(x));
  const { total, jobType = 'BULK_DECISION' } = requested;
  await transaction(x.pool, async (client) => {
    if (requested.undoneJobId !== undefined) await requireOnlyUndo(client, requested.undoneJobId, commandId);
    const counts = JSON.stringify({ ...noCounts(), total: total ?? 0 });
    const { rowCount } = await client.query(
      `INSERT INTO jobs.progress (job_id, phase, status, total, counts) VALUES ($1, 'IMPORT', 'PENDING', $2, $3)
       ON CONFLICT DO NOTHING`,
      [jobId, total ?? 0, counts],
    );
    // The job is stored already if recovery runs the command again.
    if (rowCount !== 1) return;
    await storeJob(client, jobId, commandId, verbText, input);
  });
  const fileId = 'fileId' in input ? input.fileId : null;
  // The request is appended last: without it in the log, the worker deletes the stored job.
  await x.change(kinds.bulkDecision, streams.bulkDecision(jobId), governedBy, (job) =>
    requestBulk(job, { ...requested, jobId, commandId, jobType, fileId }),
  );
  return { status: 202, body: { jobId, commandId, ...(total === null ? {} : { total }) } };
}

/** Serialises concurrent undos of one import, so that the second is refused. */
async function requireOnlyUndo(client: Queryable, undoneJobId: number, commandId: string): Promise<void> {
  await client.query(`SELECT pg_advisory_xact_lock(hashtext('undo of import ' || $1::bigint))`, [undoneJobId]);
  await requireNoUndo(client, undoneJobId, commandId);
}

/** Throws if another command has a job that undoes the import. */
export async function requireNoUndo(db: Queryable, importJobId: number, commandId: string): Promise<void> {
  const { rows } = await db.query<{ job_id: number }>(
    `SELECT job_id FROM command.bulk_decisions WHERE (batch ->> 'undoneJobId')::bigint = $1 AND command_id <> $2`,
    [importJobId, commandId],
  );
  const [undoJob] = rows;
  if (undoJob) throw new Refusal('CONFLICT', 'This import is being undone', { jobId: undoJob.job_id });
}

/** Allocates the id of the job. A command allocates this id first, so that each run of the command gets the same id. */
export const allocateJobId = (x: Execution): Promise<number> => x.allocateOne('job_ids');

async function storeJob(
  db: Queryable,
  jobId: number,
  commandId: string,
  verbText: string,
  input: JobRequest['input'],
): Promise<void> {
  const columns = 'INSERT INTO command.bulk_decisions (job_id, command_id, tried,';
  const [text, storedInput] =
    'batch' in input
      ? [`${columns} batch) VALUES ($1, $2, $3, $4)`, JSON.stringify(input.batch)]
      : 'fileId' in input
        ? [`${columns} file_id) VALUES ($1, $2, $3, $4)`, input.fileId]
        : [
            `${columns} selection) SELECT $1, $2, $3, jsonb_build_object('parent_id', parent_id, 'items', items)
               FROM platform.selections WHERE id = $4`,
            input.selectionId,
          ];
  const { rowCount } = await db.query(text, [jobId, commandId, verbText, storedInput]);
  if (rowCount !== 1) throw new Refusal('NOT_FOUND', WORDS.selectionExpired);
}
