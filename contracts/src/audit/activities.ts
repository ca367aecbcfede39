/** Activities of the audit log: each describes the events of one command, job or run of a purge in one sentence. */
import { z } from 'zod';
import { ActingKey } from '../access/acting-key.ts';
import { ImportCounts, JOB_STATUSES, JOB_TYPES } from '../jobs/jobs.ts';
import { pageOf } from '../lists/filter.ts';

/** The maximum number of stored facts of an activity. The events and rows of further facts are only counted. */
export const ACTIVITY_FACTS_MAX = 20;
/** The page size of the rows of an activity. */
export const ACTIVITY_ROWS_PAGE = 50;

const Names = z.record(z.string(), z.string());

/** The effect of an activity on one entity, or on the rows of one entity. */
export const ActivityFact = z.object({
  /** The type of the events. */
  action: z.string(),
  entityType: z.string(),
  entityId: z.number().nullable(),
  entityName: z.string().nullable(),
  /** The number of rows; 0 for the entity itself. */
  rows: z.number(),
  /** Further content of the event, such as names, grants and members. It contains no personal data. */
  data: z.record(z.string(), z.unknown()),
});
export type ActivityFact = z.infer<typeof ActivityFact>;

export const FieldChange = z.object({
  field: z.string(),
  before: z.unknown(),
  after: z.unknown(),
});
export type FieldChange = z.infer<typeof FieldChange>;

/** One row that an activity changed, with its values before and after. */
export const ActivityRow = z.object({
  /** The entity type in the audit log, such as `instances` for a row of a data set. */
  entityType: z.string(),
  entityId: z.number(),
  entityName: z.string().nullable(),
  id: z.number(),
  key: z.string(),
  label: z.string().nullable(),
  status: z.object({ before: z.string().nullable(), after: z.string().nullable() }).nullable(),
  changes: z.array(FieldChange),
});
export type ActivityRow = z.infer<typeof ActivityRow>;

export const ActivityJob = z.object({
  id: z.number(),
  type: z.enum(JOB_TYPES),
  status: z.enum(JOB_STATUSES),
  counts: ImportCounts.nullable(),
  reason: z.string().nullable(),
});
export type ActivityJob = z.infer<typeof ActivityJob>;

/** The job with the file name, which is not in the events. */
const ShownJob = ActivityJob.extend({
  fileName: z
    .string()
    .nullable()
    .describe('The name of the imported file; null for other jobs, and once the file is deleted.'),
});

const Effects = z.object({
  facts: z.array(ActivityFact),
  job: ShownJob.nullable(),
  /** The number of rows that the activity changed. */
  rows: z.number(),
});

/** One row of GET /api/audit-logs/activities. */
export const AuditActivity = Effects.extend({
  /** The seq of the first event of the activity. */
  id: z.number(),
  /** The id of the command that caused the events, requested the job, or was the first step of the purge. */
  commandId: z.string(),
  timestamp: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  userId: z.number().nullable(),
  username: z.string().nullable(),
  ...ActingKey.shape,
  sourceType: z.string(),
  correlationId: z.string(),
  jobId: z.number().nullable(),
  verb: z.string(),
  subjectType: z.string(),
  subjectId: z.number().nullable(),
  subjectName: z.string().nullable(),
  dataSetIds: z.array(z.number()),
  events: z.number(),
  created: z.number(),
  changed: z.number(),
  removed: z.number(),
  decided: z.number(),
  statusBefore: z.string().nullable(),
  statusAfter: z.string().nullable(),
  comment: z.string().nullable(),
  /** The names of users, groups, roles and data sets in the facts, by id. */
  names: z.object({ users: Names, groups: Names, roles: Names, dataSets: Names }),
  /** The row, if the activity changed exactly one. */
  row: ActivityRow.nullable(),
  /** The activity that this activity undid. */
  undoes: Effects.extend({ id: z.number() }).nullable(),
  /** The sentence that describes the activity. */
  line: z.string(),
});
export type AuditActivity = z.infer<typeof AuditActivity>;

/** GET /api/audit-logs/activities. */
export const ActivitiesPage = pageOf(AuditActivity).extend({
  complete: z
    .boolean()
    .describe('False if more activities may match, because the search ran out of time or found too many rows.'),
});
export type ActivitiesPage = z.infer<typeof ActivitiesPage>;

/** An activity without its sentence. */
export type UndescribedActivity = Omit<AuditActivity, 'line'>;

/** GET /api/audit-logs/activities/{id}/rows. */
export const ActivityRowsPage = z.object({
  items: z.array(ActivityRow),
  page: z.number(),
  pageSize: z.number(),
  total: z.number(),
  position: z.string(),
});
export type ActivityRowsPage = z.infer<typeof ActivityRowsPage>;
