/**
 * Rules of purges. An administrator other than the requester confirms a purge, unless there is only one administrator.
 * A purge with a sealed manifest can only be completed.
 */
import {
  confirmationBy,
  ONLY_ADMINISTRATOR_HOURS,
  type Purge,
  type PurgeEvent,
  Refusal,
  type RefusalCode,
  type RegisteredPurges,
} from '@rdm/contracts';
import { type Decision, decided, nothing } from '../../runtime/decision.ts';

type DataOf<Type extends PurgeEvent['type']> = Extract<PurgeEvent, { type: Type }>['data'];

function existingPurge(state: Purge | undefined): Purge {
  if (!state) throw new Refusal('NOT_FOUND', 'This purge does not exist, or was not requested');
  return state;
}

const refusal = (message: string, code: RefusalCode = 'CONFLICT') => new Refusal(code, message);

export function requestPurge(state: Purge | undefined, data: DataOf<'PurgeRequested'>): Decision<PurgeEvent> {
  if (state?.planHash === data.planHash && state.reason === data.reason) return nothing();
  if (state) throw refusal('This purge was requested already');
  return decided({ type: 'PurgeRequested', data });
}

export interface Confirmation {
  actorId: number;
  /** The active administrators. */
  administrators: readonly number[];
  now: Date;
}

/** Returns the purge; throws if the actor may not confirm the purge now. */
export function requireConfirmable(state: Purge | undefined, { actorId, administrators, now }: Confirmation): Purge {
  const purge = existingPurge(state);
  if (purge.status !== 'REQUESTED') throw refusal('This purge does not wait for a confirmation');
  const { isOwn, from } = confirmationBy(purge, { userId: actorId, administrators });
  if (!isOwn) return purge;
  if (from === null) throw refusal('A different administrator must confirm this purge', 'SAME_ADMINISTRATOR');
  if (now >= from) return purge;
  throw new Refusal(
    'SAME_ADMINISTRATOR',
    `You are the only administrator: you can confirm this purge yourself ${ONLY_ADMINISTRATOR_HOURS} hours after the request`,
    { from: from.toISOString() },
  );
}

export function confirmPurge(state: Purge | undefined, confirmation: Confirmation): Decision<PurgeEvent> {
  const { purgeId } = requireConfirmable(state, confirmation);
  return decided({ type: 'PurgeConfirmed', data: { purgeId } });
}

export function declinePurge(state: Purge | undefined, reason: string): Decision<PurgeEvent> {
  const { status, purgeId } = existingPurge(state);
  if (status !== 'REQUESTED') throw refusal('This purge does not wait for a confirmation');
  return decided({ type: 'PurgeDeclined', data: { purgeId, reason } });
}

export function cancelPurge(state: Purge | undefined): Decision<PurgeEvent> {
  const { status, isSealed, purgeId } = existingPurge(state);
  if (status === 'CANCELLED') return nothing();
  if (status === 'DONE' || status === 'DECLINED') throw refusal('This purge has ended');
  if (isSealed) throw refusal('This purge has begun to delete: it can only be completed');
  return decided({ type: 'PurgeCancelled', data: { purgeId } });
}

export function resumePurge(state: Purge | undefined): Decision<PurgeEvent> {
  const { status, purgeId } = existingPurge(state);
  if (status !== 'FAILED') throw refusal('This purge has not failed');
  return decided({ type: 'PurgeResumed', data: { purgeId } });
}

/** Lets the maintenance process check again whether the space can be reclaimed. */
export function reclaimPurge(state: Purge | undefined): Decision<PurgeEvent> {
  const { status, purgeId } = existingPurge(state);
  if (status !== 'RECLAIMING') throw refusal('This purge does not wait for a scavenge');
  return decided({ type: 'PurgeResumed', data: { purgeId } });
}

/** A report of the maintenance process about a running purge. */
export type PurgeOutcome = Extract<
  PurgeEvent,
  {
    type: 'PurgeManifestPart' | 'PurgeManifestSealed' | 'PurgeReclaiming' | 'PurgeFailed' | 'PurgeCompleted';
  }
>;

const isWorking = ({ status }: Purge): boolean => status === 'CONFIRMED' || status === 'RUNNING';

/**
 * Records a report about a confirmed or running purge. Ignores repeated reports, and reports about requested, failed or
 * reclaiming purges. Throws if the purge does not exist, was cancelled or declined, if a part is missing, or if the
 * seal does not match the recorded parts.
 */
export function recordPurge(state: Purge | undefined, outcome: PurgeOutcome): Decision<PurgeEvent> {
  const purge = existingPurge(state);
  if (purge.status === 'DONE') return nothing();
  if (purge.status === 'CANCELLED' || purge.status === 'DECLINED')
    throw refusal('This purge was cancelled or declined');
  switch (outcome.type) {
    case 'PurgeManifestPart':
      if (purge.isSealed || outcome.data.part < purge.parts) return nothing();
      if (outcome.data.part > purge.parts) throw refusal('A part of the manifest is missing');
      return isWorking(purge) ? decided(outcome) : nothing();
    case 'PurgeManifestSealed': {
      if (purge.isSealed) return nothing();
      const { parts, streams, events } = outcome.data;
      if (parts !== purge.parts || streams !== purge.streams || events !== purge.events) {
        throw refusal('The seal does not match the recorded parts of the manifest');
      }
      return isWorking(purge) ? decided(outcome) : nothing();
    }
    case 'PurgeReclaiming':
      return isWorking(purge) ? decided(outcome) : nothing();
    case 'PurgeFailed':
      return isWorking(purge) ? decided(outcome) : nothing();
    case 'PurgeCompleted':
      return isWorking(purge) ? decided(outcome) : nothing();
  }
}

export const registerPurge = (state: RegisteredPurges, data: DataOf<'PurgeRegistered'>): Decision<PurgeEvent> =>
  state.has(data.purgeId) ? nothing() : decided({ type: 'PurgeRegistered', data });
