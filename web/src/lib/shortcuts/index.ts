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

/** Whether the target of an event is a text field or a part of it. */
export const isTyping = (target: EventTarget | null): boolean => isWithin(target, TEXT_FIELD);

/** The attributes of a part of a page that is loading a text field. */
export const AWAITS_TEXT_FIELD = { 'aria-busy': true, 'data-awaits-text-field': '' } as const;

/**
 * Whether the user clicked a text field or its placeholder, and has since neither pressed Enter or Escape nor moved to
 * another control. The next letters are then text, even while the field is still loading or was replaced.
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

/**
 * Whether a key can be a shortcut. Keys are no shortcuts with Ctrl, Meta or Alt, while the user types, while a dialog
 * or menu is open, or if the user turned them off.
 */
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
 * Calls the newest handler for each key. Uses layout effects, because a slow browser may run other effects after it
 * displays the content: a key pressed in between would be lost.
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
