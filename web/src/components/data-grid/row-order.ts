/** Keeps rows in place under the cursor while other users change the list. A bar announces the pending changes. */
import { useRef, useState } from 'react';

export interface OrderedRows<Row> {
  rows: readonly Row[];
  /** The number of added and removed rows that are not displayed yet; 1 if rows only moved. */
  pendingCount: number;
}

/**
 * Returns the rows in their previous order, with current values. Removed rows are still included, with their last
 * values; added rows are not included yet.
 */
export function keepOrder<Row>(
  before: readonly Row[],
  after: readonly Row[],
  idOf: (row: Row) => string,
): OrderedRows<Row> {
  const currentRows = new Map(after.map((row) => [idOf(row), row]));
  const previousIds = new Set(before.map(idOf));
  const removedCount = before.filter((row) => !currentRows.has(idOf(row))).length;
  const addedCount = after.filter((row) => !previousIds.has(idOf(row))).length;
  const remainingIds = after.filter((row) => previousIds.has(idOf(row))).map(idOf);
  const hasMoved =
    before
      .map(idOf)
      .filter((id) => currentRows.has(id))
      .join(' ') !== remainingIds.join(' ');
  return {
    rows: before.map((row) => currentRows.get(idOf(row)) ?? row),
    pendingCount: removedCount + addedCount + (hasMoved && removedCount + addedCount === 0 ? 1 : 0),
  };
}

/** Whether the rows up to `index` are the same, in the same order, so that the row under the cursor would not move. */
export function isUnmoved<Row>(
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

/** Whether both lists contain the same rows, in any order. */
function hasSameRows<Row>(before: readonly Row[], after: readonly Row[], idOf: (row: Row) => string): boolean {
  const previousIds = new Set(before.map(idOf));
  return before.length === after.length && after.every((row) => previousIds.has(idOf(row)));
}

/**
 * Why changes are pending: other users changed the list, or own edits moved rows or removed them from the search and
 * filter results.
 */
export type PendingReason = 'others' | 'moved' | 'unmatched';

export interface RowOrder<Row> extends OrderedRows<Row> {
  reason: PendingReason;
  /** Displays the pending changes. */
  showPending: () => void;
  /** The index of the row with the pointer or the focus; undefined if no row has either. */
  guard: { current: number | undefined };
}

/** Whether rows were removed and all of them must stay displayed. */
function removesOnlyKeptRows<Row>(
  before: readonly Row[],
  after: readonly Row[],
  idOf: (row: Row) => string,
  mustStay: (row: Row) => boolean,
): boolean {
  const currentIds = new Set(after.map(idOf));
  const removed = before.filter((row) => !currentIds.has(idOf(row)));
  return removed.length > 0 && removed.every(mustStay);
}

/** Why the effect of own edits on the list is delayed; undefined if the effect is not delayed. */
function reasonOfEdits<Row>(
  before: readonly Row[],
  after: readonly Row[],
  idOf: (row: Row) => string,
  isEdited: (row: Row) => boolean,
): PendingReason | undefined {
  if (hasSameRows(before, after, idOf)) return 'moved';
  return removesOnlyKeptRows(before, after, idOf, isEdited) ? 'unmatched' : undefined;
}

/**
 * How current the rows are: the counters of `LiveUpdates`, and the time of the last read (undefined if unknown).
 */
interface ReadState {
  others: number;
  own: number;
  readAt: number | undefined;
  /** Whether the rows still belong to the previous view, because the rows of this view are not loaded yet. */
  isPlaceholder: boolean | undefined;
}

/**
 * Delays changes by other users that would move the row under the cursor. Own changes are displayed immediately,
 * together with all pending changes. `view` identifies the page, sort and filter; another view is displayed
 * immediately. `positionOf` converts an index in the list to an index in `rows`. With `isEdited`, own edits that only
 * move rows or only remove edited rows are delayed too, because a user who fills in a column expects the rows to stay
 * in place.
 */
export function useRowOrder<Row>(
  rows: readonly Row[],
  view: string,
  readState: ReadState,
  idOf: (row: Row) => string,
  positionOf: (index: number) => number | undefined = (index) => index,
  isEdited?: (row: Row) => boolean,
): RowOrder<Row> {
  const guard = useRef<number | undefined>(undefined);
  const [shown, setShown] = useState({
    view,
    source: rows,
    rows,
    readState,
    pendingCount: 0,
    reason: 'others' as PendingReason,
  });
  const isOwnChange = readState.readAt !== undefined && readState.own !== shown.readState.own;

  if (readState.isPlaceholder) {
    // Keeps the rows of the previous view until the rows of this view are loaded.
  } else if (shown.source !== rows || shown.view !== view || (isOwnChange && shown.pendingCount > 0)) {
    const index = guard.current === undefined ? undefined : positionOf(guard.current);
    const isChangeByOthers = readState.others !== shown.readState.others && !isOwnChange;
    const wouldMoveUnderCursor =
      shown.view === view && index !== undefined && !isUnmoved(shown.rows, rows, index, idOf);
    const reason = isChangeByOthers
      ? 'others'
      : isEdited !== undefined
        ? reasonOfEdits(shown.rows, rows, idOf, isEdited)
        : undefined;
    setShown(
      wouldMoveUnderCursor && reason !== undefined
        ? {
            view,
            source: rows,
            readState: { ...readState, others: shown.readState.others },
            reason,
            ...keepOrder(shown.rows, rows, idOf),
          }
        : { view, source: rows, rows, readState, pendingCount: 0, reason: 'others' },
    );
  } else if (shown.readState.readAt !== readState.readAt && shown.pendingCount === 0) {
    // A new read returned the same rows, so the changes before that read affected none of them.
    setShown({ ...shown, readState });
  }

  return {
    rows: shown.rows,
    pendingCount: shown.pendingCount,
    reason: shown.reason,
    guard,
    showPending: () => setShown({ view, source: rows, rows, readState, pendingCount: 0, reason: 'others' }),
  };
}
