/** The confidence of a pair, as a bar and a number. */
import { cn } from '../../../../components/ui/cn.ts';

export function Confidence({ value, className }: { value: number; className?: string }) {
  return (
    <span className={cn('inline-flex items-center gap-1.5 tabular-nums', className)}>
      <span aria-hidden="true" className="h-1 w-8 overflow-hidden rounded-full bg-hairline">
        <span className="block h-full bg-accent" style={{ width: `${value}%` }} />
      </span>
      {Math.round(value)}
    </span>
  );
}
