/** Suggestions that are dismissed, pair by pair, and dismissals that are taken back. */
import {
  type MappedPair,
  type MappingBucket,
  mappingKey,
  pairKey,
  type RowOutcome,
  rowId,
  type SuggestionEvent,
} from '@rdm/contracts';
import { refusedRow } from '../review/row-review.ts';
import type { RowsDecision } from '../runtime/decision.ts';
import { takenPairs } from './mappings.ts';

/** A pair as somebody dismisses it: its place in the request, and what its dismissal is named by. */
export interface DismissedPair extends MappedPair {
  index: number;
  sequence: number;
}

/**
 * Dismisses pairs, each answered for itself. What was mapped meanwhile is no suggestion any more; what was dismissed
 * already is not this command's to take back.
 */
export function dismissSuggestions(
  bucket: MappingBucket,
  pairs: readonly DismissedPair[],
): RowsDecision<SuggestionEvent> {
  const taken = takenPairs(bucket);
  const known = new Set(bucket.dismissals.keys());
  const rows: (MappedPair & { id: number })[] = [];
  const result = pairs.map(({ index, sequence, sourceValue, targetValue }): RowOutcome => {
    const pair = { sourceValue, targetValue };
    const key = pairKey(pair);
    if (taken.has(key)) return { ...refusedRow(index, 'DUPLICATE'), index };
    if (known.has(key)) return { ...refusedRow(index, 'DISMISSED'), index };
    const id = rowId(sequence, mappingKey(sourceValue));
    known.add(key);
    rows.push({ id, ...pair });
    return { id, index, outcome: 'done' };
  });
  return { events: rows.length === 0 ? [] : [{ type: 'SuggestionsDismissed', data: { rows } }], result };
}

/** Takes dismissals back, each answered for itself. */
export function restoreSuggestions(bucket: MappingBucket, ids: readonly number[]): RowsDecision<SuggestionEvent> {
  const result = [...new Set(ids)].map(
    (id): RowOutcome => (bucket.dismissed.has(id) ? { id, outcome: 'done' } : refusedRow(id, 'NOT_DISMISSED')),
  );
  const restored = result.flatMap(({ id, outcome }) => (outcome === 'done' ? [id] : []));
  return {
    events: restored.length === 0 ? [] : [{ type: 'SuggestionsRestored', data: { ids: restored } }],
    result,
  };
}
