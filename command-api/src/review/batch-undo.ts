/** Undoes what one command did to rows under review, with an outcome per row. */

import {
  type ApprovalKind,
  type Category,
  DATA_SET_ROWS_NOT_IN_BATCH,
  mayUndoOf,
  parseStream,
  REVIEW_REFUSALS,
  Refusal,
  streams,
  UndoBatch,
  type UndoneOutcome,
} from '@rdm/contracts';
import { type Route, route } from '@rdm/platform';
import { z } from 'zod';
import { hasEnded } from '../bulk/decider.ts';
import { bulkAnswer } from '../bulk/row-chunks.ts';
import { startJob } from '../bulk/start.ts';
import { ItemsAnswer, JobAnswer } from '../runtime/answer-schemas.ts';
import { type Commands, command } from '../runtime/commands.ts';
import type { Execution } from '../runtime/execution.ts';
import { kinds } from '../runtime/stream-kinds.ts';
import type { Batch, Undoers } from './undo.ts';

const UNKNOWN = 'This batch does not exist, or is too old to be undone';

interface StoredBatch {
  commandId: string;
  actorId: number | null;
  streams: [string, number][];
}

interface FoundBatch extends Batch {
  /** The job that ran the command; null for a command that ran in its request, and always null in an undo job. */
  jobId: number | null;
}

/** Reads the batch from the row of the undo job, because the row of the command can be pruned before the job ends. */
async function loadJobBatch(x: Execution): Promise<FoundBatch> {
  const { rows } = await x.pool.query<{ batch: StoredBatch }>(
    'SELECT batch FROM command.bulk_decisions WHERE job_id = $1',
    [x.jobId],
  );
  const [row] = rows;
  if (!row) throw new Refusal('NOT_FOUND', UNKNOWN);
  const { commandId, actorId, streams } = row.batch;
  return { commandId, actorId, streams: new Map(streams), jobId: null };
}

const toStored = ({ commandId, actorId, streams }: Batch): StoredBatch => ({
  commandId,
  actorId,
  streams: [...streams],
});

/** Reads the batch from the row of the command, which is stored for 7 days; in an undo job, from the row of the job. */
async function loadBatch(x: Execution, commandId: string): Promise<FoundBatch> {
  if (x.jobId !== undefined) return loadJobBatch(x);
  const { rows } = await x.pool.query<{
    actor_id: string | null;
    steps: Record<string, number>;
    job_id: number | null;
    unanswered: boolean;
    unfinished_job: number | null;
  }>(
    `SELECT payload -> 'meta' ->> 'actorId' AS actor_id, steps, (answer ->> 'jobId')::bigint AS job_id,
            status IS NULL AS unanswered,
            (SELECT job_id FROM command.bulk_decisions b WHERE b.command_id = c.command_id) AS unfinished_job
       FROM command.commands c WHERE command_id = $1`,
    [commandId],
  );
  const [row] = rows;
  if (!row) throw new Refusal('NOT_FOUND', UNKNOWN);
  if (row.unanswered || (await isWorking(x, row.unfinished_job)))
    throw new Refusal('CONFLICT', 'This action is still in progress: undo it when it has ended');
  const streams = new Map<string, number>();
  for (const [step, expected] of Object.entries(row.steps)) {
    const stream = step.slice(0, step.lastIndexOf('#'));
    streams.set(stream, Math.max(streams.get(stream) ?? -1, expected));
  }
  return { commandId, actorId: row.actor_id === null ? null : Number(row.actor_id), streams, jobId: row.job_id };
}

/**
 * Whether the job has not ended yet. Reads the log, because the row of the job is deleted only after the end of the job
 * is appended.
 */
async function isWorking(x: Execution, jobId: number | null): Promise<boolean> {
  if (jobId === null) return false;
  const { state: job } = await x.load(kinds.bulkDecision, streams.bulkDecision(jobId));
  return job === undefined || !hasEnded(job);
}

/** The number of rows that the command's job decided; 0 for a command that ran in its request. */
async function countDecidedRows(x: Execution, { jobId }: FoundBatch): Promise<number> {
  if (jobId === null) return 0;
  const { state: job } = await x.load(kinds.bulkDecision, streams.bulkDecision(jobId));
  return job?.counts?.changed ?? 0;
}

interface Part {
  kind: ApprovalKind;
  parentId: number;
  category: Category;
  streams: string[];
}

/** Groups the batch's streams by parent; skips streams of kinds without undo. */
function partsOf({ streams }: Batch, undoers: Undoers): Part[] {
  const parts = new Map<string, Part>();
  for (const stream of streams.keys()) {
    const { category, id } = parseStream(stream);
    const kind = undoers[category as Category]?.kind;
    if (kind === undefined) continue;
    const key = `${category} ${id}`;
    const part = parts.get(key) ?? { kind, parentId: id, category: category as Category, streams: [] };
    part.streams.push(stream);
    parts.set(key, part);
  }
  return [...parts.values()];
}

