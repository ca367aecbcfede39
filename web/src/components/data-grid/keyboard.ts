/** Tracks the focused row, and handles the keys that move the focus, open the row, select the row and open its menu. */
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { hasNoFocus, isShortcut, isTyping, useWindowKey } from '../../lib/shortcuts/index.ts';
import type { CellLayer, GridPosition } from './cell-layer.ts';
import type { Rows } from './rows.ts';
import { useStableCallback } from './stable-callback.ts';

export interface GridKeysOptions<Row> {
  viewport: RefObject<HTMLElement | null>;
  rows: Rows<Row>;
  rowHeight: number;
  /**
   * Selects or deselects the rows, or toggles each row if `selected` is omitted. Undefined if rows are not selectable.
   */
  select: ((from: number, to: number, selected?: boolean) => void) | undefined;
  scrollTo: (index: number) => void;
  /** Scrolls by one column or, with `all`, to the first or last column. Returns false if all columns fit the width. */
  step: (direction: 1 | -1, all: boolean) => boolean;
  /** Whether the grid itself scrolls to the focused row, so that `focus()` must not scroll too. */
  gridScrolls: boolean;
  columns: readonly string[];
  reveal: (columnId: string) => void;
  cells: CellLayer<Row> | undefined;
  onOpen: ((row: Row) => void) | undefined;
  /** Opens the row's `⋮` menu. */
  onMenu: (row: Row) => void;
  /** Called when a key or `goTo` moved the focus to this row. */
  onMove: (index: number) => void;
}

export interface GridKeys<Row> {
  /** The index of the focused row, or of the row that gets the focus first. */
  active: number;
  /** Reports that a row received the focus by other means than these keys. */
  focusedAt: (index: number) => void;
  /**
   * Handles a click on the checkbox of a row: toggles the row or, with `extend`, selects this row and all rows up to
   * the row of the last click, key or `goTo`.
   */
  toggle: (index: number, extend: boolean) => void;
  onKeyDown: (event: KeyboardEvent) => void;
  /**
   * Moves the focus to the row that the user moved to, once that row is rendered. Must be called after every render of
   * the rows.
   */
  takeFocus: () => void;
  /** Returns the position and the functions that the cell layer gets. */
  position: () => GridPosition<Row>;
}

export function useGridKeys<Row>(options: GridKeysOptions<Row>): GridKeys<Row> {
  const { viewport, rows, select, onOpen, gridScrolls } = options;
  /** The number of the focus request that was last carried out. */
  const lastFocusRequest = useRef(0);
  /**
   * The index of the row at which a range starts when the user clicks with Shift. A key, `goTo` or a click on a
   * checkbox sets it. The focused row cannot be the start, because the click moves the focus first.
   */
  const anchor = useRef(0);
  const [{ index: activeIndex, focusRequest }, setActive] = useState({ index: 0, focusRequest: 0 });
  const active = Math.min(activeIndex, Math.max(0, rows.count - 1));

  const takeFocus = useStableCallback(() => {
    if (lastFocusRequest.current === focusRequest) return;
    const element = viewport.current?.querySelector<HTMLElement>(`[data-row="${active}"]`);
    if (element === null || element === undefined) return;
    lastFocusRequest.current = focusRequest;
    element.focus({ preventScroll: gridScrolls });
    element.scrollIntoView({ block: 'nearest' });
  });
  // Runs after every render, because a distant row is rendered only some renders after scrolling to it.
  useEffect(takeFocus);

  function moveTo(index: number, extend: boolean) {
    const target = Math.max(0, Math.min(rows.count - 1, index));
    if (extend) select?.(Math.min(active, target), Math.max(active, target), true);
    anchor.current = target;
    options.scrollTo(target);
    setActive((current) => ({ index: target, focusRequest: current.focusRequest + 1 }));
    options.onMove(target);
  }

  function toggle(index: number, extend: boolean) {
    const from = extend ? Math.min(anchor.current, rows.count - 1) : index;
    const [start, end] = [Math.min(from, index), Math.max(from, index)];
    anchor.current = index;
    select?.(start, end, extend ? true : undefined);
    setActive((current) => ({ ...current, index }));
  }

  /** Letters also work while the focus is on the tab of the list or nowhere. Arrow keys work only on a focused row. */
  function handleLetter(key: string, extend: boolean): boolean {
    if (rows.count === 0) return false;
    const inside = viewport.current?.contains(document.activeElement) ?? false;
    switch (key.toLowerCase()) {
      case 'j':
        moveTo(inside ? active + 1 : active, extend);
        return true;
      case 'k':
        moveTo(inside ? active - 1 : active, extend);
        return true;
      case 'x':
        select?.(active, active);
        return select !== undefined;
      default:
        return false;
    }
  }

  useWindowKey((event) => {
    if (!isShortcut(event)) return;
    const focused = document.activeElement;
    // While the focus is on the selected tab, keys act on the list of that tab.
    const isForList =
      hasNoFocus(focused) ||
      viewport.current?.contains(focused) ||
      focused?.matches('[role="tab"][aria-selected="true"]');
    if (isForList && handleLetter(event.key, event.shiftKey)) event.preventDefault();
  });

  function onKeyDown(event: KeyboardEvent) {
    const onRow = (event.target as HTMLElement).matches('[data-row]');
    if (rows.count === 0 || isTyping(event.target)) return;
    const handled = options.cells?.onKeyDown?.(event, position()) ?? false;
    if (handled !== false) {
      if (handled !== 'typed') event.preventDefault();
      return;
    }
    const row = rows.at(active);
    if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) {
      event.preventDefault();
      if (row !== undefined) options.onMenu(row);
      return;
    }
    if (!onRow || event.altKey) return;
    if (event.key === 'ArrowRight' || event.key === 'ArrowLeft') {
      const hasScrolled = options.step(event.key === 'ArrowRight' ? 1 : -1, event.ctrlKey || event.metaKey);
      if (hasScrolled) event.preventDefault();
      return;
    }
    if (event.ctrlKey || event.metaKey) return;
    const page = Math.max(1, Math.floor((viewport.current?.clientHeight ?? 0) / options.rowHeight) - 1);
    const moves: Record<string, number> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      Home: 0,
      End: rows.count - 1,
      PageDown: active + page,
      PageUp: active - page,
    };
    const target = moves[event.key];
    if (target !== undefined) moveTo(target, event.shiftKey);
    else if (event.key === 'Enter' && onOpen !== undefined && row !== undefined) onOpen(row);
    else if (event.key === ' ' && select !== undefined) select(active, active);
    else return;
    event.preventDefault();
  }

  const position = (): GridPosition<Row> => ({
    index: active,
    count: rows.count,
    rowAt: rows.at,
    columns: options.columns,
    goTo: (index) => moveTo(index, false),
    reveal: options.reveal,
  });

  return {
    active,
    position,
    takeFocus,
    focusedAt: (index) => setActive((current) => (current.index === index ? current : { ...current, index })),
    toggle,
    onKeyDown,
  };
}
