/** The status of a job or of a phase as an icon and a word, and the percentage of a job's rows that are published. */
import type { JobView, JobStatus as Status } from '@rdm/contracts/jobs/jobs';
import { Ban, CircleCheck, CircleDashed, CircleX, LoaderCircle } from 'lucide-react';

const STATUS_STYLES: Record<Status, { word: string; icon: typeof Ban; classes: string }> = {
  PENDING: { word: 'Waiting', icon: CircleDashed, classes: 'text-draft-text' },
  IN_PROGRESS: { word: 'In progress', icon: LoaderCircle, classes: 'text-pending-text' },
  DONE: { word: 'Done', icon: CircleCheck, classes: 'text-approved-text' },
  FAILED: { word: 'Failed', icon: CircleX, classes: 'text-rejected-text' },
  CANCELLED: { word: 'Cancelled', icon: Ban, classes: 'text-muted' },
};

export const jobStatusWord = (status: Status): string => STATUS_STYLES[status].word;

export function JobStatus({ status, publishing }: Pick<JobView, 'status'> & Partial<Pick<JobView, 'publishing'>>) {
  const { word, icon: Icon, classes } = STATUS_STYLES[status];
  return (
    <span className={`flex items-center gap-1.5 whitespace-nowrap ${classes}`}>
      <Icon aria-hidden="true" className="size-4" />
      {publishing ? 'Publishing rows …' : word}
    </span>
  );
}

/** The percentage of the job's rows that the read models already contain; 0 if unknown. */
export const publishedPercent = (publishing: JobView['publishing']): number =>
  publishing?.rows && publishing.of > 0 ? Math.floor((publishing.rows / publishing.of) * 100) : 0;
