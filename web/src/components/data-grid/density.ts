/** The row height: one setting for all lists, stored in the browser. */
import { useSyncExternalStore } from 'react';

export const DENSITIES = { compact: 28, normal: 32, roomy: 40 } as const;
export type Density = keyof typeof DENSITIES;

const KEY = 'density';
const listeners = new Set<() => void>();

function storedDensity(): Density {
  const stored = localStorage.getItem(KEY);
  return stored === 'compact' || stored === 'roomy' ? stored : 'normal';
}

export function setDensity(density: Density): void {
  localStorage.setItem(KEY, density);
  for (const listener of listeners) listener();
}

export function useDensity(): Density {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, storedDensity);
}
