/** Routes of jobs (imports, bulk decisions and others): state, progress and logs; and routes of staged files. */
import {
  ImportDraft,
  JobLogView,
  JobView,
  ListQuery,
  pageOf,
  Refusal,
  ROW_STATUSES,
  StagedFileView,
  StagedRowsView,
  WORDS,
} from '@rdm/contracts';
import { draftView, idParam, type Route, route } from '@rdm/platform';
import { z } from 'zod';
import { type Viewer, viewerOf } from '../access/viewer.ts';
import { sendStates } from '../http/server-sent-events.ts';
import { listJson, listRows } from '../list/list.ts';
import type { QueryContext } from '../query-context.ts';
import { answer } from '../read-models/read-models.ts';
import { sql } from '../read-models/sql.ts';
import { findOwnDraft } from './drafts.ts';
import { refusedRowsRoute, rejectedRowsRoute } from './job-downloads.ts';
import { dryRunOwner, findReadableJob, jobList, logList, toJobView, viewWithChildren } from './job-list.ts';

const LogQuery = ListQuery.extend({
  status: z.enum(ROW_STATUSES).optional().describe('Only the entries with this status.'),
});

export const jobRoutes = (context: QueryContext): Route[] => {
  const { readModels } = context;
  return [
    route(
      'get',
      '/api/jobs',
      { level: 'READ' },
      { summary: 'List the jobs', hasPast: false, answers: { 200: pageOf(JobView) }, query: ListQuery },
      (request) => {
        const viewer = viewerOf(request);
        return listRows(readModels, request, (tables) => jobList(tables, viewer, dryRunOwner(request)), toJobView);
      },
    ),

    route(
      'get',
      '/api/jobs/:jobId',
      { level: 'READ' },
      {
        summary: 'Read a job',
        hasPast: false,
        errors: ['PURGED'],
        answers: { 200: JobView.extend({ children: z.array(JobView) }) },
      },
      async (request) => {
        const { found, job } = await findReadableJob(readModels, request as never, idParam(request, 'jobId'));
        return answer(found, viewWithChildren(job));
      },
    ),

    route(
      'get',
      '/api/jobs/:jobId/events',
      { level: 'READ' },
      {
        summary: 'Follow a job as server-sent events until it ends',
        hasPast: false,
        answers: { 200: ['text/event-stream'] },
      },
      async (request) => {
        const id = idParam(request, 'jobId');
        const read = async (viewer?: Viewer) =>
          viewWithChildren((await findReadableJob(readModels, request as never, id, viewer)).job);
        await sendStates(context, request, await read(), read, ({ endTime }) => endTime !== null);
        return 'sent';
      },
    ),

    route(
      'get',
      '/api/jobs/:jobId/logs',
      { level: 'READ' },
      { summary: 'List the log of a job', hasPast: false, answers: { 200: pageOf(JobLogView) }, query: LogQuery },
      async (request) => {
        const id = idParam(request, 'jobId');
        await findReadableJob(readModels, request as never, id);
        return listJson(readModels, request, () => logList(id, request.query.status));
      },
    ),

    refusedRowsRoute(context),

    // Only the uploader can read a staged file or a draft, so the route requires no level.
    route(
      'get',
      '/api/imports/:id',
      { signedIn: true },
      {
        summary: 'Read a staged file or a draft',
        hasPast: false,
        example: { from: { id: { operation: 'POST /api/imports', property: 'id' } } },
        answers: { 200: z.union([StagedFileView, StagedRowsView, ImportDraft]) },
      },
      async (request) => {
        const { params, principal } = request;
        const id = params['id'] ?? '';
        const draft = await findOwnDraft(context, request);
        if (draft) return { body: draftView(draft) };
        const found = await readModels.read<{ view: StagedFileView }>(
          {},
          () => sql`SELECT view FROM command.staged_files
        WHERE id = ${id}::uuid AND owner_id = ${principal.userId} AND complete`,
        );
        const [staged] = found.rows;
        if (!staged) throw new Refusal('NOT_FOUND', WORDS.uploadGone);
        return answer(found, staged.view);
      },
    ),

    rejectedRowsRoute(context),
  ];
};
