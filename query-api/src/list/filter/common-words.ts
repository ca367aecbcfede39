/**
 * Words that many texts of a field contain. A trigram index reads a list of rows for each part of a needle; frequent
 * words have the longest lists and cost most of the search, so the index is searched without them.
 */
import { escapeLike } from './like.ts';

/** Common words in lower case. */
export type CommonWords = ReadonlySet<string>;

/** A word in at least this share of the texts is common. A search without the word checks up to four times the rows. */
const COMMON_SHARE = 0.25;
/** Minimum length of a word that the index can find. */
const PART_CHARACTERS = 3;
const WORD = /[\p{L}\p{N}]+/gu;

const wordsOf = (text: string): string[] => text.toLowerCase().match(WORD) ?? [];

/** A text of a field, with the share of rows that it represents. */
export interface SampledText {
  text: string;
  share: number;
}

export function commonWords(sampled: readonly SampledText[]): CommonWords {
  const shares = new Map<string, number>();
  for (const { text, share } of sampled) {
    for (const word of new Set(wordsOf(text))) shares.set(word, (shares.get(word) ?? 0) + share);
  }
  return new Set([...shares].filter(([, share]) => share >= COMMON_SHARE).map(([word]) => word));
}

/**
 * Returns a LIKE pattern for the needle without its common words; undefined if the needle has no common word, or no
 * rare word that the index can find.
 */
export function rarePattern(needle: string, common: CommonWords): string | undefined {
  if (common.size === 0) return undefined;
  const words = [...needle.matchAll(WORD)];
  const rare = words.filter(({ 0: word, index }) => {
    const folded = word.toLowerCase();
    const isAtStart = index === 0;
    const isAtEnd = index + word.length === needle.length;
    return !isPartOfCommonWord(folded, common, isAtStart, isAtEnd);
  });
  if (rare.length === words.length || !rare.some(({ 0: word }) => word.length >= PART_CHARACTERS)) return undefined;
  const rareWords = new Set(rare.map(({ index }) => index));
  let pattern = '';
  let from = 0;
  for (const { 0: word, index } of words) {
    if (rareWords.has(index)) continue;
    pattern += `${escapeLike(needle.slice(from, index))}%`;
    from = index + word.length;
  }
  return `%${pattern}${escapeLike(needle.slice(from))}%`;
}

/**
 * Whether the word is common or can be part of a common word. In a text, the first word of a needle can end a longer
 * word, and the last word can begin a longer word.
 */
function isPartOfCommonWord(word: string, common: CommonWords, isAtStart: boolean, isAtEnd: boolean): boolean {
  if (common.has(word)) return true;
  if (!isAtStart && !isAtEnd) return false;
  for (const whole of common) {
    if (isAtStart && isAtEnd ? whole.includes(word) : isAtStart ? whole.endsWith(word) : whole.startsWith(word))
      return true;
  }
  return false;
}
