/** The lists of jobs and of their log lines, and the query for a single job. */
import { JOB_FIELDS, JOB_LOG_FIELDS, type JobLogView, type JobView, noCounts, SHOWN_CHARACTERS } from '@rdm/contracts';
import type { ApiRequest } from '@rdm/platform';
import { type Viewer, viewerOf } from '../access/viewer.ts';
import { PHASE_ROWS, progressOf, readableJobs } from '../entities/jobs.ts';
import { fieldMap, type ListDefinition } from '../list/list-definition.ts';
import { isOfPast, type ReadModels, type ReadRequest, type Tables } from '../read-models/read-models.ts';
import { identifier, join, rawSql, type Sql, sql } from '../read-models/sql.ts';

export type JobRow = Omit<JobView, 'progress' | 'secondsLeft' | 'publishing'> & {
  processed: number | null;
  total: number | null;
  isPublishing: boolean;
  published: number | null;
};

/** Condition: the job has ended according to the telemetry, but not yet in the read models. */
const isPublishing = sql`(j.status IN ('PENDING', 'IN_PROGRESS') AND p.status NOT IN ('PENDING', 'IN_PROGRESS'))`;

/**
 * The number of imported rows that the read models already contain, counted in the audit log. Null unless the job is an
 * import into a data set and `isPublishing` is true.
 */
const published = (
  tables: Tables,
): Sql => sql`CASE WHEN ${isPublishing} AND j.command_id IS NULL AND j.undone_job_id IS NULL THEN (
  SELECT coalesce(sum(a.affected_record_count), 0) FROM ${tables('audit_logs')} r JOIN ${tables('audit_logs')} a
      ON a.correlation_id = r.correlation_id AND a.seq > r.seq AND a.entity_type = 'instances' AND a.entity_id = j.data_set_id
   WHERE r.entity_type = 'importJob' AND r.entity_id = j.job_id AND r.type = 'ImportRequested') END`;

/** The final counts of a job. A running job, or a failed job without final counts, has the counts of the telemetry. */
const counts = sql`coalesce(j.counts, p.counts)`;

/** Whether an import was undone, is being undone, or can be undone by the viewer. Null for all other jobs. */
const undo = (tables: Tables, viewer: Viewer): Sql => sql`CASE
  WHEN j.undone_by IS NOT NULL THEN json_build_object('state', 'done', 'jobId', j.undone_by, 'at', j.undone_at)
  WHEN j.mode IS NULL OR j.status IN ('PENDING', 'IN_PROGRESS') THEN NULL
  WHEN j.status = 'FAILED' AND j.all_or_nothing THEN NULL
  WHEN (SELECT sum(rows::bigint) FROM jsonb_each_text(${counts}) c(name, rows)
         WHERE name IN ('created', 'changed', 'removed')) = 0 THEN NULL
  ELSE coalesce(
    (SELECT json_build_object('state', 'running', 'jobId', u.job_id, 'at', u.requested_at)
       FROM ${tables('import_jobs')} u
      WHERE u.undone_job_id = j.job_id AND u.status IN ('PENDING', 'IN_PROGRESS') ORDER BY u.job_id LIMIT 1),
    CASE WHEN ${viewer.hasLevelOnAll(tables, [sql`j.data_set_id`], 'WRITE')}
        AND EXISTS (SELECT FROM ${tables('reference_data_sets')} target WHERE target.id = j.data_set_id)
      THEN json_build_object('state', 'possible', 'jobId', NULL, 'at', NULL) END) END`;

/** Columns of a job: progress comes from telemetry, results come from the stream of the job. */
const columns = {
  id: sql`j.job_id`,
  jobId: sql`j.job_id`,
  parentJobId: sql`NULL::bigint`,
  jobType: sql`j.job_type`,
  jobLevel: sql`CASE WHEN EXISTS (SELECT FROM jobs.progress c WHERE c.parent_job_id = j.job_id) THEN 'PARENT' ELSE 'STANDALONE' END`,
  // Telemetry can be ahead of the stream: a job is complete only when its stream has the result.
  workflowPhase: sql`CASE WHEN j.status = 'DONE' THEN 'COMPLETE'
    WHEN j.status IN ('PENDING', 'IN_PROGRESS') AND p.phase = 'COMPLETE' THEN 'IMPORT' ELSE coalesce(p.phase, 'VALIDATION') END`,
  status: sql`CASE WHEN j.status = 'PENDING' AND p.status <> 'PENDING' THEN 'IN_PROGRESS' ELSE j.status END`,
  description: sql`j.description`,
  commandId: sql`j.command_id`,
  dataSetId: sql`j.data_set_id`,
  dataSetName: sql`coalesce(d.name, '')`,
  userId: sql`j.started_by`,
  phaseRows: sql`CASE WHEN j.status IN ('PENDING', 'IN_PROGRESS') THEN
    CASE WHEN j.total IS NULL THEN ${rawSql(PHASE_ROWS)} ELSE json_build_object('processed', j.processed, 'total', j.total) END END`,
  processed: sql`coalesce(p.processed, j.processed)`,
  total: sql`coalesce(p.total, j.total)`,
  rate: sql`CASE WHEN j.status IN ('PENDING', 'IN_PROGRESS') THEN p.rate END`,
  counts,
  startTime: sql`coalesce(j.started_at, p.started_at)`,
  endTime: sql`j.ended_at`,
  errorMessage: sql`j.reason`,
  // This address also returns the log lines of the child jobs.
  logsUrl: sql`concat('/api/jobs/', j.job_id, '/logs')`,
  metadata: sql`json_build_object('mode', j.mode, 'columns', j.columns, 'fileId', j.file_id, 'allOrNothing', j.all_or_nothing,
    'commandId', j.command_id, 'undoes', j.undone_job_id,
    'questions', (SELECT i.ending -> 'questions' FROM command.imports i WHERE i.job_id = j.job_id))`,
  createdAt: sql`j.requested_at`,
  updatedAt: sql`greatest(j.requested_at, j.started_at, j.ended_at, p.updated_at)`,
  isPublishing,
  undo: sql`NULL::json`,
} satisfies Record<string, Sql>;

