/**
 * Read-your-own-writes: for a while after a write, reads require the position of the write. The pages show a note while
 * responses are from before this position.
 */
import { OWN_WRITE_FRESHNESS_MS } from '@rdm/contracts/constants';

let requirement: { position: string; until: number } | undefined;
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

/**
 * Sets the position that the next reads require: the position of the user's own write, or of a refusal, whose reason
 * can be a change by another user. Keeps a position that is still required and not earlier than the new one.
 */
export function requirePosition(position: string): void {
  if (requirement === undefined || requirement.until < Date.now() || isBefore(requirement.position, position)) {
    requirement = { position, until: Date.now() + OWN_WRITE_FRESHNESS_MS };
  }
}

/** The position to send with reads; undefined if no position is required now. */
export function minPosition(): string | undefined {
  return requirement !== undefined && requirement.until >= Date.now() ? requirement.position : undefined;
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

/** Whether the last read is from before the required position. The shell then shows "Saved, syncing…". */
export const isBehind = (): boolean => behind;

export function onBehindChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function forgetOwnWrites(): void {
  requirement = undefined;
  setBehind(false);
}
