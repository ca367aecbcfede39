/**
 * Read model of jobs: imports, bulk decisions, backups and their verifications, and purges, with request and outcome.
 * It does not contain the progress of running jobs, which is telemetry.
 */
import {
  type BackupEvent,
  type BulkDecision,
  type BulkDecisionEvent,
  evolveBulkDecision,
  evolveImportJob,
  type ImportCounts,
  type ImportJob,
  type ImportJobEvent,
  type PurgeEvent,
} from '@rdm/contracts';
import type { NumberedEvent } from '../engine/numbered-event.ts';
import { projectionOf } from '../engine/projection.ts';
import { type FoldedRow, type FoldedTable, foldOne, type Row } from '../tables/folded-table.ts';

interface JobRow extends Row {
  job_id: number;
  job_type: string;
  /** Null for a job of administrators. */
  data_set_id: number | null;
  /** The data sets that a user must be allowed to read to see the job; null if only administrators may see it. */
  data_set_ids: number[] | null;
  description: string;
  status: ImportJob['status'];
  started_by: number | null;
  mode: string | null;
  columns: Record<string, number> | null;
  file_id: string | null;
  /** The command of a bulk job, which an undo names. Null for undos of imports and for jobs of other kinds. */
  command_id: string | null;
  all_or_nothing: boolean | null;
  /** The backup that this job verifies. */
  backup_id: number | null;
  /** The import that this job undoes. */
  undone_job_id: number | null;
  /** The job that undid this import, and when. */
  undone_by: number | null;
  undone_at: string | null;
  counts: ImportCounts | null;
  phases: ImportJob['phases'];
  reason: string | null;
  requested_at: string;
  started_at: string | null;
  ended_at: string | null;
}

type JobEvent = ImportJobEvent | BulkDecisionEvent | BackupEvent | PurgeEvent;

const END_TYPES = new Set<string>(['ImportCompleted', 'ImportFailed', 'ImportCancelled']);

/** Returns the state of an import for the fold of later events, which do not need the request. */
const stateOf = (row: JobRow): ImportJob => ({
  jobId: row.job_id,
  dataSetId: row.data_set_id as number,
  startedBy: row.started_by,
  status: row.status,
  request: {} as ImportJob['request'],
  phases: row.phases,
  counts: row.counts,
  reason: row.reason,
});

const isBackupEvent = <E extends JobEvent>(event: E): event is Extract<E, BackupEvent> =>
  event.type.startsWith('Backup');

const isPurgeEvent = <E extends JobEvent>(event: E): event is Extract<E, PurgeEvent> => event.type.startsWith('Purge');

/** Returns a job that was just requested; the fold of each kind of job adds further columns. */
const requestedJob = (
  jobId: number,
  jobType: string,
  startedBy: number | null,
  requestedAt: string,
): FoldedRow<JobRow> => ({
  job_id: jobId,
  job_type: jobType,
  data_set_id: null,
  data_set_ids: null,
  description: '',
  status: 'PENDING',
  started_by: startedBy,
  mode: null,
  columns: null,
  file_id: null,
  command_id: null,
  all_or_nothing: null,
  backup_id: null,
  undone_job_id: null,
  undone_by: null,
  undone_at: null,
  counts: null,
  phases: [],
  reason: null,
  requested_at: requestedAt,
  started_at: null,
  ended_at: null,
});

/** Returns the id of the backup or requested verification of an event; null for other events. */
function backupJobId({ type, data }: BackupEvent): number | null {
  switch (type) {
    case 'BackupRequested':
    case 'BackupCompleted':
    case 'BackupFailed':
      return data.backupId;
    case 'BackupVerificationRequested':
    case 'BackupVerified':
      return data.verificationId;
    default:
      return null;
  }
}

const touchedJobKeys = (event: NumberedEvent<JobEvent>): number[][] => {
  // The job of a purge has the id of the purge.
  if (!isBackupEvent(event)) return event.category === 'system' ? [] : [[event.entityId]];
  const id = backupJobId(event);
  return id === null ? [] : [[id]];
};

function foldBackup(
  row: JobRow | undefined,
  event: WithMetadata<BackupEvent>,
  at: string,
): FoldedRow<JobRow> | undefined {
  const { actorId } = event.metadata;
  switch (event.type) {
    case 'BackupRequested':
      return { ...requestedJob(event.data.backupId, 'DATABASE_BACKUP', actorId, at), description: 'Database backup' };
    case 'BackupVerificationRequested':
      return {
        ...requestedJob(event.data.verificationId, 'BACKUP_VERIFICATION', actorId, at),
        backup_id: event.data.backupId,
        description: `Verification of backup ${event.data.backupId}`,
      };
    case 'BackupCompleted':
      return row && { ...row, status: 'DONE', ended_at: at };
    case 'BackupFailed':
      return row && { ...row, status: 'FAILED', reason: event.data.problem, ended_at: at };
    case 'BackupVerified': {
      const { result, problem } = event.data;
      return row && { ...row, status: result === 'INTACT' ? 'DONE' : 'FAILED', reason: problem, ended_at: at };
    }
    default:
      return row;
  }
}

