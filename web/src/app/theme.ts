/** Light, dark, or as the system has it; applied before the first paint by public/theme.js. */
import { useEffect, useSyncExternalStore } from 'react';

export type ThemeChoice = 'system' | 'light' | 'dark';
const KEY = 'theme';
const listeners = new Set<() => void>();

function choice(): ThemeChoice {
  const kept = localStorage.getItem(KEY);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

const systemDark = () => window.matchMedia('(prefers-color-scheme: dark)');

function apply(): void {
  const dark = choice() === 'dark' || (choice() === 'system' && systemDark().matches);
  document.documentElement.dataset['theme'] = dark ? 'dark' : 'light';
}

export function setTheme(theme: ThemeChoice): void {
  if (theme === 'system') localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, theme);
  apply();
  for (const listener of listeners) listener();
}

/** The choice; follows the system while that is what was chosen. */
export function useTheme(): ThemeChoice {
  useEffect(() => {
    const media = systemDark();
    media.addEventListener('change', apply);
    return () => media.removeEventListener('change', apply);
  }, []);
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, choice);
}
