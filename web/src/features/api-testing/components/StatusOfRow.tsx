/** Shows the status of a row as an icon and a word, because colour alone is not enough. */
import { CircleCheck, CircleDashed, CircleX, CornerDownRight, type LucideIcon, SearchX } from 'lucide-react';
import type { RowStatus } from './rows.ts';

export const STATUS_WORDS: Record<RowStatus, string> = {
  MAPPED: 'Mapped',
  FALLBACK: 'Fallback',
  UNMAPPED: 'Unmapped',
  FAILED: 'Failed',
  WAITING: 'Waiting',
};

const STATUS_STYLES: Record<RowStatus, { icon: LucideIcon; classes: string }> = {
  MAPPED: { icon: CircleCheck, classes: 'text-approved-text' },
  FALLBACK: { icon: CornerDownRight, classes: 'text-pending-text' },
  UNMAPPED: { icon: SearchX, classes: 'text-draft-text' },
  FAILED: { icon: CircleX, classes: 'text-rejected-text' },
  WAITING: { icon: CircleDashed, classes: 'text-muted' },
};

export function StatusOfRow({ status }: { status: RowStatus }) {
  const { icon: Icon, classes } = STATUS_STYLES[status];
  return (
    <span className={`flex items-center gap-1.5 font-sans whitespace-nowrap ${classes}`}>
      <Icon aria-hidden="true" className="size-4" />
      {STATUS_WORDS[status]}
    </span>
  );
}