const columnsOf = (tables: Tables, viewer: Viewer): Record<string, Sql> => ({
  ...columns,
  published: published(tables),
  undo: undo(tables, viewer),
});

/**
 * Returns the user whose dry runs of import drafts are listed as jobs. Null for API keys, and for reads of the past,
 * because drafts have no history.
 */
export const dryRunOwner = (request: ReadRequest & Pick<ApiRequest, 'principal'>): number | null =>
  request.principal.apiKey !== undefined || isOfPast(request) ? null : request.principal.userId;

/** Selects the last dry run of each draft of the user, with the columns of a job, until the import is started. */
const dryRuns = (ownerId: number | null): Sql => sql`SELECT d.check_job_id, 'VALIDATION', NULL::bigint, '{}'::bigint[],
    concat('Check of ', f.file_name), d.check_status, d.owner_id, NULL, NULL::jsonb, d.id, NULL::uuid, NULL::boolean,
    NULL::bigint, NULL::bigint, NULL::timestamptz,
    json_build_object('total', r.total, 'created', r.counts -> 'new', 'changed', r.counts -> 'changed',
      'unchanged', r.counts -> 'unchanged', 'failed', r.counts -> 'invalid', 'skipped', r.counts -> 'skipped')::jsonb,
    r.reason, d.check_requested_at, d.check_requested_at, d.check_ended_at, r.processed, r.total
  FROM command.import_drafts d JOIN command.staged_files f ON f.id = d.id,
       jsonb_to_record(d.check_result) AS r(processed bigint, total bigint, counts jsonb, reason text)
 WHERE d.owner_id = ${ownerId}::bigint AND d.job_id IS NULL AND d.check_status IS NOT NULL`;

/** The jobs of the read model, and the dry runs of the user's drafts, which have no events. */
const from = (tables: Tables, ownerId: number | null): Sql => sql`(
    SELECT job_id, job_type, data_set_id, data_set_ids, description, status, started_by, mode, columns, file_id, command_id,
           all_or_nothing, undone_job_id, undone_by, undone_at, counts, reason, requested_at, started_at, ended_at,
           NULL::bigint AS processed, NULL::bigint AS total
      FROM ${tables('import_jobs')} UNION ALL ${dryRuns(ownerId)}) j
  LEFT JOIN jobs.progress p ON p.job_id = j.job_id
  LEFT JOIN ${tables('reference_data_sets')} d ON d.id = j.data_set_id`;

const startedBy = sql`(SELECT u.username FROM identity.users u WHERE u.id = j.started_by)`;

export const jobList = (tables: Tables, viewer: Viewer, ownerId: number | null): ListDefinition => ({
  from: from(tables, ownerId),
  where: readableJobs(tables, viewer),
  columns: columnsOf(tables, viewer),
  alwaysSelected: Object.keys(columnsOf(tables, viewer)),
  fields: fieldMap(JOB_FIELDS, columns, { dataSetName: sql`d.name`, startedBy }),
  search: [sql`j.description`, sql`d.name`],
  id: sql`j.job_id`,
  defaultSort: { sql: sql`j.job_id`, order: 'DESC' },
});

/** Adds the progress in per cent, the remaining seconds, and the number of rows that the read models contain. */
export function toJobView({ isPublishing: isBeingPublished, published: rows, ...row }: JobRow): JobView {
  const { processed, total, ...rest } = row;
  const counts = row.counts ?? noCounts();
  const writtenRows = counts.created + counts.changed;
  return {
    ...rest,
    counts,
    progress: progressOf(row),
    publishing: isBeingPublished ? { rows: rows === null ? null : Math.min(rows, writtenRows), of: writtenRows } : null,
    secondsLeft: row.rate && processed !== null && total ? Math.ceil(Math.max(0, total - processed) / row.rate) : null,
  };
}

