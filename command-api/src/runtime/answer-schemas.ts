/** The schemas of the answers of commands. */
import { APPROVAL_STATUSES, DecidedAsJob, RowOutcome, UndoneOutcome } from '@rdm/contracts';
import { z } from 'zod';

/** Left out if the command changed nothing. */
const position = z.string().optional().describe('The position of the change in the log, for `X-Min-Position`.');

/** A change of one entity. */
export const ChangeAnswer = z.object({
  id: z.number(),
  name: z.string().optional(),
  revision: z.number().optional().describe('The revision after the change, for `If-Match`.'),
  commandId: z.string().optional().describe('The id of the batch, for undoing the change.'),
  position,
});

/** A change of a crosswalk or relationship. */
export const DefinitionAnswer = ChangeAnswer.extend({
  attributeId: z.number().optional(),
  approvalStatus: z.enum(APPROVAL_STATUSES).optional(),
  deletionRequested: z.boolean().optional(),
  isServed: z.boolean().optional(),
  deleted: z.boolean().optional(),
});

/** The job that a request started, cancelled or started again. */
export const JobStarted = z.object({ jobId: z.number(), position });

export const SUCCESS = z.object({ success: z.literal(true) });

/** A change of many rows, with an outcome for each. */
export const BulkAnswer = z.object({
  commandId: z.string().describe('The id of the batch, for undoing it.'),
  results: z.array(RowOutcome),
  done: z.number(),
  refused: z.number(),
  id: z.number().optional().describe('The id of the new row, if the request had one row.'),
  revision: z.number().optional(),
  position,
});

/** A decision on items of any kind, or its undo. */
export const ItemsAnswer = BulkAnswer.extend({ results: z.array(UndoneOutcome) });

/** The answer if a job changes the rows. */
export const JobAnswer = DecidedAsJob.extend({ total: z.number().optional(), position });

/** The answers of a command over many rows. */
export const BULK_ANSWERS = { 200: BulkAnswer, 202: JobAnswer } as const;
export const CREATE_ROWS_ANSWERS = { 201: BulkAnswer, 200: BulkAnswer, 202: JobAnswer } as const;

export const withPosition = <Shape extends z.ZodRawShape>(shape: z.ZodObject<Shape>) => shape.extend({ position });
