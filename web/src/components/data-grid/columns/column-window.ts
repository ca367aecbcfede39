/** Virtualises columns of wide lists: renders the key column, the visible columns, and at most one more per side. */
import { type Range, useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useMemo } from 'react';
import type { GridColumn } from '../types.ts';
import { widthOf } from './column-fit.ts';
import { isKeyPinned } from './pinned-columns.ts';

/** A list with fewer columns renders all of them. */
export const VIRTUAL_FROM = 40;
/** The rendered range moves in steps of this many columns, so that few scroll events cause a render. */
const STEP = 2;

export interface ColumnSlice<Row> {
  columns: readonly GridColumn<Row>[];
  /** The index of each rendered column among the columns that are not hidden. */
  indexes: readonly number[];
  /** Width in pixels of the columns that are not rendered, between the key column and the next rendered column. */
  before: number;
  /** Width in pixels of the columns that are not rendered, after the last rendered column. */
  after: number;
  /** Whether every column has a fixed width. Columns share the remaining width only if all columns are rendered. */
  fixed: boolean;
}

export interface ColumnWindow<Row> {
  slice: ColumnSlice<Row>;
  /** Scrolls to a column by its index. */
  reveal: (index: number) => void;
  /**
   * Scrolls by one column to the right (1) or left (-1); with `all`, to the end. Returns false if the list is not wider
   * than the viewport.
   */
  step: (direction: 1 | -1, all: boolean) => boolean;
}

/** `lead` and `trail` are the widths in pixels of the checkbox column on the left and of the actions on the right. */
export function useColumnWindow<Row>(
  viewport: RefObject<HTMLElement | null>,
  columns: readonly GridColumn<Row>[],
  lead: number,
  trail: number,
): ColumnWindow<Row> {
  const fixed = columns.length >= VIRTUAL_FROM;
  // A new function makes the virtualizer recompute the positions after a change of columns or widths.
  const keyOf = useCallback((index: number) => columns[index]?.id ?? index, [columns]);
  const virtualizer = useVirtualizer({
    horizontal: true,
    count: columns.length,
    getScrollElement: () => viewport.current,
    estimateSize: (index) => widthAt(columns, index),
    getItemKey: keyOf,
    paddingStart: lead,
    overscan: 0,
    rangeExtractor: inSteps,
    enabled: fixed,
  });
  const indexes = fixed ? virtualizer.getVirtualItems().map(({ index }) => index) : NO_INDEXES;
  const indexKey = indexes.join(' ');
  const slice = useMemo<ColumnSlice<Row>>(() => {
    if (!fixed) return { columns, indexes: columns.map((_, index) => index), before: 0, after: 0, fixed };
    const sum = (from: number, to: number) => columns.slice(from, to).reduce((all, column) => all + widthOf(column), 0);
    const rendered = indexes.length === 0 ? columns.slice(0, VIRTUAL_FROM).map((_, index) => index) : indexes;
    return {
      columns: rendered.map((index) => columns[index] as GridColumn<Row>),
      indexes: rendered,
      before: sum(1, rendered[1] ?? 1),
      after: sum((rendered.at(-1) ?? 0) + 1, columns.length),
      fixed,
    };
  }, [columns, fixed, indexKey]);

  const pinnedWidths = useCallback(
    (element: HTMLElement) => {
      const key = element.querySelector<HTMLElement>('th[data-column]');
      return { left: key !== null && isKeyPinned(element) ? lead + key.offsetWidth : 0, right: trail };
    },
    [lead, trail],
  );

  const boundsOf = useCallback(
    (element: HTMLElement, index: number) => {
      if (!fixed) {
        const head = element.querySelectorAll<HTMLElement>('th[data-column]')[index];
        return { start: head?.offsetLeft ?? 0, width: head?.offsetWidth ?? 0 };
      }
      const start = columns.slice(0, index).reduce((all, column) => all + widthOf(column), lead);
      return { start, width: widthAt(columns, index) };
    },
    [columns, fixed, lead],
  );

  const reveal = useCallback(
    (index: number) => {
      const element = viewport.current;
      if (element === null) return;
      const { left, right } = pinnedWidths(element);
      const { start, width } = boundsOf(element, index);
      if (index === 0 && left > 0) return;
      if (start < element.scrollLeft + left) element.scrollLeft = start - left;
      else if (start + width > element.scrollLeft + element.clientWidth - right)
        element.scrollLeft = start + width - element.clientWidth + right;
    },
    [viewport, pinnedWidths, boundsOf],
  );

  const step = useCallback(
    (direction: 1 | -1, all: boolean) => {
      const element = viewport.current;
      if (element === null || element.scrollWidth <= element.clientWidth + 1) return false;
      if (all) {
        element.scrollLeft = direction === 1 ? element.scrollWidth : 0;
        return true;
      }
      const { left, right } = pinnedWidths(element);
      const [from, to] = [element.scrollLeft + left, element.scrollLeft + element.clientWidth - right];
      const bounds = columns.map((_, index) => boundsOf(element, index));
      const next =
        direction === 1
          ? bounds.findIndex(({ start, width }) => start + width > to + 1)
          : bounds.findLastIndex(({ start }, index) => start < from - 1 && !(index === 0 && left > 0));
      if (next >= 0) reveal(next);
      return true;
    },
    [viewport, columns, pinnedWidths, boundsOf, reveal],
  );

  return { slice, reveal, step };
}

const NO_INDEXES: readonly number[] = [];

const widthAt = <Row>(columns: readonly GridColumn<Row>[], index: number): number => {
  const column = columns[index];
  return column === undefined ? 0 : widthOf(column);
};

/** Returns the indexes of the columns to render, including the first column, which identifies the row. */
function inSteps({ startIndex, endIndex, count }: Range): number[] {
  const first = Math.max(0, Math.floor(startIndex / STEP) * STEP);
  const last = Math.min(count - 1, Math.ceil((endIndex + 1) / STEP) * STEP - 1);
  const indexes = Array.from({ length: last - first + 1 }, (_, offset) => first + offset);
  return first === 0 ? indexes : [0, ...indexes];
}
