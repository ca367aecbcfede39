/** Shows the counts per minute of the last hour as bars, with their total. */
import type { ReactNode } from 'react';
import { BarChart } from '../../../components/bar-chart/index.tsx';
import { formatNumber } from '../../../lib/number-format.ts';

const MINUTES = 60;
const MINUTE_MS = 60_000;

export interface MinuteChartProps {
  /** The noun for the counted things, in the plural: "events". */
  noun: string;
  minutes: readonly { minute: string; count: number }[];
  /** A control that is shown after the total. */
  action?: ReactNode;
}

export function MinuteChart({ noun, minutes, action }: MinuteChartProps) {
  const now = Math.floor(Date.now() / MINUTE_MS);
  const bars = Array.from({ length: MINUTES }, () => 0);
  for (const { minute, count } of minutes) {
    const index = MINUTES - 1 - (now - Math.floor(new Date(minute).getTime() / MINUTE_MS));
    if (index >= 0 && index < MINUTES) bars[index] = count;
  }
  const total = bars.reduce((sum, count) => sum + count, 0);
  const sentence = `${formatNumber(total)} ${noun} in the last hour`;
  return (
    <figure className="min-w-0 rounded-md border border-hairline bg-surface p-3">
      <figcaption className="mb-2 flex flex-wrap justify-between gap-x-4">
        <span className="font-medium first-letter:uppercase">{noun} per minute</span>
        <span className="text-muted">
          {sentence}
          {action !== undefined && <> · {action}</>}
        </span>
      </figcaption>
      <BarChart values={bars} label={`${sentence}, at most ${formatNumber(Math.max(...bars))} in a minute`} />
    </figure>
  );
}
