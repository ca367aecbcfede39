/** Jobs that decide or import more rows than one request can answer: events and state. */
import { z } from 'zod';
import { defineView } from '../define-view.ts';
import { type EventsOf, event } from '../events/event.ts';
import { Id } from '../text/fields.ts';
import { ImportCounts, JOB_TYPES, type JobStatus } from './jobs.ts';

/**
 * Of the counts, `changed` are decided rows, `failed` refused ones, `skipped` rows that were not tried. An import also counts
 * `created` and `unchanged`. An undo also skips rows that it keeps.
 */
export const bulkDecisionEvents = {
  BulkDecisionRequested: event(
    z.object({
      jobId: Id,
      /** The command of these effects; the batch is undone by it. */
      commandId: z.uuid(),
      description: z.string(),
      /** Users who may write to these data sets may cancel it. */
      dataSetIds: z.array(Id).min(1),
      /** Null if only the file determines it. */
      total: z.number().int().nullable(),
      jobType: z.enum(JOB_TYPES),
      /** The staged file whose rows are imported; null for a decision on existing rows. */
      fileId: z.uuid().nullable(),
      /** The import of rows that this job undoes: its job, and the command that requested it. */
      undoneJobId: Id.optional(),
      undoes: z.uuid().optional(),
    }),
    2,
    // Before such jobs imported rows, all of them were decisions.
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

/** Answer of a verb on more rows than one request can answer: the job's log has the outcome of each. */
export const DecidedAsJob = defineView(() =>
  z.object({
    jobId: z.number(),
    commandId: z.string(),
    total: z.number(),
  }),
);
export type DecidedAsJob = z.infer<typeof DecidedAsJob>;
