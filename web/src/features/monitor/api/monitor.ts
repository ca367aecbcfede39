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
    queryKey: ['monitor', 'job', jobId],
    queryFn: () => read<JobView & { children: JobView[] }>(`/api/jobs/${jobId}`),
    refetchInterval: REFRESH_MS,
  });

/** The rows under review that the command of a job changed; null if it cannot be undone as a batch. */
export const batchQuery = (commandId: string) =>
  queryOptions({
    queryKey: ['monitor', 'batch', commandId],
    queryFn: async () => (await batchOf(commandId)) ?? null,
    // Polled while an undo is possible: other users may change its rows, and a job may undo them.
    refetchInterval: ({ state }) => (state.data?.undo.possible ? REFRESH_MS : false),
  });

export const logsQuery = (jobId: number, status: string | undefined, params: ListParams) =>
  queryOptions({
    queryKey: ['monitor', 'logs', jobId, status, params],
    queryFn: () => read<Page<JobLogView>>(`/api/jobs/${jobId}/logs`, { query: { ...params, status } }),
    placeholderData: keepPreviousData,
  });

/** Failed rows: of a file as they were in it, to correct and import again; others by name, with the attempted action. */
export const refusedRowsUrl = ({ jobId, jobType }: JobView): string =>
  jobType === 'BULK_DECISION' ? `/api/jobs/${jobId}/errors` : `/api/imports/${jobId}/errors`;

/** Progress messages contain their data; after the last one, the lists still have to load the result. */
export function showProgress(queries: QueryClient, job: JobMessage): void {
  if (job.status !== 'PENDING' && job.status !== 'IN_PROGRESS') {
    void queries.invalidateQueries({ queryKey: jobsKey });
    return;
  }
  queries.setQueriesData<Page<JobView>>({ queryKey: jobsKey }, (page) =>
    page === undefined
      ? page
      : {
          ...page,
          items: page.items.map((row) =>
            row.jobId === job.jobId
              ? { ...row, status: job.status, progress: job.progress, rate: job.rate, secondsLeft: job.secondsLeft }
              : row,
          ),
        },
  );
}
