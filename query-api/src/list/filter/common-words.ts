/**
 * Words that many texts of a field have. An index of parts looks each part of a needle up in a list of rows: words that
 * tell nothing have the longest lists and cost most of the search, so it is asked for the others alone.
 */
import { escapeLike } from './like.ts';

/** In lower case. */
export type CommonWords = ReadonlySet<string>;

/** Of a field's texts, so many have a common word: looked up without it, at most four times as many are looked at. */
const COMMON = 0.25;
/** Of shorter words the index has no part of their own. */
const PART_CHARACTERS = 3;
const WORD = /[\p{L}\p{N}]+/gu;

const wordsOf = (text: string): string[] => text.toLowerCase().match(WORD) ?? [];

/** Texts of a field, each standing for its share of those that are there. */
export interface SampledText {
  text: string;
  share: number;
}

export function commonWords(sampled: readonly SampledText[]): CommonWords {
  const shares = new Map<string, number>();
  for (const { text, share } of sampled) {
    for (const word of new Set(wordsOf(text))) shares.set(word, (shares.get(word) ?? 0) + share);
  }
  return new Set([...shares].filter(([, share]) => share >= COMMON).map(([word]) => word));
}

/**
 * A pattern of LIKE that matches wherever the needle stands, without its common words; undefined where the needle has
 * none, or where nothing would be left that an index knows. The first and the last word may be a part of one.
 */
export function rarePattern(needle: string, common: CommonWords): string | undefined {
  if (common.size === 0) return undefined;
  const words = [...needle.matchAll(WORD)];
  const rare = words.filter(({ 0: word, index }) => {
    const folded = word.toLowerCase();
    const mayBegin = index === 0;
    const mayEnd = index + word.length === needle.length;
    return !isPartOfOne(folded, common, mayBegin, mayEnd);
  });
  if (rare.length === words.length || !rare.some(({ 0: word }) => word.length >= PART_CHARACTERS)) return undefined;
  const kept = new Set(rare.map(({ index }) => index));
  let pattern = '';
  let from = 0;
  for (const { 0: word, index } of words) {
    if (kept.has(index)) continue;
    pattern += `${escapeLike(needle.slice(from, index))}%`;
    from = index + word.length;
  }
  return `%${pattern}${escapeLike(needle.slice(from))}%`;
}

/** Before a needle a word may have begun, and after it it may go on. */
function isPartOfOne(word: string, common: CommonWords, mayBegin: boolean, mayEnd: boolean): boolean {
  if (common.has(word)) return true;
  if (!mayBegin && !mayEnd) return false;
  for (const whole of common) {
    if (mayBegin && mayEnd ? whole.includes(word) : mayBegin ? whole.endsWith(word) : whole.startsWith(word))
      return true;
  }
  return false;
}
