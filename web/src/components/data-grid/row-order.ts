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

/** Why rows wait: others changed the list, or own edits moved rows or took them out of the search and the filter. */
export type Waiting = 'others' | 'moved' | 'left';

export interface HeldRows<Row> extends Held<Row> {
  why: Waiting;
  /** Shows what waits. */
  adopt: () => void;
  /** The row under the pointer or with the focus, by its index; undefined when the person is elsewhere. */
  guard: { current: number | undefined };
}

/** Did only rows leave that are to stay? */
function onlyLeft<Row>(
  before: readonly Row[],
  after: readonly Row[],
  idOf: (row: Row) => string,
  stays: (row: Row) => boolean,
): boolean {
  const now = new Set(after.map(idOf));
  const left = before.filter((row) => !now.has(idOf(row)));
  return left.length > 0 && left.every(stays);
}

/** What own edits did to the list, as far as it is to wait. */
function whyOfEdits<Row>(
  before: readonly Row[],
  after: readonly Row[],
  idOf: (row: Row) => string,
  edited: (row: Row) => boolean,
): Waiting | undefined {
  if (isReordered(before, after, idOf)) return 'moved';
  return onlyLeft(before, after, idOf, edited) ? 'left' : undefined;
}

/** What `useHeldRows` tells apart: counters of `LiveUpdates`, and when the list was last read (undefined: not told). */
interface Seen {
  others: number;
  own: number;
  readAt: number | undefined;
  /** The rows are those of the view before, until those of this view are read. */
  isPlaceholder: boolean | undefined;
}

/**
 * `view` names what is listed (page, sort, filter): another view is shown at once. Only changes by others wait: one's own
 * take effect at once, and whatever waits is then shown with them. A change counts until the list is read with it.
 * `positionOf` turns a place in the list into one in `rows`.
 * Where rows are `edited` in place, the own changes do not reorder them either, and a row whose edit the filter does not find
 * any more stays: whoever types down a column means the rows as they stand.
 */
export function useHeldRows<Row>(
  rows: readonly Row[],
  view: string,
  seen: Seen,
  idOf: (row: Row) => string,
  positionOf: (index: number) => number | undefined = (index) => index,
  edited?: (row: Row) => boolean,
): HeldRows<Row> {
  const guard = useRef<number | undefined>(undefined);
  const [shown, setShown] = useState({ view, source: rows, rows, seen, waiting: 0, why: 'others' as Waiting });
  const byOwn = seen.readAt !== undefined && seen.own !== shown.seen.own;

  if (seen.isPlaceholder) {
    // What is shown stays, and stays that of the view before: the rows of this view will be shown at once.
  } else if (shown.source !== rows || shown.view !== view || (byOwn && shown.waiting > 0)) {
    const index = guard.current === undefined ? undefined : positionOf(guard.current);
    const byOthers = seen.others !== shown.seen.others && !byOwn;
    const isInHand = shown.view === view && index !== undefined && !isStill(shown.rows, rows, index, idOf);
    const why = byOthers ? 'others' : edited !== undefined ? whyOfEdits(shown.rows, rows, idOf, edited) : undefined;
    setShown(
      isInHand && why !== undefined
        ? { view, source: rows, seen: { ...seen, others: shown.seen.others }, why, ...hold(shown.rows, rows, idOf) }
        : { view, source: rows, rows, seen, waiting: 0, why: 'others' },
    );
  } else if (shown.seen.readAt !== seen.readAt && shown.waiting === 0) {
    // Read, and nothing is different: what changed until now concerned no row of this list.
    setShown({ ...shown, seen });
  }

  return {
    rows: shown.rows,
    waiting: shown.waiting,
    why: shown.why,
    guard,
    adopt: () => setShown({ view, source: rows, rows, seen, waiting: 0, why: 'others' }),
  };
}
