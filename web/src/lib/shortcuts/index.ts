/** Single-key shortcuts. They are inactive while the user types, and users can turn them off (WCAG 2.1.4). */
import { useLayoutEffect, useRef, useSyncExternalStore } from 'react';

const SETTING = 'single-key-shortcuts';
const listeners = new Set<() => void>();

export const singleKeysEnabled = (): boolean => localStorage.getItem(SETTING) !== 'off';

export function setSingleKeysEnabled(enabled: boolean): void {
  if (enabled) localStorage.removeItem(SETTING);
  else localStorage.setItem(SETTING, 'off');
  for (const listener of listeners) listener();
}

export function useSingleKeysEnabled(): boolean {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, singleKeysEnabled);
}

const TEXT_FIELD = 'input, textarea, select, [contenteditable="true"], [role="combobox"]';

const isWithin = (target: EventTarget | null, selector: string): boolean =>
  target instanceof HTMLElement && target.closest(selector) !== null;

/** Whether the event comes from a text field. */
export const isTyping = (target: EventTarget | null): boolean => isWithin(target, TEXT_FIELD);

/** The attributes of a part of a page that is loading a text field. */
export const AWAITS_TEXT_FIELD = { 'aria-busy': true, 'data-awaits-text-field': '' } as const;

/**
 * Whether the user last clicked a text field, or the place where a text field is loading. The letters that follow are
 * then text, even if the field has no focus because it was not loaded yet or was replaced.
 */
let expectsText = false;
window.addEventListener(
  'pointerdown',
  ({ target }) => {
    const label = target instanceof HTMLElement ? target.closest('label') : null;
    expectsText = isTyping(label?.control ?? target) || isWithin(target, '[data-awaits-text-field]');
  },
  true,
);
window.addEventListener(
  'focusin',
  ({ target }) => {
    if (target instanceof Element && !isTyping(target) && !hasNoFocus(target)) expectsText = false;
  },
  true,
);
window.addEventListener(
  'keydown',
  ({ key }) => {
    if (key === 'Enter' || key === 'Escape') expectsText = false;
  },
  true,
);

/** Whether no control has the focus, for example after a click on an empty area. */
export const hasNoFocus = (focused: Element | null): boolean =>
  focused === null || focused === document.body || focused.tagName === 'MAIN';

/** Whether a pressed key is a shortcut, which it is not while the user types or while a dialog or a menu is open. */
export function isShortcut(event: KeyboardEvent): boolean {
  return (
    !event.defaultPrevented &&
    !event.ctrlKey &&
    !event.metaKey &&
    !event.altKey &&
    !isTyping(event.target) &&
    !expectsText &&
    singleKeysEnabled() &&
    document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"]') === null
  );
}

/**
 * Listens on the window while the component is mounted, and always calls the newest handler. The effects are layout
 * effects, because a slow browser runs other effects only after it has displayed the content, so that a key pressed in
 * between would not act on it.
 */
export function useWindowKey(handle: (event: KeyboardEvent) => void): void {
  const latest = useRef(handle);
  useLayoutEffect(() => {
    latest.current = handle;
  });
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => latest.current(event);
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, []);
}
