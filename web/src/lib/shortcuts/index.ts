/** Single-key shortcuts: off while typing, and off altogether for those who wish so (WCAG 2.1.4). */
import { useEffect, useRef, useSyncExternalStore } from 'react';

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

/** Is the person writing into something, so that a letter is a letter? */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest('input, textarea, select, [contenteditable="true"], [role="combobox"]') !== null
  );
}

/** Nothing in particular has the focus: the page has it, as after a click beside everything or a form that was left. */
export const isNowhere = (focused: Element | null): boolean =>
  focused === null || focused === document.body || focused.tagName === 'MAIN';

/** May a bare letter act now? Not while typing, nor under a dialog or a menu. */
export function actsAsShortcut(event: KeyboardEvent): boolean {
  return (
    !event.defaultPrevented &&
    !event.ctrlKey &&
    !event.metaKey &&
    !event.altKey &&
    !isTyping(event.target) &&
    singleKeysEnabled() &&
    document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"]') === null
  );
}

/** Listens on the window for as long as the component lives; the newest handler is always the one called. */
export function useWindowKey(handle: (event: KeyboardEvent) => void): void {
  const latest = useRef(handle);
  useEffect(() => {
    latest.current = handle;
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => latest.current(event);
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, []);
}
