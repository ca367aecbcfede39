/** Rules of missing mappings: each value is recorded once, and ignoring it needs a reason. */
import {
  MISSING_MAPPINGS_PER_CROSSWALK,
  type MissingMappingEvent,
  type MissingMappings,
  Refusal,
  type RowOutcome,
} from '@rdm/contracts';
import { type Decision, decided, nothing, type RowsDecision } from '../runtime/decision.ts';

export const NO_MISSING_MAPPING = 'This missing mapping does not exist';

/** Records the first request of each value, up to the limit of the crosswalk. Values that are mapped since count too. */
export function requestMissing(
  state: MissingMappings,
  values: readonly { id: number; sourceValue: string }[],
): Decision<MissingMappingEvent> {
  const capacity = MISSING_MAPPINGS_PER_CROSSWALK - state.ids.size;
  const requested = new Set<string>();
  const requests = values
    .filter(
      ({ sourceValue }) => !state.ids.has(sourceValue) && !requested.has(sourceValue) && requested.add(sourceValue),
    )
    .slice(0, Math.max(0, capacity));
  return requests.length === 0 ? nothing() : decided({ type: 'MissingMappingRequested', data: { requests } });
}

/** Returns the id of a requested value; throws CONFLICT if the value was not recorded because of the limit. */
export function requireRecorded({ ids }: MissingMappings, sourceValue: string): number {
  const id = ids.get(sourceValue);
  if (id !== undefined) return id;
  const limit = MISSING_MAPPINGS_PER_CROSSWALK.toLocaleString('en');
  throw new Refusal(
    'CONFLICT',
    `${limit} missing mappings were recorded for this crosswalk, and no more can be recorded. Map the value in the crosswalk itself.`,
  );
}

function requireKnown(state: MissingMappings, ids: readonly number[]): void {
  const unknown = ids.find((id) => !state.allIds.has(id));
  if (unknown !== undefined) throw new Refusal('NOT_FOUND', NO_MISSING_MAPPING);
}

export function ignoreMissing(
  state: MissingMappings,
  ids: readonly number[],
  comment: string,
): Decision<MissingMappingEvent> {
  requireKnown(state, ids);
  const open = ids.filter((id) => !state.ignored.has(id));
  return open.length === 0 ? nothing() : decided({ type: 'MissingMappingIgnored', data: { ids: open, comment } });
}

/** Lists ignored values as missing mappings again. */
export function reopenMissing(state: MissingMappings, ids: readonly number[]): Decision<MissingMappingEvent> {
  requireKnown(state, ids);
  const ignored = ids.filter((id) => state.ignored.has(id));
  return ignored.length === 0 ? nothing() : decided({ type: 'MissingMappingReopened', data: { ids: ignored } });
}

export type MissingVerb = 'ignore' | 'reopen';

const MESSAGES = {
  NOT_FOUND: NO_MISSING_MAPPING,
  IGNORED: 'This value is ignored already',
  LISTED: 'This value is not ignored',
  NO_REASON: 'This value was never ignored: give a reason',
};
export const refusedMissing = (id: number, code: keyof typeof MESSAGES): RowOutcome => ({
  id,
  outcome: 'refused',
  code,
  message: MESSAGES[code],
});

/**
 * Ignores or reopens many values, with an outcome for each. Refuses a value that has the requested state already, so
 * that an undo of the batch does not change this value. Without a comment, ignores each value for its previous reason.
 */
export function decideMissing(
  state: MissingMappings,
  verb: MissingVerb,
  ids: readonly number[],
  comment: string | undefined,
): RowsDecision<MissingMappingEvent> {
  const reasonOf = (id: number) => comment ?? state.reasons.get(id);
  const result = ids.map((id): RowOutcome => {
    if (!state.allIds.has(id)) return refusedMissing(id, 'NOT_FOUND');
    if (state.ignored.has(id) !== (verb === 'reopen')) {
      return refusedMissing(id, verb === 'ignore' ? 'IGNORED' : 'LISTED');
    }
    return verb === 'ignore' && reasonOf(id) === undefined ? refusedMissing(id, 'NO_REASON') : { id, outcome: 'done' };
  });
  const done = result.flatMap(({ id, outcome }) => (outcome === 'done' ? [id] : []));
  if (done.length === 0) return { events: [], result };
  if (verb === 'reopen') return { events: [{ type: 'MissingMappingReopened', data: { ids: done } }], result };
  const byReason = new Map<string, number[]>();
  for (const id of done) {
    const reason = reasonOf(id) ?? '';
    const sameReason = byReason.get(reason);
    if (sameReason) sameReason.push(id);
    else byReason.set(reason, [id]);
  }
  const events = [...byReason].map(
    ([reason, ids]): MissingMappingEvent => ({ type: 'MissingMappingIgnored', data: { ids, comment: reason } }),
  );
  return { events, result };
}
