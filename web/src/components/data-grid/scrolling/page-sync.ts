/** Synchronises the page number in the URL with the scroll position of a long list. */
import { startTransition, useLayoutEffect, useRef } from 'react';
import type { ListState } from '../../../lib/url-state/list-state.ts';
import { useStableCallback } from '../stable-callback.ts';
import type { LongList } from '../types.ts';

/**
 * Returns a callback that the list calls when the user stops scrolling. The callback receives the index of the first
 * visible row and whether the end of the list is visible. `startWith` scrolls to the row with the given index.
 */
export function usePageSync<Row>(
  state: ListState,
  long: LongList<Row>['long'] | undefined,
  startWith: (index: number) => void,
): (first: number, atEnd: boolean) => void {
  const { page, pageSize } = state.params;
  /** The page that the URL last set or that the user last scrolled to, and its view (search, filter and sort). */
  const synced = useRef<{ view: string; page: number }>(undefined);
  const view = long?.view;
  const hasRows = long !== undefined && long.count > 0;

  useLayoutEffect(() => {
    if (!hasRows || view === undefined || (synced.current?.view === view && synced.current.page === page)) return;
    synced.current = { view, page };
    startWith((page - 1) * pageSize);
  }, [hasRows, view, page, pageSize, startWith]);

  return useStableCallback((first: number, atEnd: boolean) => {
    // After “Back”, the URL has another page, to which the list has not been scrolled yet. The URL takes precedence.
    if (long === undefined || synced.current === undefined || synced.current.page !== page) return;
    const visiblePage = Math.floor((atEnd ? long.count - 1 : first) / pageSize) + 1;
    if (visiblePage === page) return;
    synced.current = { ...synced.current, page: visiblePage };
    // A transition, because a new URL re-renders the whole page and scrolling has priority.
    startTransition(() => state.setPage(visiblePage));
  });
}
