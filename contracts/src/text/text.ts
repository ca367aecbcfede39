/** Text that the whole product can keep and compare: in one spelling, and without what PostgreSQL holds in no text. */

/** The spelling in which keys and mapped values are kept and looked up: an é is one, however it was put together. */
export const normaliseText = (text: string): string => text.normalize('NFC');

/** Well-formed: no surrogate has lost its other half. */
const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

/** Whether every text in a JSON value, keys included, is free of NUL and of halves of surrogate pairs. */
export function holdsStorableText(json: unknown): boolean {
  // A list of what is left to look at: a value may be nested deeper than the stack.
  const left = [json];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value === 'string' && !isStorable(value)) return false;
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value)) {
      for (const item of value) left.push(item);
      continue;
    }
    for (const [key, item] of Object.entries(value)) {
      if (!isStorable(key)) return false;
      left.push(item);
    }
  }
  return true;
}

/** Characters of a value that messages, logs and previews show. */
export const SHOWN_CHARACTERS = 200;

/** A value cut to what is shown of it. */
export const shown = (value: string): string =>
  value.length > SHOWN_CHARACTERS ? `${value.slice(0, SHOWN_CHARACTERS).toWellFormed()}…` : value;
