/** Letters that act on the row in focus of a grid: accept, reject, submit. The row names itself by `data-row-key`. */
import { type RefObject, useEffect, useRef } from 'react';
import { actsAsShortcut, useWindowKey } from './index.ts';

const TAB_STOP = '[data-row][tabindex="0"]';

/** The key of the row in focus; after its row went away, that of the row which took its place. */
export function rowKeyInFocus(area: HTMLElement): string | undefined {
  const focused = document.activeElement;
  const inside = focused !== null && area.contains(focused);
  if (!inside && focused !== document.body) return undefined;
  const row = (inside ? focused.closest('[data-row]') : null) ?? area.querySelector(TAB_STOP);
  return row?.querySelector<HTMLElement>('[data-row-key]')?.dataset['rowKey'];
}

/**
 * Calls `act` with the letter, the row's key and whether Shift was held; it answers whether the letter meant something. When the row leaves the
 * list because of it, the focus goes to the row that took its place, so that a queue can be worked through by one key.
 */
export function useRowKeys(
  area: RefObject<HTMLElement | null>,
  act: (letter: string, rowKey: string, shift: boolean) => boolean,
): void {
  /** No letter acts before the person has been on a row: nobody decides about what they have not seen. */
  const armed = useRef(false);
  const acted = useRef(false);

  useEffect(() => {
    const element = area.current;
    if (element === null) return;
    const arm = (event: FocusEvent) => {
      if ((event.target as HTMLElement).closest('[data-row]') !== null) armed.current = true;
    };
    const elsewhere = () => {
      acted.current = false;
    };
    element.addEventListener('focusin', arm);
    window.addEventListener('pointerdown', elsewhere);
    return () => {
      element.removeEventListener('focusin', arm);
      window.removeEventListener('pointerdown', elsewhere);
    };
  }, [area]);

  // Without dependencies: the row leaves some renders after the letter.
  useEffect(() => {
    if (!acted.current || document.activeElement !== document.body) return;
    const next = area.current?.querySelector<HTMLElement>(TAB_STOP);
    if (next === null || next === undefined) return;
    acted.current = false;
    next.focus();
  });

  useWindowKey((event) => {
    if (!armed.current || area.current === null || !actsAsShortcut(event)) return;
    const rowKey = rowKeyInFocus(area.current);
    if (rowKey === undefined || !act(event.key.toLowerCase(), rowKey, event.shiftKey)) return;
    acted.current = true;
    event.preventDefault();
  });
}
