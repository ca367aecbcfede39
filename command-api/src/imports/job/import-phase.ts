/** The IMPORT phase: piece by piece into the log, several buckets at once, each piece exactly once. */
import { BUCKETS, type ImportCounts, type ImportJob, noCounts, Refusal, streams } from '@rdm/contracts';
import { transaction } from '@rdm/platform';
import { ASYNC_COMMIT } from '../../runtime/async-commit.ts';
import { forEachConcurrently } from '../../runtime/concurrency.ts';
import type { CommandLog, Execution } from '../../runtime/execution.ts';
import { kinds } from '../../runtime/stream-kinds.ts';
import { addCounts, insertRows, mergeRows, type PieceOutcome, undoRows } from '../decider.ts';
import { stagedRows } from '../validation/staged-rows.ts';
import { pieceOf, rejectedByDataSet } from '../validation/validation-phase.ts';
import { logRejected } from './job-logs.ts';
import { type ClaimedImport, HOLDS_LEASE, LostLease } from './lease.ts';
import {
  authorised,
  bucketsOf,
  type ImportContext,
  KEY_CACHE_BYTES,
  type Run,
  schemaOf,
  stepOf,
  wasAppended,
} from './run.ts';

/** Buckets worked on at once: appends that wait together share the disk's write, and their states fit the cache. */
const BUCKETS_AT_ONCE = 4;

interface ImportStep {
  bucket: number;
  number: number;
  repeated: number[];
  expected: number | null;
  counts: ImportCounts | null;
}

/** Imports what has not been imported yet; counts are those of all pieces. */
export async function importPieces(run: Run): Promise<ImportCounts> {
  const { lease, context, claimed, job } = run;
  const validated = claimed.validatedCounts as ImportCounts;
  lease.phase = 'IMPORT';
  lease.validation.processed = validated.total;
  lease.validation.total = validated.total;
  lease.validation.counts = validated;
  lease.import.total = validated.total - validated.failed;
  const steps = await stepsOf(context, claimed);
  for (const { counts } of steps) if (counts) count(run, counts);
  const open = steps.filter(({ counts }) => !counts);
  for (const round of (await fitsCache(run)) ? inFileOrder(open) : [open]) {
    await forEachConcurrently(groups(round, 'bucket'), BUCKETS_AT_ONCE, async (ofBucket) => {
      for (const step of ofBucket) {
        lease.signal.throwIfAborted();
        const { counts } = await importPiece(run, step);
        count(run, counts);
        if (job.request.allOrNothing && counts.failed > 0) {
          throw new Refusal('CONFLICT', 'Rows were changed while they were imported: everything was taken back');
        }
      }
    });
  }
  return lease.import.counts;
}

/**
 * The pieces as they were staged, the first of every bucket, then the second: ids grow from one to the next, and often
 * keys, which is what indexes of rows take fastest.
 */
const inFileOrder = (steps: readonly ImportStep[]): ImportStep[][] =>
  groups(
    [...steps].sort((a, b) => a.number - b.number),
    'number',
  );

function groups(steps: readonly ImportStep[], by: 'bucket' | 'number'): ImportStep[][] {
  const found = new Map<number, ImportStep[]>();
  for (const step of steps) {
    const group = found.get(step[by]);
    if (group) group.push(step);
    else found.set(step[by], [step]);
  }
  return [...found.values()];
}

/**
 * Whether all buckets fit the cache at once, judged by one of them: only then is it no loss to come back to them. An
 * import that may be taken back remembers what it adds, and bucket by bucket is how that fits.
 */
async function fitsCache({ job, keys }: Run): Promise<boolean> {
  if (job.request.mode !== 'insert' || job.request.allOrNothing) return false;
  const { state } = await keys.streams.load(keys.kind, streams.instances(job.dataSetId, 0));
  return keys.kind.weigh(state) * BUCKETS <= KEY_CACHE_BYTES;
}

function count({ lease }: Run, counts: ImportCounts): void {
  lease.import.counts = addCounts(lease.import.counts, counts);
  lease.import.processed = lease.import.counts.total;
}

async function importPiece(run: Run, step: ImportStep): Promise<PieceOutcome> {
  const { x, stream } = executionOf(run, step);
  await authorised(stepOf(run.context, run.claimed, run.job, 'look'), run.job);
  return decidePiece(run, step, x, stream);
}

