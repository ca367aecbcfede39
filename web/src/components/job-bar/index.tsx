/** Shows the progress of a job that the page started, with a link to the monitor, until the job ends. */
import type { JobView } from '@rdm/contracts/jobs/jobs';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import { Link } from 'react-router-dom';
import { read } from '../../lib/api/index.ts';
import { Progress } from '../ui/progress.tsx';
import { monitorPath } from './path.ts';

const REFRESH_MS = 1_000;
export const jobKey = (jobId: number) => ['running-job', jobId] as const;

export const isRunning = ({ status }: Pick<JobView, 'status'>): boolean =>
  status === 'PENDING' || status === 'IN_PROGRESS';

/** Reads the job; null while the read models do not contain it yet, or if the user may not see it. */
const readJob = (jobId: number): Promise<JobView | null> =>
  read<JobView>(`/api/jobs/${jobId}`).catch((error: { status?: number }) => {
    if (error.status === 404) return null;
    throw error;
  });

export interface JobBarProps {
  jobId: number;
  label: string;
  /** Describes the current work of the job, such as "Deciding 100,000 mappings as a job". */
  textOf: (job: JobView | null | undefined) => ReactNode;
  /** Called once when the job has ended. */
  onEnd: (job: JobView) => void;
  actionsOf?: (job: JobView | null | undefined) => ReactNode;
}

export function JobBar({ jobId, label, textOf, onEnd, actionsOf }: JobBarProps) {
  const { data: job } = useQuery({
    queryKey: jobKey(jobId),
    queryFn: () => readJob(jobId),
    refetchInterval: ({ state: { data } }) => (data && !isRunning(data) ? false : REFRESH_MS),
  });
  const hasReported = useRef(false);
  useEffect(() => {
    if (!job || isRunning(job) || hasReported.current) return;
    hasReported.current = true;
    onEnd(job);
  }, [job, onEnd]);
  if (job && !isRunning(job)) return null;
  return (
    <section
      aria-label={label}
      className="sticky bottom-2 z-10 mt-3 flex flex-wrap items-center gap-3 self-center rounded-md border border-control bg-raised px-3 py-1.5 text-sm"
    >
      <p role="status">{textOf(job)}</p>
      <span className="w-40">
        <Progress value={job?.progress ?? 0} label={`Progress of job ${jobId}`} />
      </span>
      <Link className="underline" to={monitorPath(jobId)}>
        Open in the monitor
      </Link>
      {actionsOf?.(job)}
    </section>
  );
}
