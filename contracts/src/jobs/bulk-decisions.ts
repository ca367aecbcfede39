/** Commands over more rows than a request answers, decisions and imports of rows: the facts of the job that carries one out. */
import { z } from 'zod';
import { type EventsOf, event } from '../events/event.ts';
import { Id } from '../text/fields.ts';
import { ImportCounts, JOB_TYPES, type JobStatus } from './jobs.ts';

/**
 * Of the counts, `changed` are the rows that were decided, `failed` the refused ones, `skipped` those not tried; an import
 * tells `created` and `unchanged` ones, too.
 */
export const bulkDecisionEvents = {
  BulkDecisionRequested: event(
    z.object({
      jobId: Id,
      /** The command whose effects these are: by it the batch is undone. */
      commandId: z.uuid(),
      description: z.string(),
      /** Whoever may write to these may cancel it. */
      dataSetIds: z.array(Id).min(1),
      /** Null where only the file tells. */
      total: z.number().int().nullable(),
      jobType: z.enum(JOB_TYPES),
      /** The staged file whose rows are imported; null for a decision about rows that are there. */
      fileId: z.uuid().nullable(),
    }),
    2,
    // Before rows were imported by such jobs, all of them were decisions.
    { 1: (data) => ({ ...(data as object), jobType: 'BULK_DECISION', fileId: null }) },
  ),
  BulkDecisionCompleted: event(z.object({ counts: ImportCounts })),
  BulkDecisionFailed: event(z.object({ reason: z.string(), counts: ImportCounts })),
  BulkDecisionCancelled: event(z.object({ counts: ImportCounts })),
};
export type BulkDecisionEvent = EventsOf<typeof bulkDecisionEvents>;

export interface BulkDecision {
  request: Extract<BulkDecisionEvent, { type: 'BulkDecisionRequested' }>['data'];
  status: JobStatus;
  counts: ImportCounts | null;
  reason: string | null;
}

/** Folds one event into a job. */
export function evolveBulkDecision(
  state: BulkDecision | undefined,
  event: BulkDecisionEvent,
): BulkDecision | undefined {
  if (event.type === 'BulkDecisionRequested') {
    return { request: event.data, status: 'PENDING', counts: null, reason: null };
  }
  if (state === undefined) return undefined;
  switch (event.type) {
    case 'BulkDecisionCompleted':
      return { ...state, status: 'DONE', counts: event.data.counts };
    case 'BulkDecisionFailed':
      return { ...state, status: 'FAILED', ...event.data };
    case 'BulkDecisionCancelled':
      return { ...state, status: 'CANCELLED', counts: event.data.counts };
  }
}

/** Answer of a verb over more rows than are answered in the request: what became of each is in the job's log. */
export interface DecidedAsJob {
  jobId: number;
  commandId: string;
  total: number;
}
