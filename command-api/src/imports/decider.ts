/** Rules of imports: the life cycle of a job, and the effect of a piece of rows on its bucket. */
import {
  type CellValue,
  EVENT_ROWS_MAX,
  type ImportCounts,
  type ImportJob,
  type ImportJobEvent,
  type ImportMode,
  type InstanceBucket,
  type InstanceEvent,
  type InstanceRow,
  noCounts,
  Refusal,
  type Values,
} from '@rdm/contracts';
import { type Decision, decided, nothing } from '../runtime/decision.ts';

type RequestedData = Extract<ImportJobEvent, { type: 'ImportRequested' }>['data'];

export function requestImport(job: ImportJob | undefined, request: RequestedData): Decision<ImportJobEvent> {
  return job ? nothing() : decided({ type: 'ImportRequested', data: request });
}

export function startImport(job: ImportJob | undefined, schemaRevision: number): Decision<ImportJobEvent> {
  const { status } = existingJob(job);
  if (status === 'IN_PROGRESS') return nothing();
  if (status !== 'PENDING') throw jobEndedRefusal(status);
  return decided({ type: 'ImportStarted', data: { schemaRevision } });
}

/** Retries a failed job. The job then skips the pieces that are done. */
export function retryImport(job: ImportJob | undefined, schemaRevision: number): Decision<ImportJobEvent> {
  const { status, undone } = existingJob(job);
  if (undone) throw new Refusal('CONFLICT', 'This import was undone: import the file again', undone);
  if (status !== 'FAILED') {
    throw new Refusal('CONFLICT', 'Only a job that failed can be tried again', { status });
  }
  return decided({ type: 'ImportStarted', data: { schemaRevision } });
}

/** Returns a job that has not ended. Throws NOT_FOUND without a job, and CONFLICT if the job has ended. */
export function requireRunning(job: ImportJob | undefined): ImportJob {
  const existing = existingJob(job);
  if (existing.status === 'PENDING' || existing.status === 'IN_PROGRESS') return existing;
  throw jobEndedRefusal(existing.status);
}

export function completePhase(
  job: ImportJob | undefined,
  phase: 'VALIDATION' | 'IMPORT',
  counts: ImportCounts,
  rules?: Record<string, number>,
): Decision<ImportJobEvent> {
  const running = runningJob(job);
  if (!running || running.phases.some((completed) => completed.phase === phase)) return nothing();
  return decided({ type: 'ImportPhaseCompleted', data: { phase, counts, ...(rules && { rules }) } });
}

export function completeImport(job: ImportJob | undefined, counts: ImportCounts): Decision<ImportJobEvent> {
  return runningJob(job) ? decided({ type: 'ImportCompleted', data: { counts } }) : nothing();
}

export function failImport(job: ImportJob | undefined, reason: string): Decision<ImportJobEvent> {
  return runningJob(job) ? decided({ type: 'ImportFailed', data: { reason } }) : nothing();
}

export function cancelImport(job: ImportJob | undefined, counts: ImportCounts): Decision<ImportJobEvent> {
  return runningJob(job) ? decided({ type: 'ImportCancelled', data: { counts } }) : nothing();
}

export function existingJob(job: ImportJob | undefined): ImportJob {
  if (!job) throw new Refusal('NOT_FOUND', 'This job does not exist');
  return job;
}

const runningJob = (job: ImportJob | undefined): ImportJob | undefined =>
  job?.status === 'PENDING' || job?.status === 'IN_PROGRESS' ? job : undefined;

const jobEndedRefusal = (status: string) => new Refusal('CONFLICT', 'This job has ended', { status });

/** A valid row of the file. `id` is the id that the row gets if the import adds it. */
export interface StagedRow {
  line: number;
  id: number;
  key: string;
  /** The row as the event contains it: a JSON array of the id and one cell per entry of `fieldIds`. */
  text: string;
}

/** The rows of a piece. */
export interface StagedRows extends Iterable<StagedRow> {
  length: number;
  /**
   * The rows of each event as a JSON array in UTF-8. Undefined if rows of the piece are left out, or if an undo needs
   * their ids.
   */
  eventRows?: readonly Buffer[];
}

/** Returns one cell per entry of `fieldIds`. */
export const cellsOf = ({ text }: Pick<StagedRow, 'text'>): CellValue[] => JSON.parse(text).slice(1);

export interface ImportedPiece {
  jobId: number;
  mode: ImportMode;
  schemaRevision: number;
  keyFieldIds: readonly number[];
  fieldIds: readonly number[];
  rows: StagedRows;
}

