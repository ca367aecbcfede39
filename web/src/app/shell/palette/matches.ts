/** Compares a typed text with names, ignoring case and accents. */

import { foldText } from '@rdm/contracts/text/text';

const wordsOf = (text: string): string[] => foldText(text).split(/\s+/);

/** Whether each word of the query occurs in the texts, in any order. */
export function matchesQuery(query: string, ...texts: readonly (string | null)[]): boolean {
  const text = foldText(texts.join(' '));
  return wordsOf(query).every((word) => text.includes(word));
}

/**
 * Filters items: each word of the query must begin a word of the item. Items whose name begins with the query come
 * first. The middle of a word is not searched, so that a short code does not list unrelated pages.
 */
export function bestMatches<Item>(
  query: string,
  items: readonly Item[],
  textsOf: (item: Item) => readonly [name: string, ...others: string[]],
): Item[] {
  const matches = items.filter((item) => {
    const words = textsOf(item).flatMap((text) => foldText(text).split(/[^\p{L}\p{M}\p{N}]+/u));
    return wordsOf(query).every((part) => words.some((word) => word.startsWith(part)));
  });
  const beginsWithQuery = (item: Item) => foldText(textsOf(item)[0]).startsWith(foldText(query));
  return [...matches.filter(beginsWithQuery), ...matches.filter((item) => !beginsWithQuery(item))];
}
