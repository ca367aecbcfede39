/** The import phase: appends each staged piece exactly once, several buckets concurrently. */
import {
  BUCKETS,
  type ImportCounts,
  type ImportJob,
  type InstanceRow,
  noCounts,
  Refusal,
  streams,
} from '@rdm/contracts';
import { transaction } from '@rdm/platform';
import { HAS_LEASE, LostLease } from '../../bulk/job-lease.ts';
import { ASYNC_COMMIT } from '../../runtime/async-commit.ts';
import { forEachConcurrently } from '../../runtime/concurrency.ts';
import type { CommandLog, Execution } from '../../runtime/execution.ts';
import { kinds } from '../../runtime/stream-kinds.ts';
import { addCounts, insertRows, mergeRows, type PieceOutcome, removeMissing, undoRows } from '../decider.ts';
import { rejectedByDataSet } from '../validation/data-set-refusals.ts';
import { keysOfFile } from '../validation/kept-keys.ts';
import { type Staged, stagedRows } from '../validation/staged-rows.ts';
import { logKept, logRejected } from './job-logs.ts';
import type { ClaimedImport } from './lease.ts';
import {
  contextForMode,
  type ImportContext,
  KEY_CACHE_BYTES,
  type Run,
  requireAuthorised,
  schemaOf,
  stepOf,
  wasAppended,
} from './run.ts';
import { pieceOf, REMOVAL } from './validation-phase.ts';

/** Enough buckets for appends to share disk writes, and few enough for the states of the buckets to fit the cache. */
const CONCURRENT_BUCKETS = 4;

interface ImportStep {
  bucket: number;
  number: number;
  /** The lines of rows that are left out because their key is repeated in the file. */
  repeated: number[];
  /** The revision of the bucket's stream before the piece; null before the first attempt to append the piece. */
  expected: number | null;
  /** Null until the outcome is stored. */
  counts: ImportCounts | null;
}

/** Imports the remaining pieces; returns the counts of all pieces. */
export async function importPieces(run: Run): Promise<ImportCounts> {
  const { lease, context, claimed, job } = run;
  const validated = claimed.validatedCounts as ImportCounts;
  lease.phase = 'IMPORT';
  lease.validation.processed = validated.total;
  lease.validation.total = validated.total;
  lease.validation.counts = validated;
  lease.import.total = validated.total - validated.failed - validated.skipped;
  const steps = await stepsOf(context, claimed);
  for (const { counts } of steps) if (counts) count(run, counts);
  const remaining = steps.filter(({ counts }) => !counts);
  for (const round of (await allBucketsFit(run)) ? inFileOrder(remaining) : [remaining]) {
    await forEachConcurrently(groups(round, 'bucket'), CONCURRENT_BUCKETS, async (bucketSteps) => {
      for (const step of bucketSteps) {
        lease.signal.throwIfAborted();
        const { counts } = await importPiece(run, step);
        count(run, counts);
        if (job.request.allOrNothing && counts.failed > 0) {
          throw new Refusal(
            'CONFLICT',
            'Rows were changed while they were imported: all changes of the import were undone',
          );
        }
      }
    });
  }
  return lease.import.counts;
}

/**
 * Groups pieces by number: the first pieces of all buckets, then the second pieces. In this order, ids and often keys
 * increase, which is fastest for the indexes.
 */
const inFileOrder = (steps: readonly ImportStep[]): ImportStep[][] =>
  groups(
    [...steps].sort((a, b) => a.number - b.number),
    'number',
  );

function groups(steps: readonly ImportStep[], by: 'bucket' | 'number'): ImportStep[][] {
  const grouped = new Map<number, ImportStep[]>();
  for (const step of steps) {
    const group = grouped.get(step[by]);
    if (group) group.push(step);
    else grouped.set(step[by], [step]);
  }
  return [...grouped.values()];
}

/**
 * Whether the keys of all buckets fit the cache of keys, estimated from one bucket. Returns false for other modes than
 * insert, which do not use this cache, and for an all-or-nothing import, which also needs memory for its undo.
 */
