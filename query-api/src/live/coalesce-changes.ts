/** Coalesces the changes of one command in many streams: each message has a cost at every client. */
import { LIVE_IDS_MAX } from '@rdm/contracts';
import type { GovernedChange } from './live-changes.ts';

/**
 * Returns the changes in order of seq. Changes with too many rows to list them that differ only in their count are replaced by
 * the last one, with the sum. Changes that list their rows stay as they are: pages use the ids.
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