/** The outcome of a piece; `undo` has the data for undoing the piece. */
export interface PieceOutcome {
  counts: ImportCounts;
  refused: { line: number; code: 'DUPLICATE_KEY' | 'NOT_FOUND' }[];
  undo: { added: number[]; changed: { id: number; values: Values }[]; removed?: number[] };
}

/** The part of a bucket's state that `insertRows` needs. */
export interface KnownKeys {
  /** Canonical key → id, of rows that are not removed. */
  ids: ReadonlyMap<string, number>;
  /** The ids of all rows, removed rows included. */
  rows: { has: (id: number) => boolean; size: number };
}

/** Adds rows with new keys, and refuses rows whose keys exist. Keys are already unique within an import. */
export function insertRows(known: KnownKeys, piece: ImportedPiece): Decision<InstanceEvent, PieceOutcome> {
  const eventRows = known.rows.size === 0 ? piece.rows.eventRows : undefined;
  if (eventRows) {
    const { length } = piece.rows;
    const counts: ImportCounts = { ...noCounts(), total: length, created: length };
    const events = eventRows.map((rows) => importedEvent(piece, rows));
    return { events, result: { counts, refused: [], undo: { added: [], changed: [] } } };
  }
  return decideRows(known, piece, (row, tally) => {
    tally.refused.push({ line: row.line, code: 'DUPLICATE_KEY' });
  });
}

/** Changes rows whose keys exist. Adds rows with new keys, or refuses these rows in the mode update. */
export function mergeRows(bucket: InstanceBucket, piece: ImportedPiece): Decision<InstanceEvent, PieceOutcome> {
  return decideRows(bucket, piece, (row, tally, existingId) => {
    const difference = differingCells(bucket.rows.get(existingId)?.values ?? {}, piece.fieldIds, cellsOf(row));
    if (difference === undefined) {
      tally.unchanged += 1;
      return;
    }
    tally.changed.push({ id: existingId, values: difference.after });
    tally.undo.push({ id: existingId, values: difference.before });
  });
}

interface Tally {
  added: StagedRow[];
  /** The number of rows that an earlier run of this import added. */
  addedEarlier: number;
  changed: { id: number; values: Values }[];
  unchanged: number;
  refused: PieceOutcome['refused'];
  undo: { id: number; values: Values }[];
}

/** Decides rows one by one. A row whose id exists is only counted, because an earlier run added the row. */
function decideRows(
  known: KnownKeys,
  piece: ImportedPiece,
  onExisting: (row: StagedRow, tally: Tally, existingId: number) => void,
): Decision<InstanceEvent, PieceOutcome> {
  const { jobId, schemaRevision } = piece;
  const tally: Tally = { added: [], addedEarlier: 0, changed: [], unchanged: 0, refused: [], undo: [] };
  for (const row of piece.rows) {
    const existingId = known.ids.get(row.key);
    if (known.rows.has(row.id)) tally.addedEarlier += 1;
    else if (existingId !== undefined) onExisting(row, tally, existingId);
    else if (piece.mode === 'update') tally.refused.push({ line: row.line, code: 'NOT_FOUND' });
    else tally.added.push(row);
  }
  const { added, changed, refused } = tally;
  const events: InstanceEvent[] = [];
  for (const rows of chunksPerEvent(added))
    events.push(importedEvent(piece, Buffer.from(`[${rows.map(({ text }) => text).join(',')}]`)));
  for (const rows of chunksPerEvent(changed))
    events.push({ type: 'InstancesChanged', data: { schemaRevision, jobId, rows } });
  const counts: ImportCounts = {
    ...noCounts(),
    total: piece.rows.length,
    created: added.length + tally.addedEarlier,
    changed: changed.length,
    unchanged: tally.unchanged,
    failed: refused.length,
  };
  return { events, result: { counts, refused, undo: { added: added.map(({ id }) => id), changed: tally.undo } } };
}

/** Returns the event for new rows. Parses the JSON array `rows` only if `data.rows` is read. */
function importedEvent({ jobId, schemaRevision, keyFieldIds, fieldIds }: ImportedPiece, rows: Buffer) {
  const head = { jobId, schemaRevision, keyFieldIds: [...keyFieldIds], fieldIds: [...fieldIds] };
  const data = {
    ...head,
    get rows() {
      return JSON.parse(rows.toString());
    },
  };
  const json = Buffer.concat([Buffer.from(`${JSON.stringify(head).slice(0, -1)},"rows":`), rows, Buffer.from('}')]);
  return { type: 'InstancesImported', data, json } as const;
}

