/** Single-key shortcuts on the focused row of a grid: accept, reject, submit. Rows carry `data-row-key`. */
import { type RefObject, useEffect, useRef } from 'react';
import { isShortcut, useWindowKey } from './index.ts';

const TAB_STOP = '[data-row][tabindex="0"]';

/** The key of the focused row; if the row was removed, that of the row at the same place. */
export function rowKeyInFocus(area: HTMLElement): string | undefined {
  const focused = document.activeElement;
  const inside = focused !== null && area.contains(focused);
  if (!inside && focused !== document.body) return undefined;
  const row = (inside ? focused.closest('[data-row]') : null) ?? area.querySelector(TAB_STOP);
  return row?.querySelector<HTMLElement>('[data-row-key]')?.dataset['rowKey'];
}

/**
 * Calls `act` with the letter, the row's key and whether Shift was held; it returns whether it handled the letter. If
 * that removes the row from the list, the next row at the same place gets the focus, so that a queue can be processed
 * with one key.
 */
export function useRowKeys(
  area: RefObject<HTMLElement | null>,
  act: (letter: string, rowKey: string, shift: boolean) => boolean,
): void {
  /** Shortcuts are inactive until a row had the focus: users must not decide about rows that they have not seen. */
  const armed = useRef(false);
  const acted = useRef(false);

  useEffect(() => {
    const element = area.current;
    if (element === null) return;
    const arm = (event: FocusEvent) => {
      if ((event.target as HTMLElement).closest('[data-row]') !== null) armed.current = true;
    };
    const clearActed = () => {
      acted.current = false;
    };
    element.addEventListener('focusin', arm);
    window.addEventListener('pointerdown', clearActed);
    return () => {
      element.removeEventListener('focusin', arm);
      window.removeEventListener('pointerdown', clearActed);
    };
  }, [area]);

  // No dependencies: the row is removed some renders after the key press.
  useEffect(() => {
    if (!acted.current || document.activeElement !== document.body) return;
    const next = area.current?.querySelector<HTMLElement>(TAB_STOP);
    if (next === null || next === undefined) return;
    acted.current = false;
    next.focus();
  });

  useWindowKey((event) => {
    if (!armed.current || area.current === null || !isShortcut(event)) return;
    const rowKey = rowKeyInFocus(area.current);
    if (rowKey === undefined || !act(event.key.toLowerCase(), rowKey, event.shiftKey)) return;
    acted.current = true;
    event.preventDefault();
  });
}
