/** Accepts many suggestions: selects the pairs, and drafts the pairs in chunks with an outcome per pair. */

import type { SuggestionView } from '@rdm/contracts/crosswalks/mappings';
import type { RowOutcome } from '@rdm/contracts/review/reviewed-rows';
import { type LastChange, lastChangeOf } from '../../../../components/row-outcomes/index.tsx';
import { messageOf } from '../../../../lib/messages/index.ts';
import type { NewMapping } from '../../api/mappings.ts';

/** The number of pairs in a request: few enough to show progress, and to lose little if the connection breaks. */
export const CHUNK = 500;

/** Pairs each value with its best candidate. Omits values without candidates. */
export const pairsOf = (suggestions: readonly SuggestionView[]): NewMapping[] =>
  suggestions.flatMap(({ sourceValue, candidates: [best] }) => (best === undefined ? [] : [pairOf(sourceValue, best)]));

export const pairOf = (
  sourceValue: string,
  { targetValue, confidence }: { targetValue: string; confidence: number },
): NewMapping => ({ sourceValue, targetValue, confidence, origin: 'SUGGESTION' });

export interface PairOutcome extends NewMapping {
  outcome: 'done' | 'refused';
  message?: string | undefined;
  changed?: LastChange | undefined;
  /** The id and revision of the created draft. */
  drafted?: { id: number; revision: number };
  /** The id of the command that created the draft. */
  commandId?: string | undefined;
}

const outcomeOf = (pair: NewMapping, result: RowOutcome | undefined, commandId: string | undefined): PairOutcome =>
  result?.outcome === 'done'
    ? { ...pair, outcome: 'done', drafted: { id: result.id, revision: result.revision ?? 1 }, commandId }
    : { ...pair, outcome: 'refused', message: result?.message, changed: result && lastChangeOf(result) };

/**
 * Drafts the pairs in chunks. If a chunk fails, its pairs and all later pairs are reported as refused with the reason.
 * Earlier drafts are kept.
 */
export async function draftInChunks(
  pairs: readonly NewMapping[],
  draft: (rows: readonly NewMapping[]) => Promise<{ results: readonly RowOutcome[]; commandId?: string }>,
  onProgress: (done: number) => void,
): Promise<PairOutcome[]> {
  const outcomes: PairOutcome[] = [];
  for (let start = 0; start < pairs.length; start += CHUNK) {
    const chunk = pairs.slice(start, start + CHUNK);
    try {
      const { results, commandId } = await draft(chunk);
      const byIndex = new Map(results.map((result, index) => [result.index ?? index, result]));
      outcomes.push(...chunk.map((pair, index) => outcomeOf(pair, byIndex.get(index), commandId)));
    } catch (error) {
      const message = messageOf(error);
      outcomes.push(...pairs.slice(start).map((pair) => ({ ...pair, outcome: 'refused' as const, message })));
      return outcomes;
    }
    onProgress(outcomes.length);
  }
  return outcomes;
}

/** Drafts the pairs page by page. Ends if a page has no new values, or if every pair of a page is refused. */
export async function draftAll(
  firstPage: readonly NewMapping[],
  loadNextPage: () => Promise<readonly NewMapping[]>,
  draft: (pairs: readonly NewMapping[], done: number) => Promise<readonly PairOutcome[]>,
): Promise<PairOutcome[]> {
  const outcomes: PairOutcome[] = [];
  const attemptedValues = new Set<string>();
  let pairs = firstPage;
  while (pairs.length > 0) {
    const pageOutcomes = await draft(pairs, outcomes.length);
    outcomes.push(...pageOutcomes);
    if (pageOutcomes.every(({ outcome }) => outcome === 'refused')) break;
    for (const { sourceValue } of pairs) attemptedValues.add(sourceValue);
    pairs = (await loadNextPage()).filter(({ sourceValue }) => !attemptedValues.has(sourceValue));
  }
  return outcomes;
}
