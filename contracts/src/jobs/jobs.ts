/** Jobs: their types, statuses and counts, and the views of a job and its log. */
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

const IMPORT_OF = 'Import of ';
/** Returns the default description of an import. */
export const importDescription = (fileName: string): string => IMPORT_OF + fileName;
/** Returns the file name in a default description; undefined for other descriptions. */
export const fileInDescription = (description: string): string | undefined =>
  description.startsWith(IMPORT_OF) ? description.slice(IMPORT_OF.length) : undefined;

export type JobStatus = (typeof JOB_STATUSES)[number];

export type ImportMode = (typeof IMPORT_MODES)[number];

/**
 * The counts of a job. `total` is the number of rows in the file, or of rows to undo or decide. After an import,
 * `total` is the sum of all other counts except `removed`.
 */
export const ImportCounts = z.object({
  total: z.number().int(),
  created: z.number().int(),
  changed: z.number().int(),
  unchanged: z.number().int(),
  failed: z.number().int(),
  skipped: z.number().int(),
  /** The number of rows that an import in the mode `replace` removed because the file lacks them. */
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

/** An unanswered question about the file of a job. The import needs the answer. */
export const JobQuestion = z.object({
  id: z.string(),
  text: z.string(),
  options: z.array(z.object({ value: z.string(), label: z.string(), examples: z.array(z.string()) })),
});
export type JobQuestion = z.infer<typeof JobQuestion>;

/** The settings of a job. A setting that does not apply to the job is null. */
export const JobMetadata = defineView(() =>
  z.object({
    mode: z.enum(IMPORT_MODES).nullable(),
    columns: z
      .record(z.string(), z.number())
      .nullable()
      .describe('For each column of the file, the id of the field that it fills.'),
    fileId: z.string().nullable(),
    allOrNothing: z.boolean().nullable(),
    commandId: z.string().nullable(),
    undoes: z.number().nullable().describe('The import that this job undoes.'),
    questions: z
      .array(JobQuestion)
      .nullable()
      .describe(
        'Unanswered questions about the file. To import the file, repeat the import with the answers in the settings of the import.',
      ),
  }),
);
export type JobMetadata = z.infer<typeof JobMetadata>;

/** The processed rows and all rows of a phase. `total` is 0 while the number of all rows is unknown. */
export const PhaseRows = z.object({ processed: z.number(), total: z.number() });
export type PhaseRows = z.infer<typeof PhaseRows>;

/** The undo of an ended import of rows: possible, running or done. */
export const JobUndo = defineView(() =>
  z.object({
    state: z.enum(['possible', 'running', 'done']),
    jobId: z.number().nullable().describe('The job that undoes or has undone the import.'),
    at: z.string().nullable().describe('When the undo ended; while it runs, when it started.'),
  }),
);
export type JobUndo = z.infer<typeof JobUndo>;

/** One row of GET /api/jobs. GET /api/jobs/{jobId} adds `children`, the jobs of the phases. */
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
      .describe(
        'For a job that changes reviewed rows, the id of its command. It is also the id of the batch, for undoing the job. Null for other jobs.',
      ),
    dataSetId: z
      .number()
      .nullable()
      .describe(
        'Null for the dry run of a draft, which only its owner sees, and for a backup or purge, which only administrators see.',
      ),
    dataSetName: z.string(),
    userId: z.number().nullable(),
    phaseRows: PhaseRows.nullable().describe(
      'While the job runs: the processed rows and all rows of the current phase.',
    ),
    progress: z.number().describe('From 0 to 100; 100 only at the end of the job.'),
    publishing: z
      .object({ rows: z.number().nullable(), of: z.number() })
      .nullable()
      .describe(
        'Set while the read models do not contain all rows of a finished job. `rows` is the number of readable rows, or null if it is unknown; `of` is the number of all rows. The job can no longer be cancelled.',
      ),
    rate: z.number().nullable().describe('The current number of rows per second, while the job runs.'),
    secondsLeft: z.number().nullable(),
    counts: ImportCounts,
    startTime: z.string().nullable(),
    endTime: z.string().nullable(),
    errorMessage: z.string().nullable(),
    logsUrl: z.string().describe('The address of the log of the job.'),
    metadata: JobMetadata,
    undo: JobUndo.nullable().describe(
      'Null unless the import was or is being undone, or the viewer can undo it by `POST /api/jobs/{id}/undo`.',
    ),
  }),
);
export type JobView = z.infer<typeof JobView>;

/** The stored form of a cell of a rejected row of a workbook; `format` is the number format in the sheet. */
export type RejectedCell =
  | string
  | number
  | boolean
  | { date: string; format?: string }
  | { number: number; format: string };

/** One problem of a rejected row. Column and value are null if the problem concerns the whole row. */
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
    recordKey: z
      .string()
      .nullable()
      .describe('The text that identifies the row: its key, or its pair of values. Null if there is none.'),
    tried: z.string().nullable().describe('The attempted action, such as "Approve".'),
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