async function allBucketsFit({ job, keyCache }: Run): Promise<boolean> {
  if (job.request.mode !== 'insert' || job.request.allOrNothing) return false;
  const { state } = await keyCache.streams.load(keyCache.kind, streams.instances(job.dataSetId, 0));
  return keyCache.kind.estimateBytes(state) * BUCKETS <= KEY_CACHE_BYTES;
}

function count({ lease }: Run, counts: ImportCounts): void {
  lease.import.counts = addCounts(lease.import.counts, counts);
  lease.import.processed = lease.import.counts.total;
}

async function importPiece(run: Run, step: ImportStep): Promise<PieceOutcome> {
  const { x, stream } = executionOf(run, step);
  await requireAuthorised(stepOf(run.context, run.claimed, run.job, 'authorise'), run.job);
  return decidePiece(run, step, x, stream);
}

/** The execution of a piece. It has the same command id in every run. */
function executionOf(run: Run, step: ImportStep): { x: Execution; stream: string } {
  const { context, claimed, job } = run;
  const { bucket, number, expected } = step;
  const stream = streams.instances(job.dataSetId, bucket);
  const x = stepOf(contextForMode(run), claimed, job, `${claimed.validatedAttempt}:${bucket}:${number}`, {
    memory: { allocated: [], steps: expected === null ? {} : { [`${stream}#0`]: expected } },
    log: rememberIn(context, claimed, step),
  });
  return { x, stream };
}

/** Identifies the rows that the successful validation of the file staged. */
const stagedBy = ({ claimed, plan }: Run): Staged => ({
  jobId: claimed.jobId,
  attempt: claimed.validatedAttempt as number,
  keyAt: plan.keyAt,
});

/** Removes the rows of a bucket that are missing in the file. */
async function removeRows(run: Run, step: ImportStep, x: Execution, stream: string): Promise<PieceOutcome> {
  const { context, claimed, job } = run;
  const { jobId } = claimed;
  const keys = await keysOfFile(context.pool, stagedBy(run), step.bucket);
  const isReferenced = await run.rowReferences();
  const change = () =>
    x.change(kinds.instances, stream, [job.dataSetId], (state) => removeMissing(state, { keys, isReferenced, jobId }));
  const outcome = await (run.paced ? run.paced.appendPaced(1, change, () => x.position) : change());
  await storeOutcome(run, step, outcome, [], outcome.kept);
  return outcome;
}

async function decidePiece(run: Run, step: ImportStep, x: Execution, stream: string): Promise<PieceOutcome> {
  if (step.number === REMOVAL) return removeRows(run, step, x, stream);
  const { context, job } = run;
  const { bucket, number } = step;
  const staged = await stagedRows(context.pool, stagedBy(run), bucket, number);
  const repeated = new Set(step.repeated);
  const isWhole = repeated.size === 0 && !job.request.allOrNothing;
  const rows = isWhole ? staged : [...staged].filter((row) => !repeated.has(row.line));
  const piece = pieceOf(run, rows);
  const ids = [job.dataSetId];
  const change = () =>
    piece.mode === 'insert'
      ? x.change(run.keyCache.kind, stream, ids, (known) => insertRows(known, piece))
      : x.change(kinds.instances, stream, ids, (state) => mergeRows(state, piece));
  const outcome = await (run.paced ? run.paced.appendPaced(rows.length, change, () => x.position) : change());
  await storeOutcome(run, step, outcome, rejectedByDataSet(run.plan, rows, outcome.refused));
  return outcome;
}

/** Stores the outcomes of pieces that were appended before a crash of the worker, so that counts are exact. */
export async function settlePieces(run: Run): Promise<void> {
  for (const step of await stepsOf(run.context, run.claimed)) {
    if (step.counts || step.expected === null) continue;
    const { x, stream } = executionOf(run, step);
    if (await wasAppended(run.context, x, stream, step.expected)) await decidePiece(run, step, x, stream);
  }
}

