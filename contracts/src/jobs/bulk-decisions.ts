/** The events and the state of bulk jobs: decisions on many rows, imports of reviewed rows, and undos. */
import { z } from 'zod';
import { defineView } from '../define-view.ts';
import { type EventsOf, event } from '../events/event.ts';
import { Id } from '../text/fields.ts';
import { ImportCounts, JOB_TYPES, type JobStatus } from './jobs.ts';

/**
 * In `counts`, `changed` counts decided rows, `failed` refused rows, and `skipped` rows that were not tried or that an
 * undo does not change. An import also counts `created` and `unchanged` rows.
 */
export const bulkDecisionEvents = {
  BulkDecisionRequested: event(
    z.object({
      jobId: Id,
      /** The id of the command that this job runs. The batch with this id can be undone. */
      commandId: z.uuid(),
      description: z.string(),
      /** Users who may write to all these data sets may cancel the job. */
      dataSetIds: z.array(Id).min(1),
      /** The number of rows; null if it is unknown until the file is read. */
      total: z.number().int().nullable(),
      jobType: z.enum(JOB_TYPES),
      /** The staged file whose rows are imported; otherwise null. */
      fileId: z.uuid().nullable(),
      /** The job of the import that this job undoes. */
      undoneJobId: Id.optional(),
      /** The command that requested the undone import. */
      undoes: z.uuid().optional(),
    }),
    2,
    // In version 1, all bulk jobs were decisions.
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

/** The response to a command that runs as a job. The log of the job has the outcome of each row. */
export const DecidedAsJob = defineView(() =>
  z.object({
    jobId: z.number(),
    commandId: z.string(),
    total: z.number(),
  }),
);
export type DecidedAsJob = z.infer<typeof DecidedAsJob>;
