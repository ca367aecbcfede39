/** Jobs: their types, statuses and counts, and what is shown of a job and its log. */
import { z } from 'zod';
import type { Dates } from '../text/fields.ts';

export const JOB_TYPES = [
  'REFERENCE_DATA_IMPORT',
  'RELATIONSHIP_VALUES_IMPORT',
  'CROSSWALK_MAPPINGS_IMPORT',
  'DATASET_INSTANCES_IMPORT',
  'VALIDATION',
  'BULK_DECISION',
] as const;

export type JobType = (typeof JOB_TYPES)[number];

export const JOB_STATUSES = ['PENDING', 'IN_PROGRESS', 'DONE', 'FAILED', 'CANCELLED'] as const;

export const JOB_LEVELS = ['PARENT', 'CHILD', 'STANDALONE'] as const;

export const WORKFLOW_PHASES = ['VALIDATION', 'IMPORT', 'COMPLETE'] as const;

export const IMPORT_MODES = ['insert', 'update', 'upsert'] as const;

export const ROW_STATUSES = ['SUCCESS', 'ERROR', 'SKIPPED'] as const;

export type JobStatus = (typeof JOB_STATUSES)[number];

export type ImportMode = (typeof IMPORT_MODES)[number];

/** Counts of a validation or an import. `total` is the sum of the others that apply. */
export const ImportCounts = z.object({
  total: z.number().int(),
  created: z.number().int(),
  changed: z.number().int(),
  unchanged: z.number().int(),
  failed: z.number().int(),
  skipped: z.number().int(),
});

export type ImportCounts = z.infer<typeof ImportCounts>;

export const noCounts = (): ImportCounts => ({
  total: 0,
  created: 0,
  changed: 0,
  unchanged: 0,
  failed: 0,
  skipped: 0,
});

/** One row of GET /api/jobs and GET /api/jobs/{jobId}. A parent's children are listed with it. */
export interface JobView extends Dates {
  /** The same as `jobId`. */
  id: number;
  jobId: number;
  parentJobId: number | null;
  jobType: JobType;
  jobLevel: (typeof JOB_LEVELS)[number];
  workflowPhase: (typeof WORKFLOW_PHASES)[number];
  status: JobStatus;
  description: string;
  /** The command of a job over rows under review, by which it is undone; null for other jobs. */
  commandId: string | null;
  dataSetId: number;
  dataSetName: string;
  userId: number | null;
  /** 0 to 100; 100 only at its end. */
  progress: number;
  /**
   * Set when the job has done its work, until the read models contain it: how many of its rows are readable, null if not known.
   * The job cannot be cancelled any more.
   */
  publishing: { rows: number | null; of: number } | null;
  /** Current rows per second, and seconds left, while it runs. */
  rate: number | null;
  secondsLeft: number | null;
  counts: ImportCounts;
  startTime: string | null;
  endTime: string | null;
  errorMessage: string | null;
  /** The address of its log. */
  logsUrl: string;
  metadata: JobMetadata;
}

/** The settings of a job; null where they do not apply. */
export interface JobMetadata {
  mode: ImportMode | null;
  /** Which column of the file fills which field, by field id. */
  columns: Record<string, number> | null;
  fileId: string | null;
  allOrNothing: boolean | null;
  commandId: string | null;
}

/** One problem of a rejected row; column and value are null if it concerns the whole row. */
export interface RowFlaw {
  column: string | null;
  value: string | null;
  /** The rule that the row breaks, in words. */
  rule: string;
  fix: string;
}

/** One row of GET /api/jobs/{jobId}/logs. */
export interface JobLogView extends Dates {
  id: number;
  jobId: number;
  timestamp: string;
  level: 'INFO' | 'WARN' | 'ERROR';
  message: string;
  /** Line of the file, where the header is line 1; for a decision the row's id. Null for an entry about the job itself. */
  recordIndex: number | null;
  /** The label of the row: its key, or the pair. Null if it has none. */
  recordKey: string | null;
  /** The attempted action: "Approve". */
  tried: string | null;
  recordData: Record<string, string> | null;
  status: (typeof ROW_STATUSES)[number] | null;
  errorType: string | null;
  errorMessage: string | null;
  errorDetails: RowFlaw[] | null;
  /** Further data of the row; null for an entry about the job itself. */
  metadata: { recordKey: string | null; tried: string | null } | null;
}
