/** Keeps names unique: an entity claims its name before it is created, and the name is released after it is deleted. */
import { type NameEvent, type NameScope, type Names, normaliseName, Refusal, streams } from '@rdm/contracts';
import { type Decision, decided, nothing } from '../runtime/decision.ts';
import type { Execution } from '../runtime/execution.ts';
import { kinds } from '../runtime/stream-kinds.ts';

/**
 * Claims a name for an entity, whose id the events call `ownerId`. If the entity has claimed the name before, this
 * changes nothing and `claimed` is false.
 */
export function claim(names: Names, name: string, entityId: number): Decision<NameEvent, { claimed: boolean }> {
  const holder = names.get(normaliseName(name));
  if (holder === entityId) return { events: [], result: { claimed: false } };
  if (holder === undefined) {
    return { events: [{ type: 'NameClaimed', data: { name, ownerId: entityId } }], result: { claimed: true } };
  }
  throw new Refusal('NAME_TAKEN', `The name "${name}" is taken: choose another one`, { name });
}

/** Releases a name if the entity still holds it. */
export function release(names: Names, name: string, entityId: number): Decision<NameEvent> {
  return names.get(normaliseName(name)) === entityId
    ? decided({ type: 'NameReleased', data: { name, ownerId: entityId } })
    : nothing();
}

const claimName = (x: Execution, scope: NameScope, name: string, entityId: number) =>
  x.change(kinds.names, streams.names(scope), [], (names) => claim(names, name, entityId));

export const releaseName = (x: Execution, scope: NameScope, name: string, entityId: number) =>
  x.change(kinds.names, streams.names(scope), [], (names) => release(names, name, entityId));

/** Claims the name of an entity, then creates the entity. If the creation is refused, releases the name. */
export async function createNamed<Created>(
  x: Execution,
  scope: NameScope,
  name: string,
  entityId: number,
  create: () => Promise<Created>,
): Promise<Created> {
  await claimName(x, scope, name, entityId);
  try {
    return await create();
  } catch (error) {
    if (error instanceof Refusal) await releaseName(x, scope, name, entityId);
    throw error;
  }
}

/**
 * Renames an entity: claims the new name before the change and releases the old name after the change, so that no other
 * entity can take one of them in between. If the change is refused, releases the new name, unless the entity had
 * claimed it before. Returns the result of the change.
 */
export async function rename<Changed extends { nameBefore: string }>(
  x: Execution,
  scope: NameScope,
  name: string | undefined,
  entityId: number,
  change: () => Promise<Changed>,
): Promise<Changed> {
  if (name === undefined) return change();
  const { claimed } = await claimName(x, scope, name, entityId);
  let changed: Changed;
  try {
    changed = await change();
  } catch (error) {
    if (claimed && error instanceof Refusal) await releaseName(x, scope, name, entityId);
    throw error;
  }
  if (normaliseName(changed.nameBefore) !== normaliseName(name)) {
    await releaseName(x, scope, changed.nameBefore, entityId);
  }
  return changed;
}
