/** Synchronises the page number in the URL with the scroll position of a long list. */
import { startTransition, useLayoutEffect, useRef } from 'react';
import type { ListState } from '../../../lib/url-state/list-state.ts';
import { useStableCallback } from '../stable-callback.ts';
import type { LongList } from '../types.ts';

/**
 * Returns a callback for a list that comes to rest; it receives the first visible row and whether the end of the list is
 * visible.
 */
export function usePageSync<Row>(
  state: ListState,
  long: LongList<Row>['long'] | undefined,
  startWith: (index: number) => void,
): (first: number, atEnd: boolean) => void {
  const { page, pageSize } = state.params;
  /** The last page that the URL set or that scrolling reached. */
  const at = useRef<{ view: string; page: number }>(undefined);
  const view = long?.view;
  const hasRows = long !== undefined && long.count > 0;

  useLayoutEffect(() => {
    if (!hasRows || view === undefined || (at.current?.view === view && at.current.page === page)) return;
    at.current = { view, page };
    startWith((page - 1) * pageSize);
  }, [hasRows, view, page, pageSize, startWith]);

  return useStableCallback((first: number, atEnd: boolean) => {
    if (long === undefined || at.current === undefined || at.current.page !== page) return;
    const now = Math.floor((atEnd ? long.count - 1 : first) / pageSize) + 1;
    if (now === page) return;
    at.current = { ...at.current, page: now };
    // A transition, because a new URL re-renders the whole page and scrolling has priority.
    startTransition(() => state.setPage(now));
  });
}
