/**
 * A table of paths and values. At a changed path, the old value is marked − and the new value +. The names of unchanged
 * paths are muted.
 */
import type { ReactNode } from 'react';
import { cn } from '../../../components/ui/cn.ts';
import { isChanged, type PathChange } from './state-diff.ts';

export interface PathTableProps {
  label: string;
  paths: readonly PathChange[];
  /** Whether nothing is marked or muted, as for an event, which has no previous state. */
  plain?: boolean;
  empty: string;
  /** Formats paths and values; by default both are shown unchanged. */
  format?: { path: (path: string) => string; value: (path: string, value: string) => ReactNode };
}

const UNFORMATTED: PathTableProps['format'] & object = { path: (path) => path, value: (_, value) => value };

export function PathTable({ label, paths, plain = false, empty, format = UNFORMATTED }: PathTableProps) {
  if (paths.length === 0) return <p className="py-2 text-muted">{empty}</p>;
  return (
    <dl aria-label={label} className="divide-y divide-hairline border-hairline border-y font-mono text-xs">
      {paths.map((row) => {
        const showsChange = !plain && isChanged(row);
        return (
          <div
            key={row.path}
            className={cn(
              'grid grid-cols-[minmax(7rem,2fr)_minmax(0,3fr)] gap-3 px-2 py-1',
              showsChange && 'border-l-2 border-l-accent bg-accent-soft',
            )}
          >
            <dt className={cn('min-w-0 font-sans wrap-anywhere', !showsChange && !plain && 'text-muted')}>
              {format.path(row.path)}
            </dt>
            <dd className="min-w-0 wrap-anywhere">
              {showsChange ? (
                <>
                  {row.before !== undefined && (
                    <del className="block text-danger-text no-underline">
                      <span aria-hidden="true">− </span>
                      <span className="sr-only">before: </span>
                      {format.value(row.path, row.before)}
                    </del>
                  )}
                  {row.after !== undefined && (
                    <ins className="block text-added no-underline">
                      <span aria-hidden="true">+ </span>
                      <span className="sr-only">after: </span>
                      {format.value(row.path, row.after)}
                    </ins>
                  )}
                </>
              ) : (
                row.after !== undefined && format.value(row.path, row.after)
              )}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
