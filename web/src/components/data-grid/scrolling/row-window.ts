/** Which rows of a page are rendered: those in sight and some around, above a number of rows. */
import { useVirtualizer } from '@tanstack/react-virtual';
import type { RefObject } from 'react';

/** Fewer rows than this are all rendered: measuring would cost more than it saves. */
const VIRTUAL_FROM = 100;
const OVERSCAN = 8;

export interface RowWindow {
  /** The rows to render, in order. */
  indexes: readonly number[];
  /** Pixels that stand for the rows above and below them. */
  before: number;
  after: number;
  scrollTo: (index: number) => void;
  /** For rows whose height is known only once they are there. */
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
