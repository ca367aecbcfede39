/** The texts of a search for activities, and SQL conditions for columns that contain these texts. */
import { isIndexed } from '../entities/searched-rows.ts';
import { escapeLike } from '../list/filter/like.ts';
import { type Sql, sql } from '../read-models/sql.ts';

/** The whole text of the search, or one word of this text. */
export interface Text {
  /** The index of the text in the search: 0 for the whole text. */
  place: number;
  /** The text as the user wrote it. */
  exact: string;
  /** The text without case and accents, folded by PostgreSQL. */
  text: string;
  words: string[];
  /**
   * Whether names, comments and actions match only by whole words. A search for one short word is mostly for a code,
   * and “de” would match “added” in nearly every activity.
   */
  isCode: boolean;
}

export const patternOf = (word: string): string => `%${escapeLike(word)}%`;

/** Whether a word may be a code: it has only letters and digits, and is too short for indexes of parts. */
export const mayBeCode = (word: string): boolean => !isIndexed(word) && /^[\p{L}\p{N}]+$/u.test(word);

/** Condition: a folded text contains all words of the searched text. If `isCode`, only whole words count. */
export function containsAll({ words, isCode }: Text, foldedText: Sql): Sql {
  const hasParts = sql`${foldedText} LIKE ALL (${words.map(patternOf)}::text[])`;
  if (!isCode) return hasParts;
  const spaced = sql`' ' || regexp_replace(${foldedText}, '[^[:alnum:]]+', ' ', 'g') || ' '`;
  return sql`(${hasParts} AND ${spaced} LIKE ALL (${words.map((word) => patternOf(` ${word} `))}::text[]))`;
}

/** The relation `w` of the texts, for scans that compare each row with all texts. */
export const textsRelation = (texts: readonly Text[]): Sql => {
  const rows = texts.map(({ place, exact, text, words }) => ({
    ...{ place, exact, text, patterns: words.map(patternOf) },
    hasIndexedWord: words.some(isIndexed),
    keys: [JSON.stringify([exact.toLowerCase()]), `[${exact.toLowerCase()}]`],
  }));
  return sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
    w(place int, exact text, text text, patterns text[], "hasIndexedWord" boolean, keys text[])`;
};

/** Condition: a folded text contains all words of the text `w`. */
export const hasAllWords = (foldedText: Sql): Sql => sql`${foldedText} LIKE ALL (w.patterns)`;
/**
 * Condition: a folded label contains all words of the text `w`. If all words are too short for the index, the label
 * must equal the text.
 */
export const matchesLabel = (foldedText: Sql): Sql =>
  sql`CASE WHEN w."hasIndexedWord" THEN ${hasAllWords(foldedText)} ELSE ${foldedText} = w.text END`;
