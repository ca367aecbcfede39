/** The status of an import as shape and word. */
import type { JobStatus } from '@rdm/contracts/imports';
import { Ban, CircleCheck, CircleDashed, CircleX, LoaderCircle } from 'lucide-react';

const LOOKS: Record<JobStatus, { word: string; icon: typeof Ban; classes: string }> = {
  PENDING: { word: 'Waiting', icon: CircleDashed, classes: 'text-draft-text' },
  IN_PROGRESS: { word: 'In progress', icon: LoaderCircle, classes: 'text-pending-text' },
  DONE: { word: 'Done', icon: CircleCheck, classes: 'text-approved-text' },
  FAILED: { word: 'Failed', icon: CircleX, classes: 'text-rejected-text' },
  CANCELLED: { word: 'Cancelled', icon: Ban, classes: 'text-muted' },
};

export function JobStatusWord({ status }: { status: JobStatus }) {
  const { word, icon: Icon, classes } = LOOKS[status];
  return (
    <span className={`inline-flex items-center gap-1.5 whitespace-nowrap ${classes}`}>
      <Icon aria-hidden="true" className="size-4" />
      {word}
    </span>
  );
}
