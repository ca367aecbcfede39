/** Row virtualisation of a page with many rows: renders the visible rows and some rows around them. */
import { useVirtualizer } from '@tanstack/react-virtual';
import type { RefObject } from 'react';

/** A page with fewer rows renders all of them, because measuring rows would cost more than it saves. */
const VIRTUAL_FROM = 100;
const OVERSCAN = 8;

export interface RowWindow {
  /** The rows to render, in order. */
  indexes: readonly number[];
  /** The heights of the rows above and below that are not rendered. */
  before: number;
  after: number;
  scrollTo: (index: number) => void;
  /** Measures rendered rows whose height depends on their content. */
  measure: ((element: HTMLTableRowElement | null) => void) | undefined;
}

export function useRowWindow(
  viewport: RefObject<HTMLElement | null>,
  count: number,
  rowHeight: number,
  keyOf: (index: number) => string | number,
): RowWindow {
  const virtual = count >= VIRTUAL_FROM;
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => viewport.current,
    estimateSize: () => rowHeight,
    getItemKey: keyOf,
    overscan: OVERSCAN,
    enabled: virtual,
  });
  if (!virtual) {
    const indexes = Array.from({ length: count }, (_, index) => index);
    return { indexes, before: 0, after: 0, scrollTo: () => undefined, measure: undefined };
  }
  const items = virtualizer.getVirtualItems();
  return {
    indexes: items.map(({ index }) => index),
    before: items[0]?.start ?? 0,
    after: virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0),
    scrollTo: (index) => virtualizer.scrollToIndex(index),
    measure: virtualizer.measureElement,
  };
}
