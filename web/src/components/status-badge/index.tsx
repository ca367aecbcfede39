/** Shows an approval status as a shape and a word, so that users can distinguish statuses without colour. */
import { APPROVAL_STATUSES, type ApprovalStatus, type VersionStatus } from '@rdm/contracts/review/approval';
import { formatNumber } from '../../lib/number-format.ts';
import { cn } from '../ui/cn.ts';

const STATUS_STYLES: Record<VersionStatus, { word: string; classes: string; shape: string }> = {
  DRAFT: { word: 'Draft', classes: 'bg-draft-fill text-draft-text', shape: 'text-draft' },
  PENDING: { word: 'Pending', classes: 'bg-pending-fill text-pending-text', shape: 'text-pending' },
  APPROVED: { word: 'Approved', classes: 'bg-approved-fill text-approved-text', shape: 'text-approved' },
  REJECTED: { word: 'Rejected', classes: 'bg-rejected-fill text-rejected-text', shape: 'text-rejected' },
  DELETED: { word: 'Deleted', classes: 'bg-draft-fill text-draft-text', shape: 'text-draft' },
};

export const statusWord = (status: VersionStatus): string => STATUS_STYLES[status].word;

/** Draws a dashed ring, a half disc, a disc with a tick, a square with a cross, or a ring with a bar. */
export function StatusShape({ status, className }: { status: VersionStatus; className?: string }) {
  return (
    <svg
      viewBox="0 0 12 12"
      aria-hidden="true"
      className={cn('size-3 shrink-0', STATUS_STYLES[status].shape, className)}
    >
      {status === 'DRAFT' && (
        <circle cx="6" cy="6" r="4.5" fill="none" stroke="currentColor" strokeWidth="1.6" strokeDasharray="2.2 1.6" />
      )}
      {status === 'PENDING' && (
        <>
          <circle cx="6" cy="6" r="4.7" fill="none" stroke="currentColor" strokeWidth="1.4" />
          <path d="M6 1.3a4.7 4.7 0 0 0 0 9.4z" fill="currentColor" />
        </>
      )}
      {status === 'APPROVED' && (
        <>
          <circle cx="6" cy="6" r="5.4" fill="currentColor" />
          <path d="M3.4 6.2l1.8 1.8 3.4-3.8" fill="none" stroke="var(--surface)" strokeWidth="1.4" />
        </>
      )}
      {status === 'REJECTED' && (
        <>
          <rect x="0.8" y="0.8" width="10.4" height="10.4" rx="1.5" fill="currentColor" />
          <path d="M3.7 3.7l4.6 4.6m0-4.6L3.7 8.3" stroke="var(--surface)" strokeWidth="1.4" />
        </>
      )}
      {status === 'DELETED' && (
        <>
          <circle cx="6" cy="6" r="4.7" fill="none" stroke="currentColor" strokeWidth="1.4" />
          <path d="M3.4 6h5.2" stroke="currentColor" strokeWidth="1.4" />
        </>
      )}
    </svg>
  );
}

export function StatusBadge({ status, children }: { status: VersionStatus; children?: string | undefined }) {
  const { word, classes } = STATUS_STYLES[status];
  return (
    <span
      className={cn(
        'inline-flex items-center gap-1.5 whitespace-nowrap rounded-sm align-middle px-1.5 text-xs leading-5',
        classes,
      )}
    >
      <StatusShape status={status} />
      {children ?? word}
    </span>
  );
}

type CountedStatus = 'draft' | 'pending' | 'approved' | 'rejected';
/** The property and the displayed word of each count. */
const COUNT_NAMES: Record<ApprovalStatus, CountedStatus> = {
  DRAFT: 'draft',
  PENDING: 'pending',
  APPROVED: 'approved',
  REJECTED: 'rejected',
};

/** Shows the number of mappings or values of each status. Zeros are muted. */
export function StatusCounts({ counts }: { counts: Record<CountedStatus, number> }) {
  return (
    <span className="inline-flex gap-3 tabular-nums">
      {APPROVAL_STATUSES.map((status) => {
        const count = counts[COUNT_NAMES[status]];
        return (
          <span
            key={status}
            title={`${formatNumber(count)} ${COUNT_NAMES[status]}`}
            className={count === 0 ? 'inline-flex items-center gap-1 text-muted' : 'inline-flex items-center gap-1'}
          >
            <StatusShape status={status} />
            {formatNumber(count)}
            <span className="sr-only"> {COUNT_NAMES[status]}</span>
          </span>
        );
      })}
    </span>
  );
}
