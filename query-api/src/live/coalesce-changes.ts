/** Coalesces the changes of one command in many streams: each message has a cost at every client. */
import { LIVE_IDS_MAX } from '@rdm/contracts';
import type { GovernedChange } from './live-changes.ts';

/**
 * Returns the changes in order of seq. Changes with too many rows to list them that differ only in their count are replaced by
 * the last one, with the sum. Changes that list their rows stay as they are: pages use the ids.
 */
export function toldOnce(changes: readonly GovernedChange[]): GovernedChange[] {
  const alike = new Map<string, GovernedChange>();
  const told = new Set<GovernedChange>();
  for (const governed of changes) {
    const { change, dataSets } = governed;
    if (change.count <= LIVE_IDS_MAX) {
      told.add(governed);
      continue;
    }
    const { type, entity, entityId, actorId, commandId } = change;
    const name = [type, entity, entityId, actorId, commandId, ...dataSets.map(({ id }) => id)].join(' ');
    const before = alike.get(name);
    if (before) told.delete(before);
    const all = before ? { change: { ...change, count: before.change.count + change.count }, dataSets } : governed;
    alike.set(name, all);
    told.add(all);
  }
  return [...told];
}
