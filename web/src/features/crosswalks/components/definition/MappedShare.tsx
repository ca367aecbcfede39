/** The mapped share of a crosswalk, and its source and target. */
import type { CrosswalkView } from '@rdm/contracts/crosswalks/crosswalks';
import { DataSetEnds } from '../../../../components/data-set-ends/index.tsx';

export function CrosswalkEnds({ crosswalk }: { crosswalk: CrosswalkView }) {
  return (
    <DataSetEnds
      source={{ name: crosswalk.sourceName, field: crosswalk.sourceAttribute }}
      target={{ name: crosswalk.targetName, field: crosswalk.targetAttribute }}
    />
  );
}

/** Formats a share in percent: as 100 only if everything is mapped, and as 0 only if nothing is. */
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
