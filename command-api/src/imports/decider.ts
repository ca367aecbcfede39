/** Imports: the life of a job, and what a piece of rows does to the bucket it belongs to. */
import {
  type CellValue,
  EVENT_ROWS_MAX,
  type ImportCounts,
  type ImportJob,
  type ImportJobEvent,
  type ImportMode,
  type InstanceBucket,
  type InstanceEvent,
  noCounts,
  Refusal,
  type Values,
} from '@rdm/contracts';
import { type Decision, decided, nothing } from '../runtime/decision.ts';

type Requested = Extract<ImportJobEvent, { type: 'ImportRequested' }>['data'];

export function requestImport(job: ImportJob | undefined, request: Requested): Decision<ImportJobEvent> {
  return job ? nothing() : decided({ type: 'ImportRequested', data: request });
}

export function startImport(job: ImportJob | undefined, schemaRevision: number): Decision<ImportJobEvent> {
  const { status } = existingJob(job);
  if (status === 'IN_PROGRESS') return nothing();
  if (status !== 'PENDING') throw hasEnded(status);
  return decided({ type: 'ImportStarted', data: { schemaRevision } });
}

/** A failed job goes on where it stopped: what it committed is neither lost nor done again. */
export function retryImport(job: ImportJob | undefined, schemaRevision: number): Decision<ImportJobEvent> {
  const { status } = existingJob(job);
  if (status !== 'FAILED') {
    throw new Refusal('CONFLICT', 'Only a job that failed can be tried again', { status });
  }
  return decided({ type: 'ImportStarted', data: { schemaRevision } });
}

/** Whether a job may still be cancelled. */
export function requireRunning(job: ImportJob | undefined): ImportJob {
  const existing = existingJob(job);
  if (existing.status === 'PENDING' || existing.status === 'IN_PROGRESS') return existing;
  throw hasEnded(existing.status);
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

const hasEnded = (status: string) => new Refusal('CONFLICT', 'This job has ended', { status });

/** A valid row of the file, with the id it gets should it be new. */
export interface StagedRow {
  line: number;
  id: number;
  key: string;
  /** A cell per entry of `fieldIds`, as a JSON array: a row that is only added is never taken apart. */
  text: string;
}

export const cellsOf = ({ text }: StagedRow): CellValue[] => JSON.parse(text);

export interface ImportedPiece {
  jobId: number;
  mode: ImportMode;
  schemaRevision: number;
  keyFieldIds: readonly number[];
  fieldIds: readonly number[];
  rows: readonly StagedRow[];
}

/** What became of a piece: `undo` is what takes it back. */
export interface PieceOutcome {
  counts: ImportCounts;
  refused: { line: number; code: 'DUPLICATE_KEY' | 'NOT_FOUND' }[];
  undo: { added: number[]; changed: { id: number; values: Values }[] };
}

/** What inserting must know of a bucket: which keys are taken, and which rows it has ever held. */
export interface KnownKeys {
  /** Canonical key → id, of rows that are not removed. */
  ids: ReadonlyMap<string, number>;
  rows: { has: (id: number) => boolean };
}

/** Adds rows whose keys are free. Keys are unique within the pieces of an import. */
export function insertRows(known: KnownKeys, piece: ImportedPiece): Decision<InstanceEvent, PieceOutcome> {
  return decideRows(known, piece, (row, tally) => {
    tally.refused.push({ line: row.line, code: 'DUPLICATE_KEY' });
  });
}

/** Changes rows whose keys exist; adds the others, or refuses them, as the mode says. */
export function mergeRows(bucket: InstanceBucket, piece: ImportedPiece): Decision<InstanceEvent, PieceOutcome> {
  return decideRows(bucket, piece, (row, tally, holder) => {
    const difference = differs(bucket.rows.get(holder)?.values ?? {}, piece.fieldIds, cellsOf(row));
    if (difference === undefined) {
      tally.unchanged += 1;
      return;
    }
    tally.changed.push({ id: holder, values: difference.after });
    tally.undo.push({ id: holder, values: difference.before });
  });
}

interface Tally {
  added: StagedRow[];
  /** Rows that this very import added before. */
  present: number;
  changed: { id: number; values: Values }[];
  unchanged: number;
  refused: PieceOutcome['refused'];
  undo: { id: number; values: Values }[];
}

/** A row whose id the bucket holds was imported before: it counts, and nothing happens to it. */
function decideRows(
  known: KnownKeys,
  piece: ImportedPiece,
  onExisting: (row: StagedRow, tally: Tally, holder: number) => void,
): Decision<InstanceEvent, PieceOutcome> {
  const { jobId, schemaRevision } = piece;
  const tally: Tally = { added: [], present: 0, changed: [], unchanged: 0, refused: [], undo: [] };
  for (const row of piece.rows) {
    const holder = known.ids.get(row.key);
    if (known.rows.has(row.id)) tally.present += 1;
    else if (holder !== undefined) onExisting(row, tally, holder);
    else if (piece.mode === 'update') tally.refused.push({ line: row.line, code: 'NOT_FOUND' });
    else tally.added.push(row);
  }
  const { added, changed, refused } = tally;
  const events: InstanceEvent[] = [];
  for (const rows of perEvent(added)) events.push(imported(piece, rows));
  for (const rows of perEvent(changed))
    events.push({ type: 'InstancesChanged', data: { schemaRevision, jobId, rows } });
  const counts: ImportCounts = {
    ...noCounts(),
    total: piece.rows.length,
    created: added.length + tally.present,
    changed: changed.length,
    unchanged: tally.unchanged,
    failed: refused.length,
  };
  return { events, result: { counts, refused, undo: { added: added.map(({ id }) => id), changed: tally.undo } } };
}

/** New rows as they were staged: their data are written out of what is JSON already, and read again only if asked for. */
function imported({ jobId, schemaRevision, keyFieldIds, fieldIds }: ImportedPiece, rows: readonly StagedRow[]) {
  const head = { jobId, schemaRevision, keyFieldIds: [...keyFieldIds], fieldIds: [...fieldIds] };
  const texts = rows.map(({ id, text }) => (text === '[]' ? `[${id}]` : `[${id},${text.slice(1)}`));
  const text = `[${texts.join(',')}]`;
  const data = {
    ...head,
    get rows() {
      return JSON.parse(text);
    },
  };
  return { type: 'InstancesImported', data, json: `${JSON.stringify(head).slice(0, -1)},"rows":${text}}` } as const;
}

/** As many at once as one event may hold. */
function* perEvent<T>(rows: readonly T[]): Generator<T[]> {
  for (let from = 0; from < rows.length; from += EVENT_ROWS_MAX) yield rows.slice(from, from + EVENT_ROWS_MAX);
}

/** The cells that differ, as they are and as they were; fields the file leaves out stay. */
function differs(values: Values, fieldIds: readonly number[], cells: readonly CellValue[]) {
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

/** Takes a piece back: what it added goes, what it changed is as it was; what is so already stays. */
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
  const events: InstanceEvent[] = [];
  for (const some of perEvent(ids)) events.push({ type: 'InstancesRemoved', data: { ids: some, jobId } });
  for (const some of perEvent(rows))
    events.push({ type: 'InstancesChanged', data: { schemaRevision, jobId, rows: some } });
  return { events, result: undefined };
}

/** Counts of several pieces together. */
export function addCounts(a: ImportCounts, b: ImportCounts): ImportCounts {
  return {
    total: a.total + b.total,
    created: a.created + b.created,
    changed: a.changed + b.changed,
    unchanged: a.unchanged + b.unchanged,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
  };
}
