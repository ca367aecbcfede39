/** Coalesces the changes of one command to many streams: every message costs time at every client. */
import { LIVE_IDS_MAX } from '@rdm/contracts';
import type { GovernedChange } from './live-changes.ts';

/**
 * Combines changes of one type, by one command to one entity, into the last change with the sum of the counts. Changes
 * of at most LIVE_IDS_MAX rows stay separate, because pages use the ids of these rows.
 */
export function coalesceChanges(changes: readonly GovernedChange[]): GovernedChange[] {
  const last = new Map<string, GovernedChange>();
  const coalesced = new Set<GovernedChange>();
  for (const governed of changes) {
    const { change, dataSets } = governed;
    if (change.count <= LIVE_IDS_MAX) {
      coalesced.add(governed);
      continue;
    }
    const { type, entity, entityId, actorId, commandId } = change;
    const key = [type, entity, entityId, actorId, commandId, ...dataSets.map(({ id }) => id)].join(' ');
    const before = last.get(key);
    if (before) coalesced.delete(before);
    const combined = before ? { change: { ...change, count: before.change.count + change.count }, dataSets } : governed;
    last.set(key, combined);
    coalesced.add(combined);
  }
  return [...coalesced];
}