/** Splits rows into chunks that fit one event. */
function* chunksPerEvent<T>(rows: readonly T[]): Generator<T[]> {
  for (let from = 0; from < rows.length; from += EVENT_ROWS_MAX) yield rows.slice(from, from + EVENT_ROWS_MAX);
}

/** Returns the new and old values of the cells that the file changes; undefined if there are none. */
function differingCells(values: Values, fieldIds: readonly number[], cells: readonly CellValue[]) {
  let difference: { after: Values; before: Values } | undefined;
  for (const [index, fieldId] of fieldIds.entries()) {
    const [before, after] = [values[fieldId] ?? null, cells[index] ?? null];
    if (before === after) continue;
    difference ??= { after: {}, before: {} };
    difference.after[fieldId] = after;
    difference.before[fieldId] = before;
  }
  return difference;
}

/** Removes the rows of a bucket whose keys the file does not have, except rows that other data refers to. */
export function removeMissing(
  bucket: InstanceBucket,
  { keys, isReferenced, jobId }: RemovalCriteria & { jobId: number },
): Decision<InstanceEvent, PieceOutcome & { kept: InstanceRow[] }> {
  const { removed, kept } = splitMissing(bucket, { keys, isReferenced });
  const ids = removed.map(({ id }) => id);
  const events: InstanceEvent[] = [];
  for (const chunk of chunksPerEvent(ids)) events.push({ type: 'InstancesRemoved', data: { ids: chunk, jobId } });
  const counts: ImportCounts = { ...noCounts(), removed: ids.length };
  return { events, result: { counts, refused: [], undo: { added: [], changed: [], removed: ids }, kept } };
}

/** Determines which rows of a bucket an import removes if its file replaces the data set. */
export interface RemovalCriteria {
  /** Canonical keys of the rows of the file. */
  keys: ReadonlySet<string>;
  isReferenced: (row: InstanceRow) => boolean;
}

/** Finds the rows that are missing in the file: other data refers to the kept rows, and not to the removed rows. */
export function splitMissing(
  bucket: InstanceBucket,
  { keys, isReferenced }: RemovalCriteria,
): { removed: InstanceRow[]; kept: InstanceRow[] } {
  const [removed, kept]: [InstanceRow[], InstanceRow[]] = [[], []];
  for (const [key, id] of bucket.ids) {
    const row = keys.has(key) ? undefined : bucket.rows.get(id);
    if (row) (isReferenced(row) ? kept : removed).push(row);
  }
  return { removed, kept };
}

/**
 * Undoes a piece: removes added rows, and restores removed rows and changed values. Skips rows that are already undone,
 * changed rows that are removed now, and removed rows whose key is taken.
 */
export function undoRows(
  bucket: InstanceBucket,
  undo: PieceOutcome['undo'],
  job: { jobId: number; schemaRevision: number },
): Decision<InstanceEvent> {
  const { jobId, schemaRevision } = job;
  const ids = undo.added.filter((id) => bucket.rows.get(id)?.removed === false);
  const rows = undo.changed.filter(({ id, values }) => {
    const row = bucket.rows.get(id);
    return (
      row && !row.removed && Object.entries(values).some(([field, value]) => (row.values[field] ?? null) !== value)
    );
  });
  const restored = (undo.removed ?? []).filter((id) => {
    const row = bucket.rows.get(id);
    return row?.removed && !bucket.ids.has(row.key);
  });
  const events: InstanceEvent[] = [];
  for (const chunk of chunksPerEvent(ids)) events.push({ type: 'InstancesRemoved', data: { ids: chunk, jobId } });
  for (const chunk of chunksPerEvent(restored)) events.push({ type: 'InstancesRestored', data: { ids: chunk, jobId } });
  for (const chunk of chunksPerEvent(rows))
    events.push({ type: 'InstancesChanged', data: { schemaRevision, jobId, rows: chunk } });
  return { events, result: undefined };
}

export function addCounts(a: ImportCounts, b: ImportCounts): ImportCounts {
  return {
    total: a.total + b.total,
    created: a.created + b.created,
    changed: a.changed + b.changed,
    unchanged: a.unchanged + b.unchanged,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
    ...(a.removed === undefined && b.removed === undefined ? {} : { removed: (a.removed ?? 0) + (b.removed ?? 0) }),
  };
}
