/** SQL that compares texts ignoring case and accents, by the rules of the search. */
import { foldedText, foldedWhole } from '@rdm/platform';
import { escapeLike } from '../list/filter/like.ts';
import { all, rawSql, type Sql, sql, textOf } from '../read-models/sql.ts';

/**
 * The first `INDEXED_CHARACTERS` of a text, without case and accents: exactly the indexed expression. `text` must have
 * no parameters.
 */
export const folded = (text: Sql): Sql => rawSql(foldedText(textOf(text)));

/** A whole text without case and accents, for texts without an index. `text` must have no parameters. */
export const wholeFolded = (text: Sql): Sql => rawSql(foldedWhole(textOf(text)));

/** A value of the caller, folded by PostgreSQL. The subquery is evaluated once, not for each row. */
export const foldedValue = (value: string): Sql =>
  sql`(SELECT ${folded(sql`given.value`)} FROM (SELECT ${value}::text AS value) given)`;

/** A folded value, escaped for LIKE. It is escaped last, because folding shortens long texts and turns “％” into “%”. */
const likeValue = (value: string): Sql => sql`regexp_replace(${foldedValue(value)}, '([\\\\%_])', '\\\\\\1', 'g')`;

export const equalsFolded = (text: Sql, value: string): Sql => sql`${text} = ${foldedValue(value)}`;

export const startsWithFolded = (text: Sql, value: string): Sql =>
  sql`${text} LIKE (SELECT ${likeValue(value)} || '%')`;

export const wordsOf = (text: string): string[] => text.split(/\s+/);

/** Condition: the folded text contains every word of `q`, in any order. */
export const containsWords = (text: Sql, q: string): Sql =>
  all(wordsOf(q).map((word) => sql`${text} LIKE (SELECT '%' || ${likeValue(word)} || '%')`));

/** The folded text of a search, for comparisons with codes and labels. */
export interface FoldedQuery {
  text: string;
  words: string[];
}

/** Condition: the folded text contains a value that is folded already. */
export const contains = (text: Sql, value: string): Sql => sql`${text} LIKE ${`%${escapeLike(value)}%`}`;
