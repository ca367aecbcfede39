/** Distributes the width of a list over its columns according to the width that each column needs. */
import type { GridColumn } from '../types.ts';

/** Widths of the content and the header of a column, in pixels. */
export interface ColumnSize {
  /** The widest cell on one line; undefined if there are no rows. */
  content: number | undefined;
  /** The longest word; undefined if the cells do not wrap. */
  word: number | undefined;
  header: number;
  /** The header on two lines. */
  wrappedHeader: number;
}

export interface ColumnNeed {
  /** The minimum width: fits the header and short content, and gives longer content at least `widthOf(column)`. */
  min: number;
  /** The reduced minimum width, for narrow screens and for lists that would otherwise overflow. */
  narrowMin: number;
  /** The width at which the header and content up to `PREFERRED_MAX` are not cut. */
  preferred: number;
  /** Whether the column receives a share of the remaining width. If no column grows, all columns receive a share. */
  grows: boolean;
}

const DEFAULT_MIN_WIDTH = 120;
/** The maximum width that a column requests for its content. */
const PREFERRED_MAX = 480;
/** User names and other short texts that do not wrap are not cut up to this width. */
const ONE_LINE_MAX = 200;
/** A word up to this width is not broken. */
const WORD_MAX = 240;
/** The `narrowMin` of a text column, as a share of its `min`. */
const NARROW_SHARE = 0.75;

/** The width of a column: its `width` or, without it, its minimum width. */
export const widthOf = <Row>(column: GridColumn<Row>): number => column.width ?? column.minWidth ?? DEFAULT_MIN_WIDTH;

export function needOf<Row>(column: GridColumn<Row>, size: ColumnSize): ColumnNeed {
  const defaultWidth = widthOf(column);
  const content = Math.min(PREFERRED_MAX, size.content ?? defaultWidth);
  const preferred = Math.max(size.header, content);
  const staysOnOneLine = column.width !== undefined && size.word === undefined;
  const uncutWidth = staysOnOneLine ? Math.max(defaultWidth, ONE_LINE_MAX) : defaultWidth;
  const unbrokenWidth = Math.max(size.wrappedHeader, Math.min(WORD_MAX, size.word ?? 0));
  const min = Math.max(unbrokenWidth, Math.min(content, uncutWidth));
  const grows = column.width === undefined;
  // Wrapping text is not cut in a narrow column.
  const isNarrowed = grows || size.word !== undefined;
  const narrowMin = isNarrowed ? Math.max(unbrokenWidth, min * NARROW_SHARE) : min;
  return { min, narrowMin, preferred: Math.max(min, preferred), grows };
}

/** The need of a column with a fixed width. */
export const needOfWidth = (width: number): ColumnNeed => ({
  min: width,
  narrowMin: width,
  preferred: width,
  grows: false,
});

/** Widths in whole pixels that fill the available width, or exceed it if the columns need more. */
export function distributeWidth(needs: readonly ColumnNeed[], available: number): number[] {
  const min = sum(needs.map((need) => need.min));
  const preferred = sum(needs.map((need) => need.preferred));
  // Narrow the text columns if all columns then fit.
  if (min > available && sum(needs.map((need) => need.narrowMin)) <= available)
    return distributeWidth(
      needs.map((need) => ({ ...need, min: need.narrowMin, preferred: need.min })),
      available,
    );
  if (preferred > available) {
    const share = Math.max(0, (available - min) / (preferred - min || 1));
    return inPixels(needs.map((need) => need.min + share * (need.preferred - need.min)));
  }
  const growingNeeds = needs.some(({ grows }) => grows) ? needs.filter(({ grows }) => grows) : needs;
  const growth = (available - preferred) / (sum(growingNeeds.map((need) => need.preferred)) || 1);
  return inPixels(needs.map((need) => need.preferred + (growingNeeds.includes(need) ? growth * need.preferred : 0)));
}

/**
 * Distributes the width of a narrow screen. The first columns that fit fill the width, so that no column is partly
 * visible. The user scrolls sideways to see further columns.
 */
export function distributeNarrowWidth(needs: readonly ColumnNeed[], available: number): number[] {
  const narrow = needs.map((need) => ({ ...need, min: need.narrowMin }));
  let end = 0;
  let count = 0;
  for (const { min } of narrow) {
    end += min;
    if (end > available) break;
    count += 1;
  }
  if (count === 0) return inPixels(needs.map(({ min }, index) => (index === 0 ? available : min)));
  return [...distributeWidth(narrow.slice(0, count), available), ...inPixels(needs.slice(count).map(({ min }) => min))];
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);

/** Rounds the positions of the column edges instead of the widths, so that the sum of the widths is exact. */
function inPixels(widths: readonly number[]): number[] {
  let end = 0;
  return widths.map((width) => {
    const start = Math.round(end);
    end += width;
    return Math.round(end) - start;
  });
}
