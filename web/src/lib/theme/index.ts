/** The theme: light, dark, or the theme of the system. `public/theme.js` applies it before the first paint. */
import { useSyncExternalStore } from 'react';

export type ThemeChoice = 'system' | 'light' | 'dark';

export const THEME_OPTIONS: readonly { value: ThemeChoice; label: string }[] = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

const KEY = 'theme';
const listeners = new Set<() => void>();

function storedChoice(): ThemeChoice {
  const stored = localStorage.getItem(KEY);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

const systemDark = () => window.matchMedia('(prefers-color-scheme: dark)');
const printing = () => window.matchMedia('print');

function apply(): void {
  const isDarkOnScreen = storedChoice() === 'dark' || (storedChoice() === 'system' && systemDark().matches);
  // Pages are printed in the light theme.
  const dark = isDarkOnScreen && !printing().matches;
  document.documentElement.dataset['theme'] = dark ? 'dark' : 'light';
}

export function setTheme(theme: ThemeChoice): void {
  if (theme === 'system') localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, theme);
  apply();
  for (const listener of listeners) listener();
}

/** Follows changes of the system theme, and applies the light theme for printing. Public pages call this too. */
export function followSystemTheme(): void {
  systemDark().addEventListener('change', apply);
  printing().addEventListener('change', apply);
}

/** The theme that is selected in this browser. */
export function useTheme(): ThemeChoice {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, storedChoice);
}
