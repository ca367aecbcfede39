/** Events per minute in the last hour: bars, and a sentence for screen readers. */
const MINUTES = 60;
const MINUTE_MS = 60_000;

export function Throughput({ minutes }: { minutes: readonly { minute: string; events: number }[] }) {
  const now = Math.floor(Date.now() / MINUTE_MS);
  const bars = Array.from({ length: MINUTES }, () => 0);
  for (const { minute, events } of minutes) {
    const index = MINUTES - 1 - (now - Math.floor(new Date(minute).getTime() / MINUTE_MS));
    if (index >= 0 && index < MINUTES) bars[index] = events;
  }
  const most = Math.max(1, ...bars);
  const total = bars.reduce((sum, events) => sum + events, 0);
  return (
    <figure className="rounded-md border border-hairline bg-surface p-3">
      <figcaption className="mb-2 flex justify-between gap-4">
        <span className="font-medium">Events per minute, last hour</span>
        <span className="text-muted">at most {most === 1 && total === 0 ? 0 : most}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${MINUTES * 4} 40`}
        preserveAspectRatio="none"
        className="h-16 w-full"
        role="img"
        aria-label={`${total} events in the last hour`}
      >
        <line x1="0" x2={MINUTES * 4} y1="39.5" y2="39.5" stroke="var(--hairline)" />
        {bars.map((events, minute) => {
          const height = (events / most) * 38;
          // One bar per minute.
          return <rect key={minute} x={minute * 4} width="3" y={39 - height} height={height} fill="var(--accent)" />;
        })}
      </svg>
    </figure>
  );
}
