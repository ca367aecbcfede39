/** Infers properties of values from the names of their columns. */

/** Returns the letters and digits of a name in lower case. */
export const comparableName = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '');

/** The words of a name in lower case: "productCode" and "Product code" have two. */
export const wordsOfName = (name: string): string[] =>
  name
    .normalize('NFKC')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

const KEY_WORDS = new Set(['code', 'id', 'key', 'nr', 'sku', 'iso', 'ean', 'notation']);
/** The values of a column with one of these words in its name are texts, even if all characters are digits. */
const CODE_WORDS = new Set([
  ...KEY_WORDS,
  ...['zip', 'plz', 'postcode', 'postal', 'gtin', 'isbn', 'issn', 'iban', 'bic', 'phone', 'tel', 'telefon', 'fax'],
]);
const CODE_ENDINGS = /(?:code|nr|nummer)$/;
/** Words in the names of label columns, the best first. */
export const LABEL_WORDS = ['name', 'label', 'title', 'description', 'display'];
const BOOLEAN_WORDS = new Set(['active', 'enabled', 'disabled', 'deleted', 'valid', 'aktiv', 'flag']);
const BOOLEAN_BEGINNINGS = new Set(['is', 'has', 'can', 'ist', 'hat']);

export const isKeyName = (name: string): boolean => hasCodeWord(name, KEY_WORDS);
export const isCodeName = (name: string): boolean => hasCodeWord(name, CODE_WORDS);
function hasCodeWord(name: string, codeWords: ReadonlySet<string>): boolean {
  const words = wordsOfName(name);
  return endsWithNumber(words) || words.some((word) => codeWords.has(word) || CODE_ENDINGS.test(word));
}
/** True for "Account number" and "Supplier No.", false for the count "Number of rows" and the value "no". */
const endsWithNumber = (words: readonly string[]): boolean =>
  words.length > 1 && ['number', 'no'].includes(words.at(-1) ?? '');
export const isLabelName = (name: string): boolean => wordsOfName(name).some((word) => LABEL_WORDS.includes(word));
export function isBooleanName(name: string): boolean {
  const words = wordsOfName(name);
  return BOOLEAN_BEGINNINGS.has(words[0] ?? '') || words.some((word) => BOOLEAN_WORDS.has(word));
}
