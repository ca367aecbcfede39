/** Normalises texts for storage and comparison, checks that PostgreSQL can store them, and shortens them for display. */

/** Returns the normal form in which keys and mapped values are stored and compared: "é" is always one character. */
export const normaliseText = (text: string): string => text.normalize('NFC');

/** The accents that the search ignores, as a class of a regular expression in JavaScript and PostgreSQL. */
export const ACCENTS = '[\\u0300-\\u036f]';

const EACH_ACCENT = new RegExp(ACCENTS, 'g');

/**
 * Removes case and accents, for searches. In PostgreSQL, `foldedWhole` of platform does the same, and `foldedText` for
 * the beginning of a text.
 */
export const foldText = (text: string): string => text.normalize('NFKD').replace(EACH_ACCENT, '').toLowerCase();

/** Whether a text has neither lone surrogates nor NUL. */
const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

/** Whether PostgreSQL can store every text of a JSON value, keys included. */
export function holdsStorableText(json: unknown): boolean {
  // Use a list instead of recursion, because a value may be nested deeper than the stack allows.
  const pending = [json];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === 'string' && !isStorable(value)) return false;
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value)) {
      for (const item of value) pending.push(item);
      continue;
    }
    for (const [key, item] of Object.entries(value)) {
      if (!isStorable(key)) return false;
      pending.push(item);
    }
  }
  return true;
}

/** The maximum number of characters of a value that messages, logs and previews show. */
export const SHOWN_CHARACTERS = 200;

/** Cuts a value to the length that messages, logs and previews show. */
export const shortened = (value: string): string =>
  value.length > SHOWN_CHARACTERS ? `${value.slice(0, SHOWN_CHARACTERS).toWellFormed()}…` : value;
