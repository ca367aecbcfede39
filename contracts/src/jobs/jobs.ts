/** Jobs: their types, statuses and counts, and what is shown of a job and its log. */
import { z } from 'zod';
import { defineView } from '../define-view.ts';
import { Dates } from '../text/fields.ts';

export const JOB_TYPES = [
  'REFERENCE_DATA_IMPORT',
  'RELATIONSHIP_VALUES_IMPORT',
  'CROSSWALK_MAPPINGS_IMPORT',
  'DATASET_INSTANCES_IMPORT',
  'VALIDATION',
  'BULK_DECISION',
  'DATABASE_BACKUP',
  'BACKUP_VERIFICATION',
  'DATA_PURGE',
] as const;

export type JobType = (typeof JOB_TYPES)[number];

export const JOB_STATUSES = ['PENDING', 'IN_PROGRESS', 'DONE', 'FAILED', 'CANCELLED'] as const;

export const JOB_LEVELS = ['PARENT', 'CHILD', 'STANDALONE'] as const;

export const WORKFLOW_PHASES = ['VALIDATION', 'IMPORT', 'COMPLETE'] as const;

export const IMPORT_MODES = ['insert', 'update', 'upsert', 'replace'] as const;

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
  /** Rows of the data set that an import removed because the file lacks them; missing in most counts. */
  removed: z.number().int().optional(),
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

/** The open decision without which the file of a job cannot be imported. */
export const JobQuestion = z.object({
  id: z.string(),
  text: z.string(),
  options: z.array(z.object({ value: z.string(), label: z.string(), examples: z.array(z.string()) })),
});
export type JobQuestion = z.infer<typeof JobQuestion>;

/** The settings of a job; null where they do not apply. */
export const JobMetadata = defineView(() =>
  z.object({
    mode: z.enum(IMPORT_MODES).nullable(),
    columns: z
      .record(z.string(), z.number())
      .nullable()
      .describe('Which column of the file fills which field, by field id.'),
    fileId: z.string().nullable(),
    allOrNothing: z.boolean().nullable(),
    commandId: z.string().nullable(),
    undoes: z.number().nullable().describe('The import that this job undoes.'),
    questions: z
      .array(JobQuestion)
      .nullable()
      .describe(
        'The open decisions without which the file cannot be imported: repeat the import with answers in its settings.',
      ),
  }),
);
export type JobMetadata = z.infer<typeof JobMetadata>;

/** Rows of a phase that are done, and all its rows; a total of 0 is not known yet. */
export const PhaseRows = z.object({ processed: z.number(), total: z.number() });
export type PhaseRows = z.infer<typeof PhaseRows>;

/** Whether an ended import of rows can be undone. */
export const JobUndo = defineView(() =>
  z.object({
    state: z.enum(['possible', 'running', 'done']),
    jobId: z.number().nullable().describe('The job that undoes it or undid it.'),
    at: z.string().nullable().describe('When the undo was started, or when it was done.'),
  }),
);
export type JobUndo = z.infer<typeof JobUndo>;

/** One row of GET /api/jobs and GET /api/jobs/{jobId}. A parent's children are listed with it. */
export const JobView = defineView(() =>
  Dates.extend({
    id: z.number().describe('The same as `jobId`.'),
    jobId: z.number(),
    parentJobId: z.number().nullable(),
    jobType: z.enum(JOB_TYPES),
    jobLevel: z.enum(JOB_LEVELS),
    workflowPhase: z.enum(WORKFLOW_PHASES),
    status: z.enum(JOB_STATUSES),
    description: z.string(),
    commandId: z
      .string()
      .nullable()
      .describe('The command of a job over rows under review, by which it is undone; null for other jobs.'),
    dataSetId: z
      .number()
      .nullable()
      .describe(
        'Null for the check of a draft, which only its owner sees, and for a backup or purge, which only administrators see.',
      ),
    dataSetName: z.string(),
    userId: z.number().nullable(),
    phaseRows: PhaseRows.nullable().describe('Rows that the current phase has done, and all its rows, while it runs.'),
    progress: z.number().describe('0 to 100; 100 only at its end.'),
    publishing: z
      .object({ rows: z.number().nullable(), of: z.number() })
      .nullable()
      .describe(
        'Set when the job has done its work, until the read models contain it: how many of its rows are readable, null if not known. The job cannot be cancelled any more.',
      ),
    rate: z.number().nullable().describe('Current rows per second, and seconds left, while it runs.'),
    secondsLeft: z.number().nullable(),
    counts: ImportCounts,
    startTime: z.string().nullable(),
    endTime: z.string().nullable(),
    errorMessage: z.string().nullable(),
    logsUrl: z.string().describe('The address of its log.'),
    metadata: JobMetadata,
    undo: JobUndo.nullable().describe('Null for a job that the viewer cannot undo by `POST /api/jobs/{id}/undo`.'),
  }),
);
export type JobView = z.infer<typeof JobView>;

/** A cell of a rejected row of a workbook, as it is stored; `format` is the number format of the sheet. */
export type RejectedCell =
  | string
  | number
  | boolean
  | { date: string; format?: string }
  | { number: number; format: string };

/** One problem of a rejected row; column and value are null if it concerns the whole row. */
export const RowFlaw = defineView(() =>
  z.object({
    column: z.string().nullable(),
    value: z.string().nullable(),
    rule: z.string().describe('The rule that the row breaks, in words.'),
    fix: z.string(),
  }),
);
export type RowFlaw = z.infer<typeof RowFlaw>;

/** One row of GET /api/jobs/{jobId}/logs. */
export const JobLogView = defineView(() =>
  Dates.extend({
    id: z.number(),
    jobId: z.number(),
    timestamp: z.string(),
    level: z.enum(['INFO', 'WARN', 'ERROR']),
    message: z.string(),
    recordIndex: z
      .number()
      .nullable()
      .describe(
        "Line of the file, where the header is line 1; for a decision the row's id. Null for an entry about the job itself.",
      ),
    recordKey: z.string().nullable().describe('The label of the row: its key, or the pair. Null if it has none.'),
    tried: z.string().nullable().describe('The attempted action: "Approve".'),
    recordData: z.record(z.string(), z.string()).nullable(),
    status: z.enum(ROW_STATUSES).nullable(),
    errorType: z.string().nullable(),
    errorMessage: z.string().nullable(),
    errorDetails: z.array(RowFlaw).nullable(),
    metadata: z
      .object({ recordKey: z.string().nullable(), tried: z.string().nullable() })
      .nullable()
      .describe('Further data of the row; null for an entry about the job itself.'),
  }),
);
export type JobLogView = z.infer<typeof JobLogView>;
