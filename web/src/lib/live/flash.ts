/** Marks rows that another user or the system just changed: lists highlight them with the name of the actor. */
import { useSyncExternalStore } from 'react';

const SHOWN_MS = 4_000;

export interface Flash {
  /** The user who made the change; null if the system or a user without a session made the change. */
  actorId: number | null;
}

const flashes = new Map<string, Flash>();
const listeners = new Set<() => void>();

/** Identifies a row by its kind and its id. */
const keyOf = (kind: string, id: string | number): string => `${kind}:${id}`;

function notifyListeners(): void {
  for (const listener of listeners) listener();
}

export function flashRows(kind: string, ids: readonly (string | number)[], actorId: number | null): void {
  const flash: Flash = { actorId };
  for (const id of ids) flashes.set(keyOf(kind, id), flash);
  notifyListeners();
  setTimeout(() => {
    for (const id of ids) if (flashes.get(keyOf(kind, id)) === flash) flashes.delete(keyOf(kind, id));
    notifyListeners();
  }, SHOWN_MS);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useFlash = (kind: string | undefined, id: string | number): Flash | undefined =>
  useSyncExternalStore(subscribe, () => (kind === undefined ? undefined : flashes.get(keyOf(kind, id))));