/**
 * Throws CONFLICT if the user's own batch changed rows of a data set, which have no undo here. Other users get
 * NOT_FOUND.
 */
function requireUndoable(x: Execution, { actorId, streams }: Batch): void {
  const hasDataSetRows = [...streams.keys()].some((stream) => parseStream(stream).category === 'instances');
  if (hasDataSetRows && actorId === x.actorId) throw new Refusal('CONFLICT', DATA_SET_ROWS_NOT_IN_BATCH);
}

/**
 * Returns the data sets of the parents in which the user may undo the batch: `dataSetIds` are the sources, `governedBy`
 * are all data sets. Throws FORBIDDEN if the user may change parents, but may undo the batch in none of these parents:
 * a job would refuse each row. Returns undefined if the user may change no parent.
 */
async function governingDataSetsOf(x: Execution, parts: readonly Part[], { actorId }: Batch, undoers: Undoers) {
  const sources = new Set<number>();
  const all = new Set<number>();
  let isChangedByOthers = false;
  for (const { category, parentId } of parts) {
    const parent = await undoers[category]?.governanceOf(x, parentId).catch(ignoreRefusal);
    if (!parent) continue;
    const { by, governedBy } = parent;
    if (!mayUndoOf(actorId, by)) {
      isChangedByOthers = true;
      continue;
    }
    for (const id of governedBy.slice(0, 1)) sources.add(id);
    for (const id of governedBy) all.add(id);
  }
  if (sources.size > 0) return { dataSetIds: [...sources], governedBy: [...all] };
  if (isChangedByOthers) throw new Refusal('FORBIDDEN', REVIEW_REFUSALS.NOT_DOER);
  return undefined;
}

function ignoreRefusal(error: unknown): undefined {
  if (!(error instanceof Refusal)) throw error;
}

function commandIdIn(params: Record<string, string>): string {
  const parsed = z.uuid().safeParse(params['commandId']);
  if (!parsed.success) throw new Refusal('NOT_FOUND', UNKNOWN);
  return parsed.data;
}

export function batchRoutes(commands: Commands, undoers: Undoers): Route[] {
  const undo = command<{ commandId: string; comment?: string }>('UndoBatch', async (x, { commandId, comment }) => {
    const batch = await loadBatch(x, commandId);
    const results: UndoneOutcome[] = [];
    let firstRefusal: Refusal | undefined;
    requireUndoable(x, batch);
    const parts = partsOf(batch, undoers);
    if (x.jobId === undefined) {
      const total = await countDecidedRows(x, batch);
      const governance = total > x.bulkAnswerRows ? await governingDataSetsOf(x, parts, batch, undoers) : undefined;
      if (governance) {
        const description = `Undo ${total.toLocaleString('en')} decisions`;
        return startJob(x, { input: { batch: toStored(batch) }, verbText: 'Undo', total, description, ...governance });
      }
    }
    for (const { kind, parentId, category, streams } of parts) {
      try {
        const outcomes = (await undoers[category]?.undo(x, batch, parentId, streams, comment)) ?? [];
        results.push(...outcomes.map((outcome) => ({ ...outcome, kind, parentId })));
      } catch (error) {
        // The undo can be refused for one parent, for example a deleted one. Only the rows of this parent are skipped.
        if (!(error instanceof Refusal)) throw error;
        await x.logSkipped(`Rows (${kind}) of parent ${parentId} were not tried: ${error.message}`, error);
        firstRefusal ??= error.code === 'NOT_FOUND' ? new Refusal('NOT_FOUND', UNKNOWN) : error;
      }
    }
    // An earlier run of the job may have processed all rows already.
    if (results.length > 0 || x.jobId !== undefined) return bulkAnswer(x, results);
    throw firstRefusal ?? new Refusal('NOT_FOUND', UNKNOWN);
  });
  commands.register([undo]);
  return [
    route(
      'post',
      '/api/batches/:commandId/undo',
      { level: 'WRITE' },
      {
        summary: 'Undo what one command did to rows under review',
        example: {
          body: { comment: 'Wrong file' },
          from: { commandId: { operation: 'POST /api/crosswalks/{id}/mappings', property: 'commandId' } },
        },
        answers: { 200: ItemsAnswer, 202: JobAnswer },
        errors: ['PURGE_RUNNING'],
        body: UndoBatch,
      },
      (request) =>
        commands.handle(undo, request, {
          commandId: commandIdIn(request.params),
          ...(request.body.comment === undefined ? {} : { comment: request.body.comment }),
        }),
    ),
  ];
}
