/** The status of a job as shape and word. */
import type { JobStatus as Status } from '@rdm/contracts/imports';
import { Ban, CircleCheck, CircleDashed, CircleX, LoaderCircle } from 'lucide-react';

const LOOKS: Record<Status, { word: string; icon: typeof Ban; classes: string }> = {
  PENDING: { word: 'Pending', icon: CircleDashed, classes: 'text-draft-text' },
  IN_PROGRESS: { word: 'In progress', icon: LoaderCircle, classes: 'text-pending-text' },
  DONE: { word: 'Done', icon: CircleCheck, classes: 'text-approved-text' },
  FAILED: { word: 'Failed', icon: CircleX, classes: 'text-rejected-text' },
  CANCELLED: { word: 'Cancelled', icon: Ban, classes: 'text-muted' },
};

export function JobStatus({ status }: { status: Status }) {
  const { word, icon: Icon, classes } = LOOKS[status];
  return (
    <span className={`flex items-center gap-1.5 whitespace-nowrap ${classes}`}>
      <Icon aria-hidden="true" className="size-4" />
      {word}
    </span>
  );
}

/** Seconds as people say them. */
export function duration(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${Math.round(seconds % 60)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
