/** Compares texts without case and accents, as the search does. */
import { foldedText } from '@rdm/platform';
import { all, rawSql, Sql, sql, textOf } from '../read-models/sql.ts';

/** An expression without parameters, folded. */
export const folded = (text: Sql): Sql => rawSql(foldedText(textOf(text)));

const [before = '', ...others] = foldedText('(\0::text)').split('\0');

/** A value of the caller, folded by PostgreSQL: one rule folds both sides. */
const foldedValue = (value: string): Sql =>
  new Sql(
    [before, ...others],
    others.map(() => value),
  );

export const equalsFolded = (text: Sql, value: string): Sql => sql`${text} = ${foldedValue(value)}`;

/** The value escaped for LIKE, after it is folded: folding cuts long texts and turns “％” into “%”. */
const likeValue = (value: string): Sql => sql`regexp_replace(${foldedValue(value)}, '([\\\\%_])', '\\\\\\1', 'g')`;

export const startsWithFolded = (text: Sql, value: string): Sql => sql`${text} LIKE ${likeValue(value)} || '%'`;

export const containsFolded = (text: Sql, value: string): Sql => sql`${text} LIKE '%' || ${likeValue(value)} || '%'`;

export const wordsOf = (text: string): string[] => text.split(/\s+/);

/** Condition: the text contains every word of `q`, in any order. */
export const containsWords = (text: Sql, q: string): Sql => all(wordsOf(q).map((word) => containsFolded(text, word)));
