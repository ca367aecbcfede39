/**
 * Conditions on a text that use the indexes of platform/src/postgres/cells.ts. `start` and `folded` are only the
 * beginning of the text, so conditions with a long needle check the whole text too.
 */
import { INDEXED_CHARACTERS } from '@rdm/platform';
import { all, type Sql, sql } from '../../read-models/sql.ts';
import { type CommonWords, rarePattern } from './common-words.ts';
import { escapeLike } from './like.ts';

export interface IndexedText {
  whole: Sql;
  /** The first INDEXED_CHARACTERS of the text, collated by code point. */
  start: Sql;
  /** The beginning of the text in lower case. */
  folded: Sql;
  /** Returns the words that many texts of the field contain; none if there are no statistics yet. */
  common?: () => CommonWords;
}

/** Lower-casing can make a text longer: a needle of half the indexed length always fits. */
const FOLDED_CHARACTERS = INDEXED_CHARACTERS / 2;

/** Returns the first characters of a text, counted in code points as in PostgreSQL. */
const startOf = (text: string, characters: number): string =>
  [...text.slice(0, 2 * characters)].slice(0, characters).join('');

const isShort = (text: string): boolean => text.length < INDEXED_CHARACTERS;

/** Condition: the text is one of the needles. */
export function equalsOneOf({ whole, start }: IndexedText, needles: readonly string[]): Sql {
  const starts = needles.map((needle) => startOf(needle, INDEXED_CHARACTERS));
  const [first] = starts;
  const startMatches = starts.length === 1 ? sql`${start} = ${first}::text` : sql`${start} = ANY(${starts}::text[])`;
  return needles.every(isShort)
    ? sql`(${startMatches})`
    : all([startMatches, sql`${whole} = ANY(${[...needles]}::text[])`]);
}

/** Condition: `text operator needle`, in code point order. */
export function comparesTo({ whole, start }: IndexedText, operator: Sql, needle: string): Sql {
  if (isShort(needle)) return sql`(${start} ${operator} ${needle}::text)`;
  const orEqual = operator.texts[0]?.startsWith('>') ? sql`>=` : sql`<=`;
  return sql`(${start} ${orEqual} ${startOf(needle, INDEXED_CHARACTERS)}::text AND ${whole} COLLATE "C" ${operator} ${needle}::text)`;
}

/** Condition: the text contains the needle, ignoring case; `pattern` is the LIKE pattern for the needle. */
export function containsText(
  { whole, common }: Pick<IndexedText, 'whole' | 'common'>,
  needle: string,
  pattern: string,
): Sql {
  const rare = common && rarePattern(needle, common());
  if (rare === undefined) return sql`(${whole} ILIKE ${pattern})`;
  // The concatenation keeps the planner from using the index for the full pattern with its common words.
  return sql`(${whole} ILIKE ${rare} AND (${whole} || '') ILIKE ${pattern})`;
}

/** Condition: the text starts with the needle, ignoring case. */
export function startsWithText({ whole, folded }: IndexedText, needle: string): Sql {
  const startMatches = sql`(${folded} LIKE lower(${`${escapeLike(startOf(needle, FOLDED_CHARACTERS))}%`}))`;
  return needle.length <= FOLDED_CHARACTERS
    ? startMatches
    : all([startMatches, sql`${whole} ILIKE ${`${escapeLike(needle)}%`}`]);
}
