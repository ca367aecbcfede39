/** The mapped share of a crosswalk, and its source and target. */
import type { CrosswalkView } from '@rdm/contracts/crosswalks/crosswalks';
import { DataSetEnds } from '../../../../components/data-set-ends/index.tsx';
import { formatNumber } from '../../../../lib/number-format.ts';

export function CrosswalkEnds({ crosswalk }: { crosswalk: CrosswalkView }) {
  return (
    <DataSetEnds
      source={{ name: crosswalk.sourceName, field: crosswalk.sourceAttribute }}
      target={{ name: crosswalk.targetName, field: crosswalk.targetAttribute }}
    />
  );
}

/**
 * Formats a percentage without rounding it to 0% or 100%. But the server rounds to one decimal, so the text for a large
 * data set can be 100% although a few rows are not mapped, or 0% although a few rows are mapped.
 */
export function percentText(percent: number | null): string {
  if (percent === null) return '—';
  if (percent > 99 && percent < 100) return '99%';
  if (percent > 0 && percent < 1) return '<1%';
  return `${Math.round(percent)}%`;
}

/** Explains the share, with the number of mappings that wait for approval. */
export function shareHint({ pending }: CrosswalkView['counts']): string {
  const waiting = pending === 0 ? '' : ` Waiting for approval: ${formatNumber(pending)}.`;
  return `The share of the source rows that have an approved mapping.${waiting}`;
}

export function MappedShare({ crosswalk: { mappedPercent, counts } }: { crosswalk: CrosswalkView }) {
  return (
    <span title={shareHint(counts)} className="inline-flex w-full items-center justify-end gap-2">
      <span aria-hidden="true" className="h-1 w-12 overflow-hidden rounded-full bg-hairline">
        <span className="block h-full bg-approved" style={{ width: `${mappedPercent ?? 0}%` }} />
      </span>
      <span className="w-9 text-right">{percentText(mappedPercent)}</span>
    </span>
  );
}
