/** The row in focus and the keys that act on it: they move, open, select, and open its menu. */
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { actsAsShortcut, isTyping, useWindowKey } from '../../lib/shortcuts/index.ts';
import type { SelectionState } from './selection.ts';

export interface GridKeysOptions<Row> {
  viewport: RefObject<HTMLElement | null>;
  rows: readonly Row[];
  rowHeight: number;
  selectable: boolean;
  selection: SelectionState<Row>;
  scrollTo: (index: number) => void;
  onOpen: ((row: Row) => void) | undefined;
  /** Opens the row's `⋮` menu. */
  onMenu: (row: Row) => void;
  /** The keyboard went to this row. */
  onMove: (index: number) => void;
}

export interface GridKeys {
  /** The row that has the focus, or would get it. */
  active: number;
  /** The focus went to a row by itself. */
  focusedAt: (index: number) => void;
  /** Selects the row, or with `extend` all from the active one down or up to it. */
  toggle: (index: number, extend: boolean) => void;
  onKeyDown: (event: KeyboardEvent) => void;
}

export function useGridKeys<Row>(options: GridKeysOptions<Row>): GridKeys {
  const { viewport, rows, selectable, selection, onOpen } = options;
  const focused = useRef(0);
  const [{ index: activeIndex, focus }, setActive] = useState({ index: 0, focus: 0 });
  const active = Math.min(activeIndex, Math.max(0, rows.length - 1));

  // Without dependencies: a row far away exists only some renders after it was scrolled to.
  useEffect(() => {
    if (focused.current === focus) return;
    const element = viewport.current?.querySelector<HTMLElement>(`[data-row="${active}"]`);
    if (element === null || element === undefined) return;
    focused.current = focus;
    element.focus();
    element.scrollIntoView({ block: 'nearest' });
  });

  function moveTo(index: number, extend: boolean) {
    const target = Math.max(0, Math.min(rows.length - 1, index));
    if (extend && selectable)
      selection.toggle(rows.slice(Math.min(active, target), Math.max(active, target) + 1), true);
    options.scrollTo(target);
    setActive((known) => ({ index: target, focus: known.focus + 1 }));
    options.onMove(target);
  }

  function toggle(index: number, extend: boolean) {
    const [start, end] = extend ? [Math.min(active, index), Math.max(active, index)] : [index, index];
    selection.toggle(rows.slice(start, end + 1), extend ? true : undefined);
    setActive((known) => ({ ...known, index }));
  }

  /** Letters act wherever the focus is, unless somebody types; arrows only on a row. */
  function letter(key: string, extend: boolean): boolean {
    const row = rows[active];
    if (row === undefined) return false;
    const inside = viewport.current?.contains(document.activeElement) ?? false;
    switch (key.toLowerCase()) {
      case 'j':
        moveTo(inside ? active + 1 : active, extend);
        return true;
      case 'k':
        moveTo(inside ? active - 1 : active, extend);
        return true;
      case 'x':
        if (!selectable) return false;
        selection.toggle([row]);
        return true;
      default:
        return false;
    }
  }

  useWindowKey((event) => {
    if (!actsAsShortcut(event)) return;
    const focused = document.activeElement;
    // Whoever just chose the tab of a list means its rows.
    const here =
      focused === document.body ||
      viewport.current?.contains(focused) ||
      focused?.matches('[role="tab"][aria-selected="true"]');
    if (here && letter(event.key, event.shiftKey)) event.preventDefault();
  });

  function onKeyDown(event: KeyboardEvent) {
    const onRow = (event.target as HTMLElement).matches('[data-row]');
    const row = rows[active];
    if (row === undefined || isTyping(event.target)) return;
    if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) {
      event.preventDefault();
      options.onMenu(row);
      return;
    }
    if (!onRow || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor((viewport.current?.clientHeight ?? 0) / options.rowHeight) - 1);
    const moves: Record<string, number> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      Home: 0,
      End: rows.length - 1,
      PageDown: active + page,
      PageUp: active - page,
    };
    const target = moves[event.key];
    if (target !== undefined) moveTo(target, event.shiftKey);
    else if (event.key === 'Enter' && onOpen !== undefined) onOpen(row);
    else if (event.key === ' ' && selectable) selection.toggle([row]);
    else return;
    event.preventDefault();
  }

  return { active, focusedAt: (index) => setActive((known) => ({ ...known, index })), toggle, onKeyDown };
}
