/** Read-your-own-writes: for a while after a write its position goes with every read, and who waits for it is told. */
import { OWN_WRITE_FRESHNESS_MS } from '@rdm/contracts/constants';

let own: { position: string; until: number } | undefined;
let behind = false;
const listeners = new Set<() => void>();

/** Positions are "commit/prepare" in decimal; the commit part orders them. */
export function isBefore(left: string, right: string): boolean {
  return commitOf(left) < commitOf(right);
}

function commitOf(position: string): bigint {
  const digits = /^\d+/.exec(position)?.[0];
  return digits === undefined ? 0n : BigInt(digits);
}

/** Remembers the position that an own write was answered with; a slower answer to an older write changes nothing. */
export function wroteAt(position: string): void {
  if (own === undefined || own.until < Date.now() || isBefore(own.position, position)) {
    own = { position, until: Date.now() + OWN_WRITE_FRESHNESS_MS };
  }
}

/** The position to ask for, or undefined when the last own write is long ago. */
export function minPosition(): string | undefined {
  return own !== undefined && own.until >= Date.now() ? own.position : undefined;
}

/** Notes how fresh an answer was compared with what was asked for. */
export function sawPosition(asked: string, position: string): void {
  setBehind(isBefore(position, asked));
}

function setBehind(value: boolean): void {
  if (value === behind) return;
  behind = value;
  for (const listener of listeners) listener();
}

/** True while an answer did not yet hold the own write: the shell says "Saved, syncing…". */
export const isBehind = (): boolean => behind;

export function onBehindChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function forgetOwnWrites(): void {
  own = undefined;
  setBehind(false);
}
