/**
 * Rules of legal holds, which prevent purges and erasures. Holds and purges are decided in one stream, the access
 * stream, so each decision finds all earlier holds and purges.
 */
import {
  type AccessEvent,
  type AccessState,
  holdOn,
  holdOnUser,
  type LegalHold,
  type Purgeable,
  Refusal,
  runningPurgeOf,
} from '@rdm/contracts';
import { type Decision, decided, nothing } from '../runtime/decision.ts';
import type { Execution } from '../runtime/execution.ts';

type DataOf<Type extends AccessEvent['type']> = Extract<AccessEvent, { type: Type }>['data'];

const heldText = ({ matter }: LegalHold): string =>
  `A legal hold for “${matter}” protects this data: release the hold first, or wait until it is released`;

/** Throws if a hold covers any of the data to purge. */
export function requireNoHold(access: AccessState, purged: Purgeable): void {
  const hold = holdOn(access, purged);
  if (hold) throw new Refusal('LEGAL_HOLD', heldText(hold), { holdId: hold.holdId, matter: hold.matter });
}

/** Throws if a hold covers the user. */
export function requireNoHoldOnUser(access: AccessState, userId: number): void {
  const hold = holdOnUser(access, userId);
  if (hold) throw new Refusal('LEGAL_HOLD', heldText(hold), { holdId: hold.holdId, matter: hold.matter });
}

export function placeHold(access: AccessState, data: DataOf<'LegalHoldPlaced'>): Decision<AccessEvent> {
  if (access.holds.has(data.holdId)) return nothing();
  const { scope } = data;
  if (scope.kind === 'collection' && !access.collections.has(scope.id)) {
    throw new Refusal('NOT_FOUND', 'This collection does not exist');
  }
  if (scope.kind === 'user' && !access.users.has(scope.id)) throw new Refusal('NOT_FOUND', 'There is no such user');
  const purge = runningPurgeOf(access, scope);
  if (purge) {
    throw new Refusal('PURGE_RUNNING', 'This data is being purged: a legal hold can no longer be placed on it', {
      purgeId: purge.purgeId,
    });
  }
  return decided({ type: 'LegalHoldPlaced', data });
}

export function releaseHold(access: AccessState, data: DataOf<'LegalHoldReleased'>): Decision<AccessEvent> {
  if (!access.holds.has(data.holdId)) {
    throw new Refusal('NOT_FOUND', 'This legal hold does not exist, or is released already');
  }
  return decided({ type: 'LegalHoldReleased', data });
}

/** Starts a purge; throws if another purge is running, or if a hold covers the data to purge. */
export function startPurge(access: AccessState, data: DataOf<'PurgeStarted'>): Decision<AccessEvent> {
  const [running] = access.purges.values();
  if (running?.purgeId === data.purgeId) return nothing();
  if (running) {
    throw new Refusal('PURGE_RUNNING', 'Another purge is running: wait until it has ended', {
      purgeId: running.purgeId,
    });
  }
  requireNoHold(access, data);
  return decided({ type: 'PurgeStarted', data });
}

export const endPurge = (access: AccessState, purgeId: number): Decision<AccessEvent> =>
  access.purges.has(purgeId) ? decided({ type: 'PurgeEnded', data: { purgeId } }) : nothing();

/** Throws if the crosswalk or relationship is being purged, and therefore cannot be restored. */
export async function requireNoPurge(x: Execution, kind: 'crosswalk' | 'relationship', id: number): Promise<void> {
  const { purges } = await x.access.current();
  for (const { crosswalkIds, relationshipIds } of purges.values()) {
    if (!(kind === 'crosswalk' ? crosswalkIds : relationshipIds).includes(id)) continue;
    throw new Refusal('PURGE_RUNNING', `This ${kind} is being purged: it cannot be restored any more`);
  }
}
