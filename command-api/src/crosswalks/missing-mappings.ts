/** Missing mappings: a value is told once when it is first asked for; ignoring it needs a reason. */
import {
  MISSING_MAPPINGS_PER_CROSSWALK,
  type MissingMappingEvent,
  type MissingMappings,
  Refusal,
  type RowOutcome,
} from '@rdm/contracts';
import { type Decision, decided, nothing, type RowsDecision } from '../runtime/decision.ts';

export const NO_MISSING_MAPPING = 'This missing mapping does not exist';

/** Tells the values nobody asked for before, as far as the crosswalk may hold them. */
export function requestMissing(
  state: MissingMappings,
  values: readonly { id: number; sourceValue: string }[],
): Decision<MissingMappingEvent> {
  const room = MISSING_MAPPINGS_PER_CROSSWALK - state.ids.size;
  const seen = new Set<string>();
  const requests = values
    .filter(({ sourceValue }) => !state.ids.has(sourceValue) && !seen.has(sourceValue) && seen.add(sourceValue))
    .slice(0, Math.max(0, room));
  return requests.length === 0 ? nothing() : decided({ type: 'MissingMappingRequested', data: { requests } });
}

/** Refuses ids that name nothing here. */
function requireKnown(state: MissingMappings, ids: readonly number[]): void {
  const unknown = ids.find((id) => !state.known.has(id));
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

/** Lists again what was ignored. */
export function reopenMissing(state: MissingMappings, ids: readonly number[]): Decision<MissingMappingEvent> {
  requireKnown(state, ids);
  const ignored = ids.filter((id) => state.ignored.has(id));
  return ignored.length === 0 ? nothing() : decided({ type: 'MissingMappingReopened', data: { ids: ignored } });
}

export type MissingVerb = 'ignore' | 'reopen';

const WHY = {
  NOT_FOUND: NO_MISSING_MAPPING,
  IGNORED: 'This value is ignored already',
  LISTED: 'This value is listed already',
  NO_REASON: 'This value was never ignored: say why it is',
};
export const refusedMissing = (id: number, code: keyof typeof WHY): RowOutcome => ({
  id,
  outcome: 'refused',
  code,
  message: WHY[code],
});

/**
 * Ignores many, or lists them again, each answered for itself; one that is so already is refused: it is not this command's to
 * undo. Without a comment each is ignored for the reason it was last: what was listed again is taken back so.
 */
export function decideMissing(
  state: MissingMappings,
  verb: MissingVerb,
  ids: readonly number[],
  comment: string | undefined,
): RowsDecision<MissingMappingEvent> {
  const reasonOf = (id: number) => comment ?? state.reasons.get(id);
  const result = ids.map((id): RowOutcome => {
    if (!state.known.has(id)) return refusedMissing(id, 'NOT_FOUND');
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
    const alike = byReason.get(reason);
    if (alike) alike.push(id);
    else byReason.set(reason, [id]);
  }
  const events = [...byReason].map(
    ([reason, some]): MissingMappingEvent => ({ type: 'MissingMappingIgnored', data: { ids: some, comment: reason } }),
  );
  return { events, result };
}
