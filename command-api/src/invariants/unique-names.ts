/** Unique names: claimed before the thing that bears them exists, released when it is gone, renamed in one append. */
import { type NameEvent, type NameScope, type Names, normaliseName, Refusal, streams } from '@rdm/contracts';
import { type Decision, decided, nothing } from '../runtime/decision.ts';
import type { Execution } from '../runtime/execution.ts';
import { kinds } from '../runtime/stream-kinds.ts';

/** Claims a name for an owner; claiming one's own name again changes nothing. Says whether it is newly held. */
export function claim(names: Names, name: string, ownerId: number): Decision<NameEvent, { claimed: boolean }> {
  const holder = names.get(normaliseName(name));
  if (holder === ownerId) return { events: [], result: { claimed: false } };
  if (holder === undefined) {
    return { events: [{ type: 'NameClaimed', data: { name, ownerId } }], result: { claimed: true } };
  }
  throw new Refusal('NAME_TAKEN', `The name "${name}" is taken: choose another one`, { name });
}

/** Releases a name if the owner still holds it. */
export function release(names: Names, name: string, ownerId: number): Decision<NameEvent> {
  return names.get(normaliseName(name)) === ownerId
    ? decided({ type: 'NameReleased', data: { name, ownerId } })
    : nothing();
}

export const claimName = (x: Execution, scope: NameScope, name: string, ownerId: number) =>
  x.change(kinds.names, streams.names(scope), [], (names) => claim(names, name, ownerId));

export const releaseName = (x: Execution, scope: NameScope, name: string, ownerId: number) =>
  x.change(kinds.names, streams.names(scope), [], (names) => release(names, name, ownerId));

/**
 * Renames: the new name is held before the entity changes and the old one until after, so that neither can be
 * taken in between; a refused change gives the new one back. Answers what the change answered.
 */
export async function rename<Changed extends { nameBefore: string }>(
  x: Execution,
  scope: NameScope,
  name: string | undefined,
  ownerId: number,
  change: () => Promise<Changed>,
): Promise<Changed> {
  if (name === undefined) return change();
  const { claimed } = await claimName(x, scope, name, ownerId);
  let changed: Changed;
  try {
    changed = await change();
  } catch (error) {
    if (claimed && error instanceof Refusal) await releaseName(x, scope, name, ownerId);
    throw error;
  }
  if (normaliseName(changed.nameBefore) !== normaliseName(name)) {
    await releaseName(x, scope, changed.nameBefore, ownerId);
  }
  return changed;
}
