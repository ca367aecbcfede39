/** Decides on dismissing and restoring suggestions. */
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
import { pairHolders } from './mappings.ts';

/** `index` is the place of the pair in the request. `sequence` becomes part of the id of the dismissal. */
export interface PairToDismiss extends MappedPair {
  index: number;
  sequence: number;
}

/**
 * Returns an outcome for each pair. Refuses mapped and already dismissed pairs, so that an undo of this command does
 * not change these pairs.
 */
export function dismissSuggestions(
  bucket: MappingBucket,
  pairs: readonly PairToDismiss[],
): RowsDecision<SuggestionEvent> {
  const holders = pairHolders(bucket);
  const dismissedPairs = new Set(bucket.dismissalIdByPair.keys());
  const rows: (MappedPair & { id: number })[] = [];
  const result = pairs.map(({ index, sequence, sourceValue, targetValue }): RowOutcome => {
    const pair = { sourceValue, targetValue };
    const key = pairKey(pair);
    if (holders.has(key)) return { ...refusedRow(index, 'DUPLICATE'), index };
    if (dismissedPairs.has(key)) return { ...refusedRow(index, 'DISMISSED'), index };
    const id = rowId(sequence, mappingKey(sourceValue));
    dismissedPairs.add(key);
    rows.push({ id, ...pair });
    return { id, index, outcome: 'done' };
  });
  return { events: rows.length === 0 ? [] : [{ type: 'SuggestionsDismissed', data: { rows } }], result };
}

/** Returns an outcome for each id. */
export function restoreSuggestions(bucket: MappingBucket, ids: readonly number[]): RowsDecision<SuggestionEvent> {
  const result = [...new Set(ids)].map(
    (id): RowOutcome => (bucket.dismissedPairById.has(id) ? { id, outcome: 'done' } : refusedRow(id, 'NOT_DISMISSED')),
  );
  const restored = result.flatMap(({ id, outcome }) => (outcome === 'done' ? [id] : []));
  return {
    events: restored.length === 0 ? [] : [{ type: 'SuggestionsRestored', data: { ids: restored } }],
    result,
  };
}
