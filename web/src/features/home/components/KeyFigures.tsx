/** Key figures of the data that the user may read, with the decisions per day as a chart. */
import type { HomeView } from '@rdm/contracts/home/home';
import { BarChart } from '../../../components/bar-chart/index.tsx';
import { formatNumber } from '../../../lib/number-format.ts';

export function KeyFigures({ figures }: Pick<HomeView, 'figures'>) {
  const decisionCount = figures.decisions.reduce((sum, count) => sum + count, 0);
  const days = figures.decisions.length;
  return (
    <section aria-labelledby="key-figures">
      <h2 id="key-figures" className="mb-2 font-semibold text-base">
        Key figures
      </h2>
      <dl className="grid grid-cols-3 gap-px overflow-hidden rounded-md border border-hairline bg-hairline sm:grid-cols-5">
        <Figure label="data sets" value={figures.dataSets} />
        <Figure label="rows" value={figures.rows} />
        <Figure label="mapped values" value={figures.mappedValues} />
        <div className="col-span-3 grid grid-cols-[auto_minmax(0,1fr)] grid-rows-[auto_auto] content-end gap-x-4 bg-surface px-4 py-3 sm:col-span-2">
          <dt className="row-start-2 text-muted">decisions in {days} days</dt>
          <dd className="row-start-1 font-semibold text-xl tabular-nums">{formatNumber(decisionCount)}</dd>
          <dd className="col-start-2 row-span-2 row-start-1 self-end">
            <BarChart
              values={figures.decisions}
              label={`Decisions per day: ${formatNumber(decisionCount)} in the last ${days} days`}
              className="h-10"
            />
          </dd>
        </div>
      </dl>
    </section>
  );
}

function Figure({ label, value }: { label: string; value: number }) {
  return (
    <div className="flex flex-col-reverse justify-end bg-surface px-4 py-3">
      <dt className="text-muted">{label}</dt>
      <dd className="font-semibold text-xl tabular-nums">{formatNumber(value)}</dd>
    </div>
  );
}
