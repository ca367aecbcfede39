/** Compares a typed text with names: each word must occur, in any order, without case and accents. */

export const fold = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

export function matches(query: string, ...texts: readonly (string | null)[]): boolean {
  const text = fold(texts.join(' '));
  return fold(query)
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** The items whose texts match: those whose first text begins with the query come first. */
export function bestMatches<Item>(
  query: string,
  items: readonly Item[],
  textsOf: (item: Item) => readonly [name: string, ...others: string[]],
): Item[] {
  const beginning = fold(query.trim());
  const found = items.filter((item) => matches(query.trim(), ...textsOf(item)));
  const begins = (item: Item) => fold(textsOf(item)[0]).startsWith(beginning);
  return [...found.filter(begins), ...found.filter((item) => !begins(item))];
}
