/** Read model of import jobs: what was asked for and how it ended; how far a job is is telemetry's to say. */
import { evolveImportJob, type ImportCounts, type ImportJob, type ImportJobEvent } from '@rdm/contracts';
import { type FoldedTable, one, type Row } from './folded-table.ts';
import { projectionOf } from './projection.ts';

interface JobRow extends Row {
  job_id: number;
  job_type: string;
  data_set_id: number;
  description: string;
  status: ImportJob['status'];
  started_by: number | null;
  mode: string;
  columns: Record<string, number>;
  file_id: string;
  all_or_nothing: boolean;
  counts: ImportCounts | null;
  phases: ImportJob['phases'];
  reason: string | null;
  requested_at: string;
  started_at: string | null;
  ended_at: string | null;
}

const ENDS = new Set<string>(['ImportCompleted', 'ImportFailed', 'ImportCancelled']);

/** The state as far as folding later events needs it: the request itself is not asked for again. */
const stateOf = (row: JobRow): ImportJob => ({
  jobId: row.job_id,
  dataSetId: row.data_set_id,
  startedBy: row.started_by,
  status: row.status,
  request: {} as ImportJob['request'],
  phases: row.phases,
  counts: row.counts,
  reason: row.reason,
});

export const importJobs: FoldedTable<JobRow, ImportJobEvent> = {
  name: 'import_jobs',
  columns: {
    job_id: 'bigint',
    job_type: 'text',
    data_set_id: 'bigint',
    description: 'text',
    status: 'text',
    started_by: 'bigint',
    mode: 'text',
    columns: 'jsonb',
    file_id: 'uuid',
    all_or_nothing: 'boolean',
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
  indexes: ['(data_set_id, job_id)'],
  touches: (event) => [[event.entityId]],
  fold: one((row, event) => {
    const at = event.metadata.occurredAt;
    const state = evolveImportJob(row && stateOf(row), event);
    if (state === undefined) return undefined;
    const { status, counts, phases, reason } = state;
    if (event.type === 'ImportRequested') {
      const { jobType, dataSetId, description, mode, columns, fileId, allOrNothing, jobId } = event.data;
      return {
        job_id: jobId,
        job_type: jobType,
        data_set_id: dataSetId,
        description,
        status,
        started_by: state.startedBy,
        mode,
        columns,
        file_id: fileId,
        all_or_nothing: allOrNothing,
        counts,
        phases,
        reason,
        requested_at: at,
        started_at: null,
        ended_at: null,
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
        ended_at: ENDS.has(event.type) ? at : row.ended_at,
      }
    );
  }),
};

export const jobs = projectionOf({ name: 'jobs', version: 1, categories: ['importJob'] }, importJobs);
