/** Downloads of refused rows: the keys and reasons for any job, and the complete rows for an import. */
import { type JobLogView, Refusal } from '@rdm/contracts';
import { idParam, type Route, route } from '@rdm/platform';
import type { Viewer } from '../access/viewer.ts';
import { csv, download, filesOf } from '../http/download.ts';
import type { QueryContext } from '../query-context.ts';
import { sql } from '../read-models/sql.ts';
import { findReadableJob, isLogOfJob } from './job-list.ts';
import {
  canFitWorkbook,
  readRejectedRows,
  readRejectedTable,
  rejectedRowsFormat,
  rejectedWorkbookFormats,
} from './rejected-rows.ts';

/** The columns that identify a row in a file of mappings or relationship values. */
const KEYS = ['sourceKey', 'targetKey', 'sourceValue', 'targetValue'];

/** Orders the columns of a file without a stored header: identifying columns first, then all others by name. */
const keysFirst = (names: readonly string[]): string[] => [
  ...KEYS.filter((name) => names.includes(name)),
  ...names.filter((name) => !KEYS.includes(name)).sort(),
];

/** The route for the refused rows of any job, with key, tried value, code and reason. */
export const refusedRowsRoute = (context: QueryContext): Route =>
  route(
    'get',
    '/api/jobs/:jobId/errors',
    { level: 'READ' },
    { summary: 'Download the refused rows of a job', hasPast: false, answers: filesOf('text/csv') },
    async (request) => {
      const id = idParam(request, 'jobId');
      await findReadableJob(context.readModels, request as never, id);
      type RefusedRow = Pick<JobLogView, 'recordIndex' | 'recordKey' | 'tried' | 'errorType' | 'errorMessage'>;
      const format = csv<RefusedRow>(['row', 'key', 'tried', 'code', 'reason'], (line) => [
        line.recordIndex,
        line.recordKey,
        line.tried,
        line.errorType,
        line.errorMessage,
      ]);
      // Only in a bulk decision, the "id" in the data is the id of the row. In an import, it is a column of the file.
      const batches = context.readModels.stream<RefusedRow>(
        request as never,
        (tables) => sql`SELECT coalesce(l.record_index, CASE WHEN j.job_type = 'BULK_DECISION'
          THEN (l.record_data ->> 'id')::bigint END) AS "recordIndex", l.record_key AS "recordKey", l.tried,
          l.error_type AS "errorType", l.error_message AS "errorMessage"
        FROM jobs.logs l JOIN ${tables('import_jobs')} j ON j.job_id = ${id}
        WHERE ${isLogOfJob(id)} AND l.status = 'ERROR' AND l.record_data IS NOT NULL ORDER BY l.record_index, l.id`,
      );
      const recheck = (viewer: Viewer) => findReadableJob(context.readModels, request as never, id, viewer);
      return download(context, request, { name: `refused-rows-of-job-${id}`, format, recheck }, batches);
    },
  );

/**
 * The route for the rejected rows of an import, with a column of reasons, so that users can correct and import the rows
 * again. The download has the format of the imported file. It is CSV if this format is not stored, or if the rows do
 * not fit into a workbook.
 */
export const rejectedRowsRoute = (context: QueryContext): Route =>
  route(
    'get',
    '/api/imports/:id/errors',
    { level: 'READ' },
    {
      summary: 'Download the rejected rows of an import',
      hasPast: false,
      answers: filesOf(
        'text/csv',
        'text/tab-separated-values',
        'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      ),
      errors: ['CONFLICT'],
    },
    async (request) => {
      const id = idParam(request);
      const { job } = await findReadableJob(context.readModels, request as never, id);
      if (job.status === 'PENDING' || job.status === 'IN_PROGRESS') {
        throw new Refusal('CONFLICT', 'This job has not ended: download the rejected rows after its end');
      }
      const recheck = (viewer: Viewer) => findReadableJob(context.readModels, request as never, id, viewer);
      const name = `rejected-rows-of-job-${id}`;
      const table = await readRejectedTable(context.readModels, request, id);
      if (table?.isWorkbook) {
        const formats = rejectedWorkbookFormats(table);
        const fits = await canFitWorkbook(context.readModels, request, id, formats.columns);
        const format = fits ? formats.workbook : formats.table;
        return download(
          context,
          request,
          { name, format, bom: true, recheck },
          readRejectedRows(context.readModels, request, id),
        );
      }
      if (table) {
        const batches = readRejectedRows(context.readModels, request, id);
        return download(context, request, { name, format: rejectedRowsFormat(table), recheck }, batches);
      }
      // For the imports without a stored format, see `readRejectedTable`.
      const rejected = sql`SELECT l.record_index, (array_agg(l.record_data ORDER BY l.id))[1] AS data,
      string_agg(l.error_message, '; ' ORDER BY l.id) AS reason
    FROM jobs.logs l WHERE ${isLogOfJob(id)} AND l.status = 'ERROR' AND l.record_index IS NOT NULL GROUP BY l.record_index`;
      const names = await context.readModels.read<{ columns: string[] | null; usedNames: string[] }>(
        request,
        (tables) => sql`SELECT f.view -> 'columns' AS columns,
        ARRAY(SELECT DISTINCT jsonb_object_keys(r.data) FROM (${rejected}) r WHERE jsonb_typeof(r.data) = 'object') AS "usedNames"
      FROM ${tables('import_jobs')} j LEFT JOIN command.staged_files f ON f.id::text = j.file_id::text WHERE j.job_id = ${id}`,
      );
      const { columns: header, usedNames } = names.one();
      const columns = header ?? keysFirst(usedNames);
      type Rejected = { data: Record<string, string> | null; reason: string };
      const format = csv<Rejected>([...columns, 'reason'], ({ data, reason }) => [
        ...columns.map((name) => data?.[name]),
        reason,
      ]);
      const batches = context.readModels.stream<Rejected>(
        request,
        () => sql`SELECT r.data, r.reason FROM (${rejected}) r ORDER BY r.record_index`,
      );
      return download(context, request, { name, format, recheck }, batches);
    },
  );
