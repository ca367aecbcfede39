/** Queries and commands for import jobs: progress, failed rows, recent imports, cancelling and retrying. */

import type { JobLogView, JobStatus, JobType, JobView } from '@rdm/contracts/jobs/jobs';
import type { Page } from '@rdm/contracts/lists/filter';
import type { JobMessage } from '@rdm/contracts/live/live';
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import { read, urlOf, write } from '../../../lib/api/index.ts';
import type { ListParams } from '../../../lib/url-state/list-state.ts';

/** A running job is also polled, in case live messages are lost. */
const REFRESH_MS = 3_000;
/** While rows are published, the job is polled faster, because publishing sends no messages and takes only a moment. */
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
      return data === undefined || isRunning(data.status) || data.undo?.state === 'running' ? REFRESH_MS : false;
    },
  });

/**
 * Applies the progress in a live message to the cached job. Exact counts and the end of the job are read from the
 * server.
 */
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
          workflowPhase: message.workflowPhase,
          phaseRows: message.phaseRows,
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

const RECENT_JOBS = 5;

const IMPORTS_OF_ROWS: JobType[] = ['REFERENCE_DATA_IMPORT', 'DATASET_INSTANCES_IMPORT'];

/** The most recent imports of rows into a data set, and their undos. */
export const recentJobsQuery = (dataSetId: number) =>
  queryOptions({
    queryKey: ['imports', 'recent', dataSetId],
    queryFn: async () => {
      const filter = {
        logic: 'AND',
        conditions: [
          { field: 'dataSetId', operator: 'equals', value: dataSetId },
          { field: 'jobType', operator: 'in', value: IMPORTS_OF_ROWS },
        ],
      };
      const page = await read<Page<JobView>>('/api/jobs', {
        query: { filter: JSON.stringify(filter), pageSize: RECENT_JOBS, sort: 'jobId', order: 'DESC' },
      });
      return page.items;
    },
  });

/** The URL of the error file: the failed rows of the uploaded file, with an added column for the reason. */
export const errorFileUrl = (jobId: number): string => `/api/imports/${jobId}/errors`;

/** Returns the URL of the rows that the job wrote and no later job changed. */
export const rowsOfJobUrl = ({ dataSetId, jobId }: Pick<JobView, 'dataSetId' | 'jobId'>): string =>
  urlOf(`/reference-data/${dataSetId}`, {
    filter: JSON.stringify({ logic: 'AND', conditions: [{ field: 'jobId', operator: 'equals', value: jobId }] }),
  });

export const cancelJob = (jobId: number) => write('POST', `/api/jobs/${jobId}/cancel`);
export const retryJob = (jobId: number) => write<{ jobId: number }>('POST', `/api/jobs/${jobId}/retry`);
