/** What a crosswalk says at a glance: its two ends, how much of the source is mapped, its values by status. */
import { APPROVAL_STATUSES, type ApprovalStatus } from '@rdm/contracts/approval';
import type { CrosswalkView } from '@rdm/contracts/crosswalks';
import { ArrowRight } from 'lucide-react';
import { StatusShape } from '../../../components/status-badge/index.tsx';

const number = new Intl.NumberFormat('en');

export function Ends({ crosswalk }: { crosswalk: CrosswalkView }) {
  return (
    <span className="inline-flex max-w-full flex-wrap items-center gap-x-1.5">
      <End name={crosswalk.sourceName} attribute={crosswalk.sourceAttribute} />
      <span className="inline-flex min-w-0 items-center gap-x-1.5">
        <ArrowRight aria-label="to" className="size-3.5 shrink-0 text-muted" />
        <End name={crosswalk.targetName} attribute={crosswalk.targetAttribute} />
      </span>
    </span>
  );
}

function End({ name, attribute }: { name: string; attribute: string }) {
  return (
    <span className="min-w-0">
      {name} <span className="font-mono text-muted text-xs">{attribute}</span>
    </span>
  );
}

/** How a share reads: never 100 before it is whole, never 0 when there is some. */
export function percentText(percent: number | null): string {
  if (percent === null) return '—';
  if (percent > 99 && percent < 100) return '99%';
  if (percent > 0 && percent < 1) return '<1%';
  return `${Math.round(percent)}%`;
}

export function MappedShare({ percent }: { percent: number | null }) {
  return (
    <span className="inline-flex w-full items-center justify-end gap-2">
      <span aria-hidden="true" className="h-1 w-12 overflow-hidden rounded-full bg-hairline">
        <span className="block h-full bg-approved" style={{ width: `${percent ?? 0}%` }} />
      </span>
      <span className="w-9 text-right">{percentText(percent)}</span>
    </span>
  );
}

const WORDS: Record<ApprovalStatus, string> = {
  DRAFT: 'draft',
  PENDING: 'pending',
  APPROVED: 'approved',
  REJECTED: 'rejected',
};

/** Values by status, told by shape and number; those that are none stay quiet. */
export function StatusCounts({ counts }: { counts: CrosswalkView['counts'] }) {
  return (
    <span className="inline-flex gap-3 tabular-nums">
      {APPROVAL_STATUSES.map((status) => {
        const count = counts[WORDS[status] as keyof typeof counts];
        return (
          <span
            key={status}
            title={`${number.format(count)} ${WORDS[status]}`}
            className={count === 0 ? 'inline-flex items-center gap-1 text-muted' : 'inline-flex items-center gap-1'}
          >
            <StatusShape status={status} />
            {number.format(count)}
            <span className="sr-only"> {WORDS[status]}</span>
          </span>
        );
      })}
    </span>
  );
}
