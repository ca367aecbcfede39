/** Accepting many suggestions at once: which pairs that means, and drafting them piece by piece with an answer for each. */
import type { RowOutcome, SuggestionView } from '@rdm/contracts/crosswalks';
import { messageOf } from '../../../lib/messages/index.ts';
import type { NewMapping } from '../api/mappings.ts';

/** Pairs per request: small enough that progress moves and a lost connection costs little. */
export const CHUNK = 500;

export interface Acceptance {
  pairs: NewMapping[];
  /** Values whose best candidates are equally sure: a person has to choose. */
  ambiguous: SuggestionView[];
}

/** The best candidate of each value that is sure enough; a tie is nobody's best. */
export function acceptanceOf(suggestions: readonly SuggestionView[], minConfidence: number): Acceptance {
  const pairs: NewMapping[] = [];
  const ambiguous: SuggestionView[] = [];
  for (const suggestion of suggestions) {
    const [best, second] = suggestion.candidates;
    if (best === undefined || best.confidence < minConfidence) continue;
    if (second !== undefined && second.confidence === best.confidence) ambiguous.push(suggestion);
    else pairs.push(pairOf(suggestion.sourceValue, best));
  }
  return { pairs, ambiguous };
}

export const pairOf = (
  sourceValue: string,
  { targetValue, confidence }: { targetValue: string; confidence: number },
): NewMapping => ({ sourceValue, targetValue, confidence, origin: 'SUGGESTION' });

export interface PairOutcome extends NewMapping {
  outcome: 'done' | 'refused';
  message?: string | undefined;
  /** The mapping that was drafted, with its revision. */
  drafted?: { id: number; revision: number };
}

const answered = (pair: NewMapping, result: RowOutcome | undefined): PairOutcome =>
  result?.outcome === 'done'
    ? { ...pair, outcome: 'done', drafted: { id: result.id, revision: result.revision ?? 1 } }
    : { ...pair, outcome: 'refused', message: result?.message };

/** Drafts the pairs in pieces. A piece that fails, and all after it, are refused with the reason; what was done stays done. */
export async function draftInPieces(
  pairs: readonly NewMapping[],
  draft: (rows: readonly NewMapping[]) => Promise<{ results: readonly RowOutcome[] }>,
  onProgress: (done: number) => void,
): Promise<PairOutcome[]> {
  const outcomes: PairOutcome[] = [];
  for (let start = 0; start < pairs.length; start += CHUNK) {
    const piece = pairs.slice(start, start + CHUNK);
    try {
      const { results } = await draft(piece);
      const byPlace = new Map(results.map((result, place) => [result.index ?? place, result]));
      outcomes.push(...piece.map((pair, place) => answered(pair, byPlace.get(place))));
    } catch (error) {
      const message = messageOf(error);
      outcomes.push(...pairs.slice(start).map((pair) => ({ ...pair, outcome: 'refused' as const, message })));
      return outcomes;
    }
    onProgress(outcomes.length);
  }
  return outcomes;
}
