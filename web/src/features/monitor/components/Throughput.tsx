/** Events per minute in the last hour: bars, and a sentence for screen readers. */
import { BarChart } from '../../../components/bar-chart/index.tsx';

const MINUTES = 60;
const MINUTE_MS = 60_000;

export function Throughput({ minutes }: { minutes: readonly { minute: string; events: number }[] }) {
  const now = Math.floor(Date.now() / MINUTE_MS);
  const bars = Array.from({ length: MINUTES }, () => 0);
  for (const { minute, events } of minutes) {
    const index = MINUTES - 1 - (now - Math.floor(new Date(minute).getTime() / MINUTE_MS));
    if (index >= 0 && index < MINUTES) bars[index] = events;
  }
  const most = Math.max(...bars);
  const total = bars.reduce((sum, events) => sum + events, 0);
  return (
    <figure className="rounded-md border border-hairline bg-surface p-3">
      <figcaption className="mb-2 flex justify-between gap-4">
        <span className="font-medium">Events per minute, last hour</span>
        <span className="text-muted">at most {most}</span>
      </figcaption>
      <BarChart values={bars} label={`${total} events in the last hour`} />
    </figure>
  );
}
