/**
 * Single-key shortcuts on the focused row of a grid, such as accept, reject and submit. A cell of each row has the
 * attribute `data-row-key`.
 */
import { type RefObject, useEffect, useRef } from 'react';
import { isShortcut, useWindowKey } from './index.ts';

const TAB_STOP = '[data-row][tabindex="0"]';
/** Keys that can act on a row: the letters except J and K, which move the focus, and the numbers of suggestions. */
const ACTING_KEY = /^[a-ilm-z1-5]$/i;

/**
 * Returns the `data-row-key` of the focused row. If no row has the focus, returns that of the row with the tab stop.
 * Returns undefined while a control outside the area has the focus.
 */
export function rowKeyInFocus(area: HTMLElement): string | undefined {
  const focused = document.activeElement;
  const inside = focused !== null && area.contains(focused);
  if (!inside && focused !== document.body) return undefined;
  const row = (inside ? focused.closest('[data-row]') : null) ?? area.querySelector(TAB_STOP);
  return row?.querySelector<HTMLElement>('[data-row-key]')?.dataset['rowKey'];
}

/**
 * Calls `act` with the pressed key in lower case, the `data-row-key` of the row, and whether Shift was pressed. The
 * row is the focused row or the row `openRowKey`. `act` returns whether it handled the key.
 *
 * - If `act` removes the row, the next row gets the focus, so that users can process a list with one key.
 * - `openRowKey` is the `data-row-key` of the row whose record is open beside the list. Keys act on this row until a
 *   row of the list has had the focus, and while a control outside the list has the focus.
 * - Without `openRowKey`, the first key only moves the focus to a row, so that users see the row before a key acts on
 *   the row.
 */
export function useRowKeys(
  area: RefObject<HTMLElement | null>,
  act: (pressedKey: string, rowKey: string, shift: boolean) => boolean,
  openRowKey?: string,
): void {
  /** Whether a row has had the focus. Users must not decide about rows that they have not seen. */
  const hasFocusedRow = useRef(false);
  const hasActed = useRef(false);

  useEffect(() => {
    const element = area.current;
    if (element === null) return;
    const onFocusIn = (event: FocusEvent) => {
      if ((event.target as HTMLElement).closest('[data-row]') !== null) hasFocusedRow.current = true;
    };
    const onPointerDown = () => {
      hasActed.current = false;
    };
    element.addEventListener('focusin', onFocusIn);
    window.addEventListener('pointerdown', onPointerDown);
    return () => {
      element.removeEventListener('focusin', onFocusIn);
      window.removeEventListener('pointerdown', onPointerDown);
    };
  }, [area]);

  // Runs after every render, because the row is removed some renders after the key press.
  useEffect(() => {
    if (!hasActed.current || document.activeElement !== document.body) return;
    const next = area.current?.querySelector<HTMLElement>(TAB_STOP);
    if (next === null || next === undefined) return;
    hasActed.current = false;
    next.focus();
  });

  useWindowKey((event) => {
    if (area.current === null || !isShortcut(event)) return;
    const rowKey = (hasFocusedRow.current ? rowKeyInFocus(area.current) : undefined) ?? openRowKey;
    if (rowKey === undefined) {
      if (ACTING_KEY.test(event.key)) area.current.querySelector<HTMLElement>(TAB_STOP)?.focus();
      return;
    }
    if (!act(event.key.toLowerCase(), rowKey, event.shiftKey)) return;
    hasActed.current = true;
    event.preventDefault();
  });
}
