/** A progress bar with its percentage. */
export function Progress({ value, label }: { value: number; label: string }) {
  const percent = Math.round(Math.min(100, Math.max(0, value)));
  return (
    <span className="flex items-center gap-2">
      <span
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        className="h-1.5 min-w-12 flex-1 overflow-hidden rounded-full bg-hairline"
      >
        <span className="block h-full rounded-full bg-accent" style={{ width: `${percent}%` }} />
      </span>
      <span aria-hidden="true" className="w-9 text-right text-xs tabular-nums">
        {percent}%
      </span>
    </span>
  );
}
