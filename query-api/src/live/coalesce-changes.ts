/** What one command did in many streams is told once: each message costs something at every client. */
import { LIVE_IDS_MAX } from '@rdm/contracts';
import type { GovernedChange } from './live-changes.ts';

/**
 * The changes, in order of seq; of those of too many rows to name them that differ in nothing but how many, the last one
 * stands for all. What names its rows is told as it is: pages look at which.
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
