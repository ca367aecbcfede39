/** Compares texts without case and accents, as the search does. */
import { foldedText, foldedWhole } from '@rdm/platform';
import { escapeLike } from '../list/filter/like.ts';
import { all, rawSql, type Sql, sql, textOf } from '../read-models/sql.ts';

/** An expression without parameters, folded. */
export const folded = (text: Sql): Sql => rawSql(foldedText(textOf(text)));

/** The same for a text that may be longer than those that are indexed. */
export const wholeFolded = (text: Sql): Sql => rawSql(foldedWhole(textOf(text)));

/** A value of the caller, folded by PostgreSQL: one rule folds both sides. A subquery is evaluated once, not for each row. */
export const foldedValue = (value: string): Sql =>
  sql`(SELECT ${folded(sql`given.value`)} FROM (SELECT ${value}::text AS value) given)`;

/** The value escaped for LIKE, after it is folded: folding cuts long texts and turns “％” into “%”. */
const likeValue = (value: string): Sql => sql`regexp_replace(${foldedValue(value)}, '([\\\\%_])', '\\\\\\1', 'g')`;

export const equalsFolded = (text: Sql, value: string): Sql => sql`${text} = ${foldedValue(value)}`;

export const startsWithFolded = (text: Sql, value: string): Sql =>
  sql`${text} LIKE (SELECT ${likeValue(value)} || '%')`;

export const wordsOf = (text: string): string[] => text.split(/\s+/);

/** Condition: the text contains every word of `q`, in any order. */
export const containsWords = (text: Sql, q: string): Sql =>
  all(wordsOf(q).map((word) => sql`${text} LIKE (SELECT '%' || ${likeValue(word)} || '%')`));

/** The text of a search as it is compared with codes and labels. */
export interface FoldedQuery {
  text: string;
  words: string[];
}

export const contains = (text: Sql, value: string): Sql => sql`${text} LIKE ${`%${escapeLike(value)}%`}`;
