/** The recent decisions of other users, from live changes. */
import type { LiveChange } from '@rdm/contracts/live/live';

export interface OtherDecision {
  by: number | null;
  verb: 'approved' | 'rejected';
  count: number;
}

/** Returns the newest decision of another user. `count` sums the decisions of this kind by the same user. */
export function newestOtherDecision(changes: readonly LiveChange[], userId: number): OtherDecision | undefined {
  const decisions = changes.filter(({ type, actorId }) => actorId !== userId && /(Approved|Rejected)$/.test(type));
  const newest = decisions.at(-1);
  if (newest === undefined) return undefined;
  const verb = newest.type.endsWith('Approved') ? 'approved' : 'rejected';
  const sameKind = decisions.filter(
    ({ type, actorId }) => actorId === newest.actorId && type.endsWith('Approved') === (verb === 'approved'),
  );
  return { by: newest.actorId, verb, count: sameKind.reduce((sum, { count }) => sum + Math.max(1, count), 0) };
}
