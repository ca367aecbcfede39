/** Stores the most recently opened data sets of a user in the browser, until the user signs out. */
import { useSyncExternalStore } from 'react';

const OPENED_MAX = 5;
const PREFIX = 'opened-data-sets ';
const NONE: readonly number[] = [];

const listeners = new Set<() => void>();

/** Moves a data set to the beginning of the list. */
export function rememberOpenedDataSet(userId: number, dataSetId: number): void {
  const others = parseIds(localStorage.getItem(PREFIX + userId)).filter((id) => id !== dataSetId);
  localStorage.setItem(PREFIX + userId, JSON.stringify([dataSetId, ...others].slice(0, OPENED_MAX)));
  for (const listener of listeners) listener();
}

export function forgetOpenedDataSets(): void {
  for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX)) localStorage.removeItem(key);
}

export function useOpenedDataSets(userId: number): readonly number[] {
  return parseIds(useSyncExternalStore(subscribe, () => localStorage.getItem(PREFIX + userId)));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function parseIds(text: string | null): readonly number[] {
  try {
    const ids: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(ids) ? ids.filter((id) => Number.isSafeInteger(id)) : NONE;
  } catch {
    return NONE;
  }
}
