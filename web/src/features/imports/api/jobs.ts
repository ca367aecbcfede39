/** Import jobs on the wire: how far one is, which rows failed, and the commands that stop it or try again. */

import type { JobLogView, JobStatus, JobView } from '@rdm/contracts/jobs/jobs';
import type { Page } from '@rdm/contracts/lists/filter';
import type { JobMessage } from '@rdm/contracts/live/live';
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import { read, urlOf, write } from '../../../lib/api/index.ts';
import type { ListParams } from '../../../lib/url-state/list-state.ts';

/** While a job runs it is asked for now and then, should its messages be lost. */
const REFRESH_MS = 3_000;
/** Nothing is sent while rows are published, which takes a moment. */
const PUBLISHING_REFRESH_MS = 300;

export type Job = JobView & { children: JobView[] };

export const isRunning = (status: JobStatus): boolean => status === 'PENDING' || status === 'IN_PROGRESS';

export const jobKey = (jobId: number) => ['imports', 'job', jobId] as const;

export const jobQuery = (jobId: number) =>
  queryOptions({
    queryKey: jobKey(jobId),
    queryFn: () => read<Job>(`/api/jobs/${jobId}`),
    refetchInterval: ({ state: { data } }) => {
      if (data?.publishing) return PUBLISHING_REFRESH_MS;
      return data === undefined || isRunning(data.status) ? REFRESH_MS : false;
    },
  });

/** Progress arrives with its data; exact counts and the end are read from the job itself. */
export function showProgress(queries: QueryClient, message: JobMessage): void {
  queries.setQueryData<Job>(jobKey(message.jobId), (job) =>
    job === undefined || !isRunning(job.status) || !isRunning(message.status)
      ? job
      : {
          ...job,
          status: message.status,
          progress: message.progress,
          rate: message.rate,
          secondsLeft: message.secondsLeft,
          counts: { ...job.counts, failed: Math.max(job.counts.failed, message.failed) },
        },
  );
}

export const failedRowsQuery = (jobId: number, params: ListParams) =>
  queryOptions({
    queryKey: ['imports', 'failed-rows', jobId, params],
    queryFn: () => read<Page<JobLogView>>(`/api/jobs/${jobId}/logs`, { query: { ...params, status: 'ERROR' } }),
    placeholderData: keepPreviousData,
  });

const RECENT = 5;

/** The last imports into a data set. */
export const recentJobsQuery = (dataSetId: number) =>
  queryOptions({
    queryKey: ['imports', 'recent', dataSetId],
    queryFn: async () => {
      const filter = {
        logic: 'AND',
        conditions: [{ field: 'dataSetId', operator: 'equals', value: dataSetId }],
      };
      const page = await read<Page<JobView>>('/api/jobs', {
        query: { filter: JSON.stringify(filter), pageSize: RECENT, sort: 'jobId', order: 'DESC' },
      });
      return page.items;
    },
  });

/** The rejected rows as they were in the file, with a column that says why. */
export const errorFileUrl = (jobId: number): string => `/api/imports/${jobId}/errors`;

/** The rows that a job wrote, as the page of its data set lists them. */
export const rowsOfJobUrl = ({ dataSetId, jobId }: Pick<JobView, 'dataSetId' | 'jobId'>): string =>
  urlOf(`/reference-data/${dataSetId}`, {
    filter: JSON.stringify({ logic: 'AND', conditions: [{ field: 'jobId', operator: 'equals', value: jobId }] }),
  });

export const cancelJob = (jobId: number) => write('POST', `/api/jobs/${jobId}/cancel`);
export const retryJob = (jobId: number) => write('POST', `/api/jobs/${jobId}/retry`);