/** Folds an event of a purge. A purge becomes a job when it is confirmed. */
function foldPurge(
  row: JobRow | undefined,
  event: WithMetadata<PurgeEvent>,
  at: string,
): FoldedRow<JobRow> | undefined {
  switch (event.type) {
    case 'PurgeConfirmed':
      return {
        ...requestedJob(event.data.purgeId, 'DATA_PURGE', event.metadata.actorId, at),
        description: 'Data purge',
      };
    case 'PurgeCompleted':
      return row && { ...row, status: 'DONE', ended_at: at };
    case 'PurgeFailed':
      return row && { ...row, status: 'FAILED', reason: event.data.problem, ended_at: at };
    case 'PurgeResumed':
      return row && { ...row, status: 'PENDING', reason: null, ended_at: null };
    case 'PurgeCancelled':
      return row && { ...row, status: 'CANCELLED', ended_at: at };
    default:
      return row;
  }
}

const isBulkEvent = <E extends JobEvent>(event: E): event is Extract<E, BulkDecisionEvent> =>
  event.type.startsWith('BulkDecision');

type WithMetadata<E> = E & { metadata: { actorId: number | null; dataSetIds: readonly number[] } };

function foldBulkDecision(
  row: JobRow | undefined,
  event: WithMetadata<BulkDecisionEvent>,
  at: string,
): FoldedRow<JobRow> | undefined {
  if (event.type === 'BulkDecisionRequested') {
    const { jobId, jobType, commandId, fileId, description, dataSetIds, undoneJobId } = event.data;
    const { actorId, dataSetIds: requiredIds } = event.metadata;
    return {
      ...requestedJob(jobId, jobType, actorId, at),
      data_set_id: dataSetIds[0] as number,
      data_set_ids: [...requiredIds],
      description,
      file_id: fileId,
      command_id: undoneJobId === undefined ? commandId : null,
      undone_job_id: undoneJobId ?? null,
    };
  }
  const before = row && {
    request: {} as BulkDecision['request'],
    status: row.status,
    counts: row.counts,
    reason: row.reason,
  };
  const state = evolveBulkDecision(before, event);
  if (!row || !state) return undefined;
  return { ...row, status: state.status, counts: state.counts, reason: state.reason, ended_at: at };
}

const importJobs: FoldedTable<JobRow, JobEvent> = {
  name: 'import_jobs',
  columns: {
    job_id: 'bigint',
    job_type: 'text',
    data_set_id: 'bigint',
    data_set_ids: 'bigint[]',
    description: 'text',
    status: 'text',
    started_by: 'bigint',
    mode: 'text',
    columns: 'jsonb',
    file_id: 'uuid',
    command_id: 'uuid',
    all_or_nothing: 'boolean',
    backup_id: 'bigint',
    undone_job_id: 'bigint',
    undone_by: 'bigint',
    undone_at: 'timestamptz',
    counts: 'jsonb',
    phases: 'jsonb',
    reason: 'text',
    requested_at: 'timestamptz',
    started_at: 'timestamptz',
    ended_at: 'timestamptz',
    valid_from: 'bigint',
  },
  key: ['job_id'],
  versioned: false,
  indexes: [
    '(data_set_id, job_id)',
    '(backup_id) WHERE backup_id IS NOT NULL',
    '(undone_job_id) WHERE undone_job_id IS NOT NULL',
  ],
  touchedKeys: touchedJobKeys,
  fold: foldOne((row, event) => {
    const at = event.metadata.occurredAt;
    if (isBackupEvent(event)) return foldBackup(row, event, at);
    if (isPurgeEvent(event)) return foldPurge(row, event, at);
    if (isBulkEvent(event)) return foldBulkDecision(row, event, at);
    const state = evolveImportJob(row && stateOf(row), event);
    if (state === undefined) return undefined;
    const { status, counts, phases, reason } = state;
    if (event.type === 'ImportRequested') {
      const { jobType, dataSetId, description, mode, columns, fileId, allOrNothing, jobId } = event.data;
      return {
        ...requestedJob(jobId, jobType, state.startedBy, at),
        data_set_id: dataSetId,
        data_set_ids: [dataSetId],
        description,
        status,
        mode,
        columns,
        file_id: fileId,
        all_or_nothing: allOrNothing,
        counts,
        phases,
        reason,
      };
    }
    return (
      row && {
        ...row,
        status,
        counts,
        phases,
        reason,
        started_at: event.type === 'ImportStarted' ? at : row.started_at,
        ended_at: END_TYPES.has(event.type) ? at : row.ended_at,
        ...(state.undone && { undone_by: state.undone.jobId, undone_at: state.undone.at }),
      }
    );
  }),
};

export const jobs = projectionOf(
  { name: 'jobs', version: 6, categories: ['importJob', 'bulkDecision', 'system', 'purge'] },
  importJobs,
);
