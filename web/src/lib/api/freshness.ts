/**
 * Read-your-own-writes: for a while after a write, reads are sent with the position of the write. The header of the
 * application shows whether responses are still older than the write.
 */
import { OWN_WRITE_FRESHNESS_MS } from '@rdm/contracts/constants';

let lastWrite: { position: string; until: number } | undefined;
let behind = false;
const listeners = new Set<() => void>();

/** Positions are "commit/prepare" in decimal; the commit part determines the order. */
export function isBefore(left: string, right: string): boolean {
  return commitOf(left) < commitOf(right);
}

function commitOf(position: string): bigint {
  const digits = /^\d+/.exec(position)?.[0];
  return digits === undefined ? 0n : BigInt(digits);
}

/** Stores the position of an own write. A late response to an older write is ignored. */
export function rememberWrite(position: string): void {
  if (lastWrite === undefined || lastWrite.until < Date.now() || isBefore(lastWrite.position, position)) {
    lastWrite = { position, until: Date.now() + OWN_WRITE_FRESHNESS_MS };
  }
}

/** The position to send with reads; undefined if the user has written nothing for a while. */
export function minPosition(): string | undefined {
  return lastWrite !== undefined && lastWrite.until >= Date.now() ? lastWrite.position : undefined;
}

/** Notes whether a response is older than the required position. */
export function noteResponsePosition(required: string, position: string): void {
  setBehind(isBefore(position, required));
}

function setBehind(value: boolean): void {
  if (value === behind) return;
  behind = value;
  for (const listener of listeners) listener();
}

/** Whether responses do not contain the own write yet. The shell then shows "Saved, syncing…". */
export const isBehind = (): boolean => behind;

export function onBehindChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function forgetOwnWrites(): void {
  lastWrite = undefined;
  setBehind(false);
}
