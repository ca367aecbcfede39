/** The progress of comparing two large data sets. */
import { Progress } from '../../../../components/ui/progress.tsx';
import { formatNumber } from '../../../../lib/number-format.ts';
import type { ComparisonState } from '../../api/mappings.ts';

export function ComparisonProgress({ progress }: ComparisonState) {
  if (progress === null || progress === undefined) return null;
  const { done, total } = progress;
  const percent = total === 0 ? 0 : Math.floor((done / total) * 100);
  return (
    <div className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-1 text-muted text-sm">
      <span className="w-40">
        <Progress label="Values compared" value={percent} />
      </span>
      <p role="status">
        {total === 0
          ? 'Reading both data sets…'
          : `Finding candidates: ${formatNumber(done)} of ${formatNumber(total)} values. The candidates found so far are listed.`}
      </p>
    </div>
  );
}