export const viewWithChildren = ({ children, ...row }: JobRow & { children: JobRow[] }) => ({
  ...toJobView(row),
  children: children.map(toJobView),
});

const selectColumns = (sqlByName: Record<string, Sql>): Sql =>
  join(
    Object.entries(sqlByName).map(([name, column]) => sql`${column} AS ${identifier(name)}`),
    ', ',
  );

/** A child job is a phase of its parent. Only the telemetry contains child jobs. */
const childColumns: Record<string, Sql> = {
  ...columns,
  isPublishing: sql`false`,
  published: sql`NULL::bigint`,
  id: sql`c.job_id`,
  jobId: sql`c.job_id`,
  parentJobId: sql`c.parent_job_id`,
  jobType: sql`CASE WHEN c.phase = 'VALIDATION' THEN 'VALIDATION'
    WHEN j.job_type = 'REFERENCE_DATA_IMPORT' THEN 'DATASET_INSTANCES_IMPORT' ELSE j.job_type END`,
  jobLevel: sql`'CHILD'`,
  workflowPhase: sql`c.phase`,
  status: sql`c.status`,
  phaseRows: sql`CASE WHEN c.status IN ('PENDING', 'IN_PROGRESS')
    THEN json_build_object('processed', c.processed, 'total', c.total) END`,
  processed: sql`c.processed`,
  total: sql`c.total`,
  rate: sql`CASE WHEN c.status = 'IN_PROGRESS' THEN c.rate END`,
  counts: sql`c.counts`,
  startTime: sql`c.started_at`,
  endTime: sql`c.ended_at`,
  errorMessage: sql`CASE WHEN c.status = 'FAILED' THEN j.reason END`,
  updatedAt: sql`c.updated_at`,
};

export async function findReadableJob(
  readModels: ReadModels,
  request: ApiRequest<never, ReadRequest['query']>,
  id: number,
  viewer = viewerOf(request),
) {
  const found = await readModels.read<JobRow & { children: JobRow[] }>(
    request,
    (tables) => sql`SELECT ${selectColumns(columnsOf(tables, viewer))},
        (SELECT coalesce(json_agg(child ORDER BY child."jobId"), '[]')
           FROM (SELECT ${selectColumns(childColumns)} FROM jobs.progress c WHERE c.parent_job_id = j.job_id) child) AS children
      FROM ${from(tables, dryRunOwner(request))} WHERE ${readableJobs(tables, viewer)} AND j.job_id = ${id}`,
    { isFrequent: true },
  );
  return { found, job: found.one() };
}

/** Condition: the log line belongs to the job or one of its children. */
export const isLogOfJob = (id: number): Sql =>
  sql`l.job_id IN (SELECT ${id}::bigint UNION SELECT c.job_id FROM jobs.progress c WHERE c.parent_job_id = ${id})`;

/**
 * The error message of a log line. If an undo skipped a row because of a later change, the message names the user who
 * changed the row. Filters and the search ignore this name.
 */
const errorMessageWithName = sql`l.error_message || coalesce((SELECT ', by ' || coalesce(u.display_name, u.username)
  FROM identity.users u WHERE u.id = CASE WHEN l.status = 'SKIPPED' AND l.error_type = 'STALE'
    THEN (l.record_data ->> 'changedBy')::bigint END), '')`;

export const logList = (id: number, status: string | undefined): ListDefinition => {
  const logColumns = {
    id: sql`l.id`,
    jobId: sql`l.job_id`,
    timestamp: sql`l.timestamp`,
    level: sql`l.level`,
    message: sql`l.message`,
    recordIndex: sql`l.record_index`,
    recordKey: sql`l.record_key`,
    tried: sql`l.tried`,
    recordData: sql`(SELECT jsonb_object_agg(d.key, CASE WHEN length(d.value) > ${SHOWN_CHARACTERS}
      THEN left(d.value, ${SHOWN_CHARACTERS}) || '…' ELSE d.value END) FROM jsonb_each_text(l.record_data) d)`,
    status: sql`l.status`,
    errorType: sql`l.error_type`,
    errorMessage: sql`l.error_message`,
    errorDetails: sql`l.error_details`,
    metadata: sql`CASE WHEN l.record_data IS NOT NULL THEN json_build_object('recordKey', l.record_key, 'tried', l.tried) END`,
    createdAt: sql`l.timestamp`,
    updatedAt: sql`l.timestamp`,
  } satisfies Record<keyof JobLogView, Sql>;
  return {
    from: sql`jobs.logs l`,
    where: status === undefined ? isLogOfJob(id) : sql`${isLogOfJob(id)} AND l.status = ${status}`,
    columns: { ...logColumns, errorMessage: errorMessageWithName },
    alwaysSelected: ['id'],
    fields: fieldMap(JOB_LOG_FIELDS, logColumns, {}),
    search: [logColumns.message, logColumns.errorMessage, logColumns.recordKey, sql`l.record_data::text`],
    id: sql`l.id`,
    defaultSort: { sql: sql`l.id`, order: 'ASC' },
  };
};
