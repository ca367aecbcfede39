/** The progress and the result of a job that changes many rows, with a link to the monitor. */
import type { DecidedAsJob } from '@rdm/contracts/jobs/bulk-decisions';
import type { JobView } from '@rdm/contracts/jobs/jobs';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Link } from 'react-router-dom';
import { read } from '../../lib/api/index.ts';
import { formatNumber } from '../../lib/number-format.ts';
import { notify } from '../toast/index.ts';
import { Progress } from '../ui/progress.tsx';
import { monitorPath } from './path.ts';

const REFRESH_MS = 1_000;
const isRunning = (job: JobView | null | undefined): boolean =>
  !job || job.status === 'PENDING' || job.status === 'IN_PROGRESS';

/** The job; null until the read models contain it. */
const jobOf = (jobId: number): Promise<JobView | null> =>
  read<JobView>(`/api/jobs/${jobId}`).catch((error: { status?: number }) => {
    if (error.status === 404) return null;
    throw error;
  });

export interface DecidingJobProps {
  job: DecidedAsJob;
  /** "Deciding" by default. */
  doing?: string;
  /** "100,000 mappings". */
  what: string;
  /** Called once when the job has ended, with the results for the rows. */
  onEnd: (job: JobView) => void;
}

export function DecidingJob({ job: { jobId }, doing = 'Deciding', what, onEnd }: DecidingJobProps) {
  const { data: job } = useQuery({
    queryKey: ['deciding-job', jobId],
    queryFn: () => jobOf(jobId),
    refetchInterval: ({ state }) => (isRunning(state.data) ? REFRESH_MS : false),
  });
  const hasReported = useRef(false);
  useEffect(() => {
    if (!job || isRunning(job) || hasReported.current) return;
    hasReported.current = true;
    onEnd(job);
  }, [job, onEnd]);
  return (
    <section
      aria-label="Decision under way"
      className="sticky bottom-2 z-10 mt-3 flex flex-wrap items-center gap-3 self-center rounded-md border border-control bg-raised px-3 py-1.5 text-sm"
    >
      <p role="status">{job?.publishing ? `Publishing ${what} …` : `${doing} ${what} as a job`}</p>
      <span className="w-40">
        <Progress value={job?.progress ?? 0} label={`Progress of job ${jobId}`} />
      </span>
      <Link className="underline" to={monitorPath(jobId)}>
        Open in the monitor
      </Link>
    </section>
  );
}

interface FollowedJob extends DecidingJobProps {
  doing: string;
}

/** Jobs that the page started, each displayed until it ends. */
export function useFollowedJobs(): { follow: (job: FollowedJob) => void; bars: ReactNode } {
  const [jobs, setJobs] = useState<readonly FollowedJob[]>([]);
  return {
    follow: (job) => setJobs((known) => [...known, job]),
    bars: jobs.map((followed) => (
      <DecidingJob
        key={followed.job.jobId}
        {...followed}
        onEnd={(ended) => {
          setJobs((known) => known.filter(({ job }) => job.jobId !== ended.jobId));
          followed.onEnd(ended);
        }}
      />
    )),
  };
}

/** Shows the result of the job; its log lists the failed rows. */
export function reportJobEnd({ jobId, status, counts, errorMessage }: JobView, done: string): void {
  const { changed, failed, skipped } = counts;
  const parts = [`${formatNumber(changed)} done`];
  if (failed > 0) parts.push(`${formatNumber(failed)} refused`);
  if (skipped > 0) parts.push(`${formatNumber(skipped)} not tried`);
  const options = { description: parts.join(', '), href: monitorPath(jobId) };
  if (status === 'FAILED') notify.error(errorMessage ?? 'The job failed', { title: parts.join(', ') });
  else notify.success(status === 'CANCELLED' ? `${done} in part: cancelled` : done, options);
}
