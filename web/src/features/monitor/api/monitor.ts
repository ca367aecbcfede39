/** Queries for the monitor: the state of the system, and the jobs that the user can see. */

import type { MonitorView, ProjectionState } from '@rdm/contracts/admin/monitor';
import type { JobLogView, JobView } from '@rdm/contracts/jobs/jobs';
import type { Page } from '@rdm/contracts/lists/filter';
import type { JobMessage } from '@rdm/contracts/live/live';
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import { batchOf } from '../../../components/review/batch-undo.tsx';
import { read } from '../../../lib/api/index.ts';
import type { ListParams } from '../../../lib/url-state/list-state.ts';

const REFRESH_MS = 5_000;
export const jobsKey = ['monitor', 'jobs'] as const;

const jobKey = (jobId: number) => ['monitor', 'job', jobId] as const;

export const monitorQuery = queryOptions({
  queryKey: ['monitor', 'state'],
  queryFn: () => read<MonitorView>('/api/monitor'),
  refetchInterval: REFRESH_MS,
});

export const projectionsQuery = (params: ListParams) =>
  queryOptions({
    queryKey: ['monitor', 'projections', params],
    queryFn: () => read<Page<ProjectionState>>('/api/monitor/projections', { query: params }),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });

export const jobsQuery = (params: ListParams) =>
  queryOptions({
    queryKey: [...jobsKey, params],
    queryFn: () => read<Page<JobView>>('/api/jobs', { query: params }),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });

export const jobQuery = (jobId: number) =>
  queryOptions({
    queryKey: jobKey(jobId),
    queryFn: () => read<JobView & { children: JobView[] }>(`/api/jobs/${jobId}`),
    refetchInterval: REFRESH_MS,
  });

/** The batch of a job: the rows under review that the job changed; null if the user can read none of them. */
export const batchQuery = (commandId: string) =>
  queryOptions({
    queryKey: ['monitor', 'batch', commandId],
    queryFn: async () => (await batchOf(commandId)) ?? null,
    // Polls while an undo is possible: another user's change, or an undo by a job, can make the undo impossible.
    refetchInterval: ({ state }) => (state.data?.undo.possible ? REFRESH_MS : false),
  });

export const logsQuery = (jobId: number, status: string | undefined, params: ListParams) =>
  queryOptions({
    queryKey: ['monitor', 'logs', jobId, status, params],
    queryFn: () => read<Page<JobLogView>>(`/api/jobs/${jobId}/logs`, { query: { ...params, status } }),
    placeholderData: keepPreviousData,
  });

/**
 * The URL of the failed rows. After an import, the rows have the format of the uploaded file, for another import. After
 * a bulk decision, the file lists the names of the rows with the attempted action.
 */
export const failedRowsUrl = ({ jobId, jobType }: JobView): string =>
  jobType === 'BULK_DECISION' ? `/api/jobs/${jobId}/errors` : `/api/imports/${jobId}/errors`;

/** The live rooms of waiting and running jobs, without dry runs, which send no messages. */
export const roomsOf = (jobs: readonly JobView[]): `job:${number}`[] =>
  jobs
    .filter(({ status, jobType }) => jobType !== 'VALIDATION' && (status === 'IN_PROGRESS' || status === 'PENDING'))
    .map(({ jobId }) => `job:${jobId}` as const);

/** Applies the progress of a job to the cached jobs, and refetches the jobs after its end. */
export function showProgress(queries: QueryClient, message: JobMessage): void {
  const { jobId, status, progress, rate, secondsLeft, workflowPhase, phaseRows } = message;
  if (status !== 'PENDING' && status !== 'IN_PROGRESS') {
    void queries.invalidateQueries({ queryKey: jobsKey });
    void queries.invalidateQueries({ queryKey: jobKey(jobId) });
    return;
  }
  const change = { status, progress, rate, secondsLeft, workflowPhase, phaseRows };
  queries.setQueriesData<Page<JobView>>(
    { queryKey: jobsKey },
    (page) => page && { ...page, items: page.items.map((row) => (row.jobId === jobId ? { ...row, ...change } : row)) },
  );
  queries.setQueryData<JobView & { children: JobView[] }>(jobKey(jobId), (job) => job && { ...job, ...change });
}
