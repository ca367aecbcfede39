/** Keeps rows in their place under the cursor while others change the list; what is new waits behind a bar. */
import { useRef, useState } from 'react';

export interface Held<Row> {
  rows: readonly Row[];
  /** Rows that came, went or moved and wait to be shown. */
  waiting: number;
}

/** Rows in the order they were in, each as it is now; a row that is gone stays as it was. */
export function hold<Row>(before: readonly Row[], after: readonly Row[], idOf: (row: Row) => string): Held<Row> {
  const now = new Map(after.map((row) => [idOf(row), row]));
  const had = new Set(before.map(idOf));
  const gone = before.filter((row) => !now.has(idOf(row))).length;
  const came = after.filter((row) => !had.has(idOf(row))).length;
  const kept = after.filter((row) => had.has(idOf(row))).map(idOf);
  const moved =
    before
      .map(idOf)
      .filter((id) => now.has(id))
      .join(' ') !== kept.join(' ');
  return {
    rows: before.map((row) => now.get(idOf(row)) ?? row),
    waiting: gone + came + (moved && gone + came === 0 ? 1 : 0),
  };
}

/** Are the rows down to this one the same, in the same order? Then nothing would move under the cursor. */
export function isStill<Row>(
  before: readonly Row[],
  after: readonly Row[],
  index: number,
  idOf: (row: Row) => string,
): boolean {
  return before.slice(0, index + 1).every((row, position) => {
    const next = after[position];
    return next !== undefined && idOf(next) === idOf(row);
  });
}

/** Are these the same rows, in whatever order? */
function isReordered<Row>(before: readonly Row[], after: readonly Row[], idOf: (row: Row) => string): boolean {
  const had = new Set(before.map(idOf));
  return before.length === after.length && after.every((row) => had.has(idOf(row)));
}

export interface HeldRows<Row> extends Held<Row> {
  /** Shows what waits. */
  adopt: () => void;
  /** The row under the pointer or with the focus, by its index; undefined when the person is elsewhere. */
  guard: { current: number | undefined };
}

/**
 * `view` names what is listed (page, sort, filter): another view is shown at once. `others` counts live changes by other
 * people; only those wait, the person's own take effect at once. `positionOf` turns a place in the list into one in `rows`.
 * With `steady` the own changes do not reorder rows either: whoever types down a sorted column means the rows as they stand.
 */
export function useHeldRows<Row>(
  rows: readonly Row[],
  view: string,
  others: number,
  idOf: (row: Row) => string,
  positionOf: (index: number) => number | undefined = (index) => index,
  steady = false,
): HeldRows<Row> {
  const guard = useRef<number | undefined>(undefined);
  const [shown, setShown] = useState({ view, source: rows, rows, others, waiting: 0 });

  if (shown.source !== rows || shown.view !== view) {
    const index = guard.current === undefined ? undefined : positionOf(guard.current);
    const disturbs =
      shown.view === view &&
      index !== undefined &&
      !isStill(shown.rows, rows, index, idOf) &&
      (others !== shown.others || (steady && isReordered(shown.rows, rows, idOf)));
    setShown(
      disturbs
        ? { view, source: rows, others: shown.others, ...hold(shown.rows, rows, idOf) }
        : { view, source: rows, rows, others, waiting: 0 },
    );
  }

  return {
    rows: shown.rows,
    waiting: shown.waiting,
    guard,
    adopt: () => setShown({ view, source: rows, rows, others, waiting: 0 }),
  };
}