/** The execution of a piece: the same command whoever runs it, however often. */
function executionOf(run: Run, step: ImportStep): { x: Execution; stream: string } {
  const { context, claimed, job } = run;
  const { bucket, number, expected } = step;
  const stream = streams.instances(job.dataSetId, bucket);
  const x = stepOf(bucketsOf(run), claimed, job, `${claimed.validatedAttempt}:${bucket}:${number}`, {
    memory: { allocated: [], steps: expected === null ? {} : { [`${stream}#0`]: expected } },
    log: rememberIn(context, claimed, step),
  });
  return { x, stream };
}

async function decidePiece(run: Run, step: ImportStep, x: Execution, stream: string): Promise<PieceOutcome> {
  const { context, claimed, job } = run;
  const { bucket, number } = step;
  const staged = await stagedRows(context.pool, claimed.jobId, claimed.validatedAttempt as number, bucket, number);
  const repeated = new Set(step.repeated);
  const rows = repeated.size === 0 ? staged : staged.filter((row) => !repeated.has(row.line));
  const piece = pieceOf(run, rows);
  const ids = [job.dataSetId];
  const change = () =>
    piece.mode === 'insert'
      ? x.change(run.keys.kind, stream, ids, (known) => insertRows(known, piece))
      : x.change(kinds.instances, stream, ids, (state) => mergeRows(state, piece));
  const outcome = await (run.paced ? run.paced.appendPaced(rows.length, change, () => x.position) : change());
  await keepOutcome(run, step, outcome, rejectedByDataSet(run, rows, outcome.refused));
  return outcome;
}

/** Writes down the outcome of pieces that were appended right before a worker died, so that every count is exact. */
export async function settlePieces(run: Run): Promise<void> {
  for (const step of await stepsOf(run.context, run.claimed)) {
    if (step.counts || step.expected === null) continue;
    const { x, stream } = executionOf(run, step);
    if (await wasAppended(run.context, x, stream, step.expected)) await decidePiece(run, step, x, stream);
  }
}

/** The expected revision is written before the append, by whoever holds the lease alone. */
const rememberIn = (context: ImportContext, claimed: ClaimedImport, { bucket, number }: ImportStep): CommandLog => ({
  rememberIds: async () => undefined,
  async rememberStep(_commandId, _step, expected) {
    const { rowCount } = await context.pool.query({
      name: 'expect-step',
      text: `UPDATE command.import_steps SET expected = $5
              WHERE job_id = $1 AND bucket = $3 AND number = $4 AND counts IS NULL AND ${HOLDS_LEASE}`,
      values: [claimed.jobId, claimed.leasedBy, bucket, number, expected],
    });
    if (rowCount !== 1) throw new LostLease();
  },
});

async function keepOutcome(
  run: Run,
  { bucket, number }: ImportStep,
  { counts, undo }: PieceOutcome,
  rejected: ReturnType<typeof rejectedByDataSet>,
): Promise<void> {
  const { context, claimed, job } = run;
  const keep = {
    name: 'keep-step',
    // What is lost of it in a crash is found again by the piece's own events.
    text: `UPDATE command.import_steps SET counts = $5, undo = $6 FROM ${ASYNC_COMMIT}
            WHERE job_id = $1 AND bucket = $3 AND number = $4 AND counts IS NULL AND ${HOLDS_LEASE}`,
    values: [
      claimed.jobId,
      claimed.leasedBy,
      bucket,
      number,
      JSON.stringify(counts),
      job.request.allOrNothing ? JSON.stringify(undo) : null,
    ],
  };
  if (rejected.length === 0) {
    if ((await context.pool.query(keep)).rowCount !== 1) throw new LostLease();
    return;
  }
  await transaction(context.pool, async (client) => {
    if ((await client.query(keep)).rowCount !== 1) throw new LostLease();
    await logRejected(client, claimed.importJobId, rejected, run);
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

/** What the pieces done so far came to. */
export async function countsSoFar(context: ImportContext, claimed: ClaimedImport): Promise<ImportCounts> {
  const steps = await stepsOf(context, claimed);
  return steps.reduce((sum, step) => (step.counts ? addCounts(sum, step.counts) : sum), noCounts());
}

/** Takes back every piece of an import of all or nothing; what is taken back already stays so. */
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
