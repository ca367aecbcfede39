/** Rules of the undo of an import: which rows of a bucket are undone, and with which events. */
import {
  type CellValue,
  displayKey,
  type ImportCounts,
  type ImportJob,
  type ImportJobEvent,
  type InstanceBucket,
  type InstanceEvent,
  type InstanceRow,
  Refusal,
  type Values,
} from '@rdm/contracts';
import { type Decision, decided, nothing } from '../../runtime/decision.ts';
import type { JobRowOutcome, KeptRowOutcome } from '../../runtime/job-pieces.ts';
import { existingJob } from '../decider.ts';

/** Why the undo keeps a row: a code for the log, and a message. `changedBy` is the user who changed the row. */
export interface KeepReason {
  code: 'STALE' | 'IN_USE' | 'DUPLICATE_KEY';
  message: string;
  changedBy?: number;
}

/** The last change of a row after the import, by a user or by a job. */
export interface LaterChange {
  userId: number | null;
  at: string;
  jobId: number | undefined;
}

/** Returns the reason to keep a row that a user or job changed later. Queries add the name of the user `changedBy`. */
export const changedSince = ({ userId, at, jobId }: LaterChange): KeepReason => ({
  code: 'STALE',
  message: `${jobId === undefined ? 'It was changed' : `Job ${jobId} changed it`} after the import, on ${timeText(at)}`,
  ...(jobId === undefined && userId !== null ? { changedBy: userId } : {}),
});
const CHANGED_DURING_UNDO: KeepReason = { code: 'STALE', message: 'It was changed while the undo ran' };
export const REFERENCED: KeepReason = { code: 'IN_USE', message: 'Mappings or relationship values use it' };
const KEY_TAKEN: KeepReason = { code: 'DUPLICATE_KEY', message: 'Another row now has the key of this row' };

/** A row that an import added, changed or removed, with the plan of the undo for the row. */
export interface UndoneRow {
  id: number;
  /** The row before the import; undefined if the import added it. */
  before: InstanceRow | undefined;
  /** The revision of the row when the undo was planned; a higher revision means that the row was changed since. */
  revision: number;
  /** The reason why the undo keeps the row; undefined if the row is undone. */
  keep?: KeepReason;
}

/** “2026-01-31 at 12:00 UTC”. */
function timeText(at: string): string {
  const [day, time] = new Date(at).toISOString().split('T') as [string, string];
  return `${day} at ${time.slice(0, 5)} UTC`;
}

/** Returns the import. Throws CONFLICT if the import still runs or is already undone. */
export function requireUndoable(job: ImportJob | undefined): ImportJob {
  const existing = existingJob(job);
  const { undone } = existing;
  requireEnded(existing);
  if (undone) {
    throw new Refusal('CONFLICT', `This import was undone on ${timeText(undone.at)}`, undone);
  }
  return existing;
}

export function requireEnded({ status }: ImportJob): void {
  if (status !== 'PENDING' && status !== 'IN_PROGRESS') return;
  throw new Refusal('CONFLICT', 'This import is still running: undo it when it has ended', { status });
}

/** Records the undo of an import, once. */
export function completeUndo(
  job: ImportJob | undefined,
  data: { jobId: number; counts: ImportCounts },
): Decision<ImportJobEvent> {
  return existingJob(job).undone ? nothing() : decided({ type: 'ImportUndone', data });
}

/** Whether a row is in the same state as before the import. */
export const isUndone = (now: InstanceRow, before: InstanceRow | undefined): boolean =>
  before === undefined || before.removed
    ? now.removed
    : !now.removed && Object.keys(earlierCells(now.values, before.values)).length === 0;

/** The cells that differ, with their earlier values. */
function earlierCells(now: Values, before: Values): Record<string, CellValue> {
  const cells: Record<string, CellValue> = {};
  for (const fieldId of new Set([...Object.keys(now), ...Object.keys(before)])) {
    const earlier = before[fieldId] ?? null;
    if ((now[fieldId] ?? null) !== earlier) cells[fieldId] = earlier;
  }
  return cells;
}

/**
 * Removes added rows, restores removed rows, and restores the earlier cells of changed rows. Keeps a row if the plan
 * has a reason, if the row was changed after the plan, or if its key is taken.
 */
export function undoImportedRows(
  bucket: InstanceBucket,
  rows: readonly UndoneRow[],
  { jobId, schemaRevision }: { jobId: number; schemaRevision: number },
): Decision<InstanceEvent, (JobRowOutcome | KeptRowOutcome)[]> {
  const outcomes: (JobRowOutcome | KeptRowOutcome)[] = [];
  const removed = new Set<number>();
  const restored: number[] = [];
  const changed: { id: number; values: Values }[] = [];
  // Added rows come first: their removal frees keys for restored rows.
  for (const { id, before, revision, keep } of [...rows].sort(addedFirst)) {
    const now = bucket.rows.get(id);
    if (!now || isUndone(now, before)) {
      outcomes.push({ id, outcome: 'done', became: 'unchanged' });
      continue;
    }
    const reason = keep ?? (now.revision === revision ? keyTakenReason(bucket, now, removed) : CHANGED_DURING_UNDO);
    if (reason) {
      outcomes.push({ id, outcome: 'refused', isKept: true, key: displayKey(JSON.parse(now.key)), ...reason });
      continue;
    }
    if (before === undefined || before.removed) removed.add(id);
    else {
      if (now.removed) restored.push(id);
      const values = earlierCells(now.values, before.values);
      if (Object.keys(values).length > 0) changed.push({ id, values });
    }
    outcomes.push({ id, outcome: 'done' });
  }
  const events: InstanceEvent[] = [];
  if (removed.size > 0) events.push({ type: 'InstancesRemoved', data: { ids: [...removed], jobId } });
  if (restored.length > 0) events.push({ type: 'InstancesRestored', data: { ids: restored, jobId } });
  if (changed.length > 0) events.push({ type: 'InstancesChanged', data: { schemaRevision, jobId, rows: changed } });
  return { events, result: outcomes };
}

/** Compares two rows for a sort: rows that the import added come first. */
export const addedFirst = (a: Pick<UndoneRow, 'before'>, b: Pick<UndoneRow, 'before'>): number =>
  Number(a.before !== undefined) - Number(b.before !== undefined);

/** Returns the reason to keep a removed row whose key another row has; undefined for any other row. */
function keyTakenReason(
  { ids }: InstanceBucket,
  { id, key, removed }: InstanceRow,
  freed: ReadonlySet<number>,
): KeepReason | undefined {
  const holder = removed ? ids.get(key) : undefined;
  return holder === undefined || holder === id || freed.has(holder) ? undefined : KEY_TAKEN;
}
