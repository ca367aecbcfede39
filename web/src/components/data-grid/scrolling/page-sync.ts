/** Keeps the page in the link and the place in a whole list together, whichever of the two changed. */
import { startTransition, useLayoutEffect, useRef } from 'react';
import type { ListState } from '../../../lib/url-state/list-state.ts';
import { useStable } from '../stable-callback.ts';
import type { LongList } from '../types.ts';

/** Answers what is to be called where the list comes to rest: with its first row in sight, and whether its end is. */
export function usePageInSight<Row>(
  state: ListState,
  long: LongList<Row>['long'] | undefined,
  startWith: (index: number) => void,
): (first: number, atEnd: boolean) => void {
  const { page, pageSize } = state.params;
  /** Where the list was put, or went by itself. */
  const at = useRef<{ view: string; page: number }>(undefined);
  const view = long?.view;
  const there = long !== undefined && long.count > 0;

  useLayoutEffect(() => {
    if (!there || view === undefined || (at.current?.view === view && at.current.page === page)) return;
    at.current = { view, page };
    startWith((page - 1) * pageSize);
  }, [there, view, page, pageSize, startWith]);

  return useStable((first: number, atEnd: boolean) => {
    if (long === undefined || at.current === undefined || at.current.page !== page) return;
    const now = Math.floor((atEnd ? long.count - 1 : first) / pageSize) + 1;
    if (now === page) return;
    at.current = { ...at.current, page: now };
    // All of the page renders with its link: not before whoever scrolls on.
    startTransition(() => state.setPage(now));
  });
}