/** Stores the expected revision before the append. Throws LostLease if another worker has claimed the import. */
const rememberIn = (context: ImportContext, claimed: ClaimedImport, { bucket, number }: ImportStep): CommandLog => ({
  rememberIds: async () => undefined,
  async rememberStep(_commandId, _step, expected) {
    const { rowCount } = await context.pool.query({
      name: 'expect-step',
      text: `UPDATE command.import_steps SET expected = $5
              WHERE job_id = $1 AND bucket = $3 AND number = $4 AND counts IS NULL AND ${HAS_LEASE}`,
      values: [claimed.jobId, claimed.leasedBy, bucket, number, expected],
    });
    if (rowCount !== 1) throw new LostLease();
  },
});

async function storeOutcome(
  run: Run,
  { bucket, number }: ImportStep,
  { counts, undo }: PieceOutcome,
  rejected: ReturnType<typeof rejectedByDataSet>,
  kept: readonly InstanceRow[] = [],
): Promise<void> {
  const { context, claimed, job } = run;
  const update = {
    name: 'keep-step',
    // If a crash loses this update, settlePieces() repeats it from the events of the piece.
    text: `UPDATE command.import_steps SET counts = $5, undo = $6 FROM ${ASYNC_COMMIT}
            WHERE job_id = $1 AND bucket = $3 AND number = $4 AND counts IS NULL AND ${HAS_LEASE}`,
    values: [
      claimed.jobId,
      claimed.leasedBy,
      bucket,
      number,
      JSON.stringify(counts),
      job.request.allOrNothing ? JSON.stringify(undo) : null,
    ],
  };
  if (rejected.length + kept.length === 0) {
    if ((await context.pool.query(update)).rowCount !== 1) throw new LostLease();
    return;
  }
  await transaction(context.pool, async (client) => {
    if ((await client.query(update)).rowCount !== 1) throw new LostLease();
    await logRejected(client, claimed.importJobId, rejected, run);
    await logKept(client, claimed.importJobId, kept);
  });
}

async function stepsOf(context: ImportContext, { jobId }: ClaimedImport): Promise<ImportStep[]> {
  const { rows } = await context.pool.query<ImportStep>(
    `SELECT bucket, number, repeated, expected, counts FROM command.import_steps
      WHERE job_id = $1 ORDER BY bucket, number`,
    [jobId],
  );
  return rows;
}

/** The counts of all finished pieces. */
export async function countsSoFar(context: ImportContext, claimed: ClaimedImport): Promise<ImportCounts> {
  const steps = await stepsOf(context, claimed);
  return steps.reduce((sum, step) => (step.counts ? addCounts(sum, step.counts) : sum), noCounts());
}

/** Undoes every piece of an all-or-nothing import; skips rows that are already undone. */
export async function undoPieces(context: ImportContext, claimed: ClaimedImport, job: ImportJob): Promise<void> {
  const { rows } = await context.pool.query<{ bucket: number; number: number; undo: string }>(
    `SELECT bucket, number, undo FROM command.import_steps
      WHERE job_id = $1 AND undo IS NOT NULL ORDER BY bucket, number`,
    [claimed.jobId],
  );
  const attempt = claimed.validatedAttempt ?? 0;
  const { schemaRevision } = await schemaOf(context, job);
  for (const { bucket, number, undo } of rows) {
    const x = stepOf(context, claimed, job, `undo:${attempt}:${bucket}:${number}`);
    await x.change(kinds.instances, streams.instances(job.dataSetId, bucket), [job.dataSetId], (state) =>
      undoRows(state, JSON.parse(undo) as PieceOutcome['undo'], { jobId: claimed.jobId, schemaRevision }),
    );
  }
  await context.pool.query(
    'UPDATE command.imports SET validated_attempt = NULL, validated_counts = NULL WHERE job_id = $1',
    [claimed.jobId],
  );
}
