/** Distributes the width of a list over its columns by the width that each needs. */
import type { GridColumn } from '../types.ts';

/** Widths of the content and the header of a column, in pixels. */
export interface ColumnSize {
  /** The widest cell on one line; undefined if there are no rows. */
  content: number | undefined;
  /** The longest word of a wrapping cell. */
  word: number | undefined;
  header: number;
  /** The header on two lines. */
  wrappedHeader: number;
}

export interface ColumnNeed {
  /** Below this width the header, or content that must not be cut, would be cut. */
  least: number;
  /** The minimum width on a narrow screen, so that one more column is visible. */
  narrowest: number;
  /** At this width nothing is cut. */
  want: number;
  /** Whether the column receives a share of the remaining width. */
  grows: boolean;
}

const DEFAULT_MIN_WIDTH = 120;
/** The maximum width that a column requests, however long its texts are. */
const WANT_MAX = 480;
/** User names and other short texts that do not wrap stay on one line up to this width. */
const WHOLE_MAX = 200;
/** Words are not broken up to this width. */
const WORD_MAX = 240;
/** The share of its minimum width that a text column keeps on a narrow screen. */
const NARROW_SHARE = 0.75;

/** The default width of a column that was neither measured nor changed. */
export const widthOf = <Row>(column: GridColumn<Row>): number => column.width ?? column.minWidth ?? DEFAULT_MIN_WIDTH;

export function needOf<Row>(column: GridColumn<Row>, size: ColumnSize): ColumnNeed {
  const defaultWidth = widthOf(column);
  const content = Math.min(WANT_MAX, size.content ?? defaultWidth);
  const want = Math.max(size.header, content);
  const isWhole = column.width !== undefined && size.word === undefined;
  const whole = isWhole ? Math.max(defaultWidth, WHOLE_MAX) : defaultWidth;
  const unbrokenWidth = Math.max(size.wrappedHeader, Math.min(WORD_MAX, size.word ?? 0));
  const least = Math.max(unbrokenWidth, Math.min(content, whole));
  const grows = column.width === undefined;
  // Wrapping text is not cut in a narrow column.
  const isNarrowed = grows || size.word !== undefined;
  const narrowest = isNarrowed ? Math.max(unbrokenWidth, least * NARROW_SHARE) : least;
  return { least, narrowest, want: Math.max(least, want), grows };
}

/** The requirement of a column with a fixed width. */
export const needOfWidth = (width: number): ColumnNeed => ({
  least: width,
  narrowest: width,
  want: width,
  grows: false,
});

/** Widths in whole pixels that fill the available width, or exceed it if the columns need more. */
export function distributeWidth(needs: readonly ColumnNeed[], available: number): number[] {
  const least = sum(needs.map((need) => need.least));
  const want = sum(needs.map((need) => need.want));
  // Narrows wrapping text first, so that no column overflows the list.
  if (least > available && sum(needs.map((need) => need.narrowest)) <= available)
    return distributeWidth(
      needs.map((need) => ({ ...need, least: need.narrowest, want: need.least })),
      available,
    );
  if (want > available) {
    const part = Math.max(0, (available - least) / (want - least || 1));
    return inPixels(needs.map((need) => need.least + part * (need.want - need.least)));
  }
  const growingNeeds = needs.some(({ grows }) => grows) ? needs.filter(({ grows }) => grows) : needs;
  const part = (available - want) / (sum(growingNeeds.map((need) => need.want)) || 1);
  return inPixels(needs.map((need) => need.want + (growingNeeds.includes(need) ? part * need.want : 0)));
}

/**
 * For a narrow screen: the columns that fit fill the width, so that none is partly visible; scrolling sideways shows the
 * others.
 */
export function shareNarrow(needs: readonly ColumnNeed[], available: number): number[] {
  const narrow = needs.map((need) => ({ ...need, least: need.narrowest }));
  let end = 0;
  let count = 0;
  for (const { least } of narrow) {
    end += least;
    if (end > available) break;
    count += 1;
  }
  if (count === 0) return inPixels(needs.map(({ least }, place) => (place === 0 ? available : least)));
  return [
    ...distributeWidth(narrow.slice(0, count), available),
    ...inPixels(needs.slice(count).map(({ least }) => least)),
  ];
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
