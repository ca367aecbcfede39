/** The progress and the result of a job that changes many rows, with a link to the monitor. */
import type { DecidedAsJob } from '@rdm/contracts/jobs/bulk-decisions';
import type { JobView } from '@rdm/contracts/jobs/jobs';
import { type ReactNode, useState } from 'react';
import { formatNumber } from '../../lib/number-format.ts';
import { JobBar } from '../job-bar/index.tsx';
import { monitorPath } from '../job-bar/path.ts';
import { notify } from '../toast/index.ts';

export interface BulkJobProgressProps {
  job: Pick<DecidedAsJob, 'jobId'>;
  /** The action as a participle, such as "Deciding"; "Changing" by default. */
  action?: string;
  /** The target of the action, such as "100,000 mappings". */
  target: string;
  /** Called once when the job has ended. */
  onEnd: (job: JobView) => void;
}

export function BulkJobProgress({ job: { jobId }, action = 'Changing', target, onEnd }: BulkJobProgressProps) {
  return (
    <JobBar
      jobId={jobId}
      label="Job in progress"
      textOf={(job) =>
        job?.publishing
          ? `${action} ${target}: the changes are saved and will be visible soon`
          : `${action} ${target} as a job`
      }
      onEnd={onEnd}
    />
  );
}

interface FollowedJob extends BulkJobProgressProps {
  action: string;
}

/** Returns progress bars of the jobs passed to `follow`; a bar disappears when its job ends. */
export function useFollowedJobs(): { follow: (job: FollowedJob) => void; bars: ReactNode } {
  const [jobs, setJobs] = useState<readonly FollowedJob[]>([]);
  return {
    follow: (job) => setJobs((current) => [...current, job]),
    bars: jobs.map((followed) => (
      <BulkJobProgress
        key={followed.job.jobId}
        {...followed}
        onEnd={(ended) => {
          setJobs((current) => current.filter(({ job }) => job.jobId !== ended.jobId));
          followed.onEnd(ended);
        }}
      />
    )),
  };
}

/** Notifies the user that a job has ended; `successTitle` is the title after a success. */
export function reportJobEnd({ jobId, status, counts, errorMessage }: JobView, successTitle: string): void {
  const { changed, failed, skipped } = counts;
  const parts = [`${formatNumber(changed)} done`];
  if (failed > 0) parts.push(`${formatNumber(failed)} refused`);
  if (skipped > 0) parts.push(`${formatNumber(skipped)} not tried`);
  const options = { description: parts.join(', '), href: monitorPath(jobId) };
  if (status === 'FAILED') notify.error(errorMessage ?? 'The job failed', { title: parts.join(', ') });
  else notify.success(status === 'CANCELLED' ? 'The job was cancelled' : successTitle, options);
}
