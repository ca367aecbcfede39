/** Labels of jobs and of the entries of job logs. */
import type { JobLogView, JobView } from '@rdm/contracts/jobs/jobs';

export const JOB_TYPE_LABELS: Record<JobView['jobType'], string> = {
  REFERENCE_DATA_IMPORT: 'Data set import',
  RELATIONSHIP_VALUES_IMPORT: 'Relationship value import',
  CROSSWALK_MAPPINGS_IMPORT: 'Mapping import',
  DATASET_INSTANCES_IMPORT: 'Row import',
  VALIDATION: 'Validation',
  BULK_DECISION: 'Bulk decision',
  DATABASE_BACKUP: 'Database backup',
  BACKUP_VERIFICATION: 'Backup verification',
  DATA_PURGE: 'Data purge',
};

/** Returns the label of a job type. An undo has the job type of the undone import, but a separate label. */
export const jobTypeLabel = ({ jobType, metadata }: Pick<JobView, 'jobType' | 'metadata'>): string =>
  metadata.undoes === null ? JOB_TYPE_LABELS[jobType] : 'Undo of an import';

export const JOB_LEVEL_LABELS: Record<JobView['jobLevel'], string> = {
  PARENT: 'Job with phases',
  CHILD: 'Phase',
  STANDALONE: 'Single job',
};

export const PHASE_LABELS: Record<JobView['workflowPhase'], string> = {
  VALIDATION: 'Validation',
  IMPORT: 'Import',
  COMPLETE: 'Complete',
};

export const ROW_STATUS_LABELS: Record<NonNullable<JobLogView['status']>, string> = {
  SUCCESS: 'Done',
  ERROR: 'Failed',
  SKIPPED: 'Skipped',
};

export const LOG_LEVEL_LABELS: Record<JobLogView['level'], string> = {
  INFO: 'Information',
  WARN: 'Warning',
  ERROR: 'Error',
};
