/** The rows of the audit log and the steps of a replay, as the query API returns them. */
import { z } from 'zod';
import { ActingKey } from '../access/acting-key.ts';
import { defineView } from '../define-view.ts';
import { Dates } from '../text/fields.ts';
import { AuditEntry } from './audit.ts';

const NamedRecord = defineView(() =>
  z.object({
    id: z.number(),
    name: z.string().exactOptional().describe('Left out if the record no longer exists.'),
  }),
);

/** Maximum number of record names that one audit row lists. */
export const AUDIT_RECORD_NAMES_MAX = 100;

/** One row of GET /api/audit-logs. */
export const AuditLogView = defineView(() =>
  z.object({
    ...AuditEntry.omit({ roleChange: true }).shape,
    ...Dates.shape,
    id: z.number().describe('The same as `seq`.'),
    businessContext: z
      .object({
        dataSets: z.array(NamedRecord).exactOptional(),
        crosswalk: NamedRecord.exactOptional(),
        relationship: NamedRecord.exactOptional(),
        collection: NamedRecord.exactOptional(),
      })
      .nullable()
      .describe(
        'The data sets, crosswalk, relationship or collection of the event, with their current names; null if there are none.',
      ),
    operationMetadata: z
      .object({
        commandId: z.string().nullable(),
        jobId: z.number().nullable(),
        fileId: z.string().nullable(),
        fileName: z.string().nullable(),
        undoes: z.number().nullable().describe('The import that the job undoes.'),
      })
      .describe('The command of the event, with its job and file if there are any.'),
    approvalType: z
      .enum(['CROSSWALK', 'MAPPING', 'RELATIONSHIP', 'RELATIONSHIP_VALUE'])
      .nullable()
      .describe('The kind of the reviewed item; null for entries that are not approvals.'),
    batchId: z
      .string()
      .nullable()
      .describe(
        'The id of the submission that was made or decided; null if the rows belong to several submissions or to none.',
      ),
    recordNames: z
      .array(z.string())
      .nullable()
      .describe(
        `The texts that identified the first ${AUDIT_RECORD_NAMES_MAX} records at the time of the event: their pairs of values or keys, or the name of the definition.`,
      ),
    filterCriteria: z.unknown().describe('The filter that selected the rows; null if the request listed the rows.'),
    approvalMethod: z
      .enum(['SINGLE', 'BULK', 'JOB'])
      .nullable()
      .describe(
        'JOB: a job changed the rows. BULK: a request changed several rows. SINGLE: a request changed one row.',
      ),
    processingTime: z
      .number()
      .nullable()
      .describe('Milliseconds from the submission to its decision; null for other events.'),
    roleChange: z
      .object({ roleId: z.number(), name: z.string().nullable() })
      .nullable()
      .describe('The new role of a user, with its current name; `name` is null if the role was deleted.'),
    seq: z.number(),
    purgeId: z
      .number()
      .nullable()
      .describe(
        'The id of the purge that deleted the event. Only the number, type, user, time and hashes of a purged event are known, and `changeSummary` names the purge.',
      ),
    eventId: z.string().nullable(),
    stream: z.string().nullable(),
    streamRevision: z.number().nullable(),
    timestamp: z.string(),
    userId: z.number().nullable(),
    username: z.string().nullable(),
    ...ActingKey.shape,
    entityName: z.string().nullable(),
    requestId: z.string().nullable(),
    correlationId: z.string().nullable(),
    causationId: z.string().nullable().describe('The id of the command that caused the event.'),
    sourceType: z.string().nullable(),
    ipAddress: z.string().nullable(),
    userAgent: z.string().nullable(),
    digest: z.string(),
    chainHash: z.string(),
  }),
);
export type AuditLogView = z.infer<typeof AuditLogView>;

/** GET /api/audit-logs/replay?stream=: one step per event with the state after it. */
export const ReplayStep = defineView(() =>
  z.object({
    seq: z.number(),
    revision: z.number(),
    type: z.string(),
    occurredAt: z.string(),
    actorId: z.number().nullable(),
    ...ActingKey.shape,
    sourceType: z.string(),
    correlationId: z.string(),
    data: z.unknown(),
    state: z.unknown(),
    names: z
      .record(z.string(), z.string())
      .describe(
        'The names of the entities that the data and the state contain by id, such as `dataSet:5` and `field:2`. Names that an earlier step of the response has are left out, except for fields that have a new name since this step.',
      ),
  }),
);
export type ReplayStep = z.infer<typeof ReplayStep>;
