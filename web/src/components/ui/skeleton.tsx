/** A grey bar while content is loading. */
import { cn } from './cn.ts';

export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden="true" className={cn('h-3 animate-pulse rounded-sm bg-hairline', className)} />;
}
