/** How far the weighing of two large data sets against each other is. */
import { grouped } from '../../../lib/grouped.ts';
import type { Weighed } from '../api/mappings.ts';

export function WeighingNote({ progress }: Weighed) {
  if (progress === null || progress === undefined) return null;
  const { done, total } = progress;
  const percent = total === 0 ? 0 : Math.floor((done / total) * 100);
  return (
    <p role="status" className="flex items-center gap-2 py-1 text-muted text-sm">
      <progress
        aria-label="Values weighed"
        className="h-1.5 w-32 accent-accent"
        value={done}
        max={Math.max(total, 1)}
      />
      {total === 0
        ? 'Reading both data sets…'
        : `Looking for candidates: ${grouped(done)} of ${grouped(total)} values (${percent}%). What is found is listed already.`}
    </p>
  );
}
