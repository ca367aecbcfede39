/** Import jobs: events, state and settings. */
import { z } from 'zod';
import { defineView } from '../define-view.ts';
import { type EventsOf, event } from '../events/event.ts';
import { IMPORT_MODES, ImportCounts, JOB_TYPES, type JobStatus, WORKFLOW_PHASES } from '../jobs/jobs.ts';
import { WORDS } from '../refusal.ts';
import { atMost, Id } from '../text/fields.ts';
import { FILE_FORMATS } from './file-profile.ts';

/** The ids of the fields by the names of the columns that fill them. A column that is left out is ignored. */
const ColumnMapping = z.record(z.string(), Id);

export const importJobEvents = {
  ImportRequested: event(
    z.object({
      jobId: Id,
      jobType: z.enum(JOB_TYPES),
      dataSetId: Id,
      description: z.string(),
      fileId: z.uuid(),
      fileHash: z.string(),
      mode: z.enum(IMPORT_MODES),
      columns: ColumnMapping,
      delimiter: z.string(),
      encoding: z.string(),
      hasHeader: z.boolean(),
      allOrNothing: z.boolean(),
      /** For an import that was prepared as a draft: the format of its file, and the number of its fixes. */
      format: z.enum(FILE_FORMATS).optional(),
      fixes: z.number().int().optional(),
    }),
  ),
  ImportStarted: event(z.object({ schemaRevision: z.number().int() })),
  ImportPhaseCompleted: event(
    z.object({
      phase: z.enum(WORKFLOW_PHASES),
      counts: ImportCounts,
      /** For a validation: how many rows break each rule. Events of earlier versions do not have it. */
      rules: z.record(z.string(), z.number().int()).optional(),
    }),
  ),
  ImportCompleted: event(z.object({ counts: ImportCounts })),
  ImportFailed: event(z.object({ reason: z.string() })),
  ImportCancelled: event(z.object({ counts: ImportCounts })),
  /**
   * In the counts, `changed` counts undone rows, and `skipped` counts rows that were kept because of later edits or
   * references.
   */
  ImportUndone: event(z.object({ jobId: Id, counts: ImportCounts })),
};
export type ImportJobEvent = EventsOf<typeof importJobEvents>;

export interface ImportJob {
  jobId: number;
  dataSetId: number;
  startedBy: number | null;
  /** The API key that started the import on behalf of the user. */
  startedByKey?: number;
  status: JobStatus;
  request: Extract<ImportJobEvent, { type: 'ImportRequested' }>['data'];
  phases: { phase: string; counts: ImportCounts }[];
  counts: ImportCounts | null;
  reason: string | null;
  /** The job that undid the import, and the time. */
  undone?: { jobId: number; at: string };
}

/** Folds one event into a job. */
export function evolveImportJob(
  state: ImportJob | undefined,
  event: ImportJobEvent & { metadata?: { actorId: number | null; apiKeyId?: number; occurredAt?: string } },
): ImportJob | undefined {
  if (event.type === 'ImportRequested') {
    return {
      jobId: event.data.jobId,
      dataSetId: event.data.dataSetId,
      startedBy: event.metadata?.actorId ?? null,
      ...(event.metadata?.apiKeyId === undefined ? {} : { startedByKey: event.metadata.apiKeyId }),
      status: 'PENDING',
      request: event.data,
      phases: [],
      counts: null,
      reason: null,
    };
  }
  if (state === undefined) return undefined;
  switch (event.type) {
    case 'ImportStarted':
      return { ...state, status: 'IN_PROGRESS' };
    case 'ImportPhaseCompleted':
      return { ...state, phases: [...state.phases, event.data] };
    case 'ImportCompleted':
      return { ...state, status: 'DONE', counts: event.data.counts };
    case 'ImportFailed':
      return { ...state, status: 'FAILED', reason: event.data.reason };
    case 'ImportCancelled':
      return { ...state, status: 'CANCELLED', counts: event.data.counts };
    case 'ImportUndone':
      return { ...state, undone: { jobId: event.data.jobId, at: event.metadata?.occurredAt ?? '' } };
  }
}

/** The response to POST /api/imports (multipart `file`, `dataSetId`): the staged file with its detected properties. */
export const StagedFileView = defineView(() =>
  z.object({
    id: z.string(),
    dataSetId: z.number(),
    fileName: z.string(),
    size: z.number(),
    hash: z.string(),
    format: z.literal('csv'),
    delimiter: z.string(),
    encoding: z.string(),
    hasHeader: z.boolean(),
    columns: z.array(z.string()),
    suggestedColumns: z
      .record(z.string(), z.number())
      .describe('The ids of the fields by column, matched by equal names.'),
    sample: z.array(z.array(z.string())),
  }),
);
export type StagedFileView = z.infer<typeof StagedFileView>;

/** POST /api/imports/{id}/start. */
export const StartImport = z.object({
  description: z
    .string({ error: WORDS.jobDescriptionRequired })
    .trim()
    .min(1, WORDS.jobDescriptionRequired)
    .max(1_000, atMost(1_000)),
  mode: z.enum(IMPORT_MODES).default('insert'),
  columns: ColumnMapping.optional(),
  allOrNothing: z.boolean().default(false),
});
export type StartImport = z.infer<typeof StartImport>;
