/** Similarity of texts: folding, trigrams and words. */

/** Differences that folding removes. */
const DIFFERENCES = ['case', 'accents', 'punctuation', 'spaces'] as const;
type Difference = (typeof DIFFERENCES)[number];

/** Letters that Unicode does not decompose, and their plain spellings. */
const PLAIN_SPELLINGS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ς: 'σ',
};
const PLAIN_LETTERS = new RegExp(`[${Object.keys(PLAIN_SPELLINGS).join('')}]`, 'gu');
const ACCENTS = /[\u0300-\u036f]/gu;
const PUNCTUATION = /\p{P}+/gu;
const SPACES = /[\p{Z}\p{C}]+/gu;
const ALREADY_FOLDED = /^[a-z0-9]*$/;

/** Matches a half of a character with two UTF-16 code units. */
const BEYOND_ONE_UNIT = /[\ud800-\udfff]/;

/** Removes all differences except `keep` from a text. */
function foldExcept(text: string, keep?: Difference): string {
  let folded = text.normalize('NFKD');
  if (keep !== 'case') folded = folded.toLowerCase().normalize('NFKD');
  if (keep !== 'accents') {
    folded = folded.replace(PLAIN_LETTERS, (letter) => PLAIN_SPELLINGS[letter] ?? letter).replace(ACCENTS, '');
  }
  if (keep !== 'punctuation') folded = folded.replaceAll('&', ' and ').replace(PUNCTUATION, ' ');
  return folded.replace(SPACES, keep === 'spaces' ? ' ' : '').trim();
}

/** Returns the words of a text in lower case, without accents; punctuation separates words. */
export function foldedWords(text: string): string[] {
  if (ALREADY_FOLDED.test(text)) return text === '' ? [] : [text];
  const folded = foldExcept(text, 'spaces');
  return folded === '' ? [] : folded.split(' ');
}

/**
 * Describes the differences of two texts that are equal after folding, such as `case and spaces`. Returns `spelling`
 * for differences outside `DIFFERENCES`.
 */
export function describeDifferences(a: string, b: string): string {
  const differences = DIFFERENCES.filter((difference) => foldExcept(a, difference) !== foldExcept(b, difference));
  const last = differences.at(-1) ?? 'spelling';
  return differences.length > 1 ? `${differences.slice(0, -1).join(', ')} and ${last}` : last;
}

/** Trigrams of words like PostgreSQL's pg_trgm: each word padded by two spaces before and one after. */
export function trigrams(words: readonly string[]): Set<string> {
  const result = new Set<string>();
  for (const word of words) {
    if (BEYOND_ONE_UNIT.test(word)) {
      const letters = [' ', ' ', ...word, ' '];
      for (let start = 0; start + 3 <= letters.length; start++) result.add(letters.slice(start, start + 3).join(''));
      continue;
    }
    const padded = `  ${word} `;
    for (let start = 0; start + 3 <= padded.length; start++) result.add(padded.slice(start, start + 3));
  }
  return result;
}

/** Returns the Jaccard similarity (0 to 1) of two sets from their sizes `a` and `b` and the number of shared elements. */
export const shareOf = (shared: number, a: number, b: number): number => (shared === 0 ? 0 : shared / (a + b - shared));

/** Returns the share of common trigrams, 0 to 1, like `similarity` of pg_trgm. */
export function trigramSimilarity(a: string, b: string): number {
  const [ours, theirs] = [trigrams(foldedWords(a)), trigrams(foldedWords(b))];
  let shared = 0;
  for (const trigram of ours) if (theirs.has(trigram)) shared += 1;
  return shareOf(shared, ours.size, theirs.size);
}
