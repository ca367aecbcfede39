/**
 * Conditions on a text whose beginning is indexed, in words that its indexes answer (platform/src/postgres/cells.ts). What is
 * looked for may be longer than what is indexed: then the whole text is asked too.
 */
import { INDEXED_CHARACTERS } from '@rdm/platform';
import { all, type Sql, sql } from '../../read-models/sql.ts';
import { type CommonWords, rarePattern } from './common-words.ts';
import { escapeLike } from './like.ts';

export interface IndexedText {
  whole: Sql;
  /** Its first INDEXED_CHARACTERS, compared by code point. */
  start: Sql;
  /** The same in lower case. */
  folded: Sql;
  /** Words that many of the texts have, as far as they are known by now. */
  common?: () => CommonWords;
}

/** A lower case may be longer than its letters: half of what is indexed holds any needle's. */
const FOLDED_CHARACTERS = INDEXED_CHARACTERS / 2;

/** The first characters of a text, by code point, as PostgreSQL counts them. */
const startOf = (text: string, characters: number): string =>
  [...text.slice(0, 2 * characters)].slice(0, characters).join('');

const isShort = (text: string): boolean => text.length < INDEXED_CHARACTERS;

/** The text is one of these. */
export function isOneOf({ whole, start }: IndexedText, needles: readonly string[]): Sql {
  const starts = needles.map((needle) => startOf(needle, INDEXED_CHARACTERS));
  const [first] = starts;
  const found = starts.length === 1 ? sql`${start} = ${first}::text` : sql`${start} = ANY(${starts}::text[])`;
  return needles.every(isShort) ? sql`(${found})` : all([found, sql`${whole} = ANY(${[...needles]}::text[])`]);
}

/** The text stands before or after another. */
export function standsTo({ whole, start }: IndexedText, operator: Sql, needle: string): Sql {
  if (isShort(needle)) return sql`(${start} ${operator} ${needle}::text)`;
  const atLeast = operator.texts[0]?.startsWith('>') ? sql`>=` : sql`<=`;
  return sql`(${start} ${atLeast} ${startOf(needle, INDEXED_CHARACTERS)}::text AND ${whole} COLLATE "C" ${operator} ${needle}::text)`;
}

/** The text has another within it, as the pattern of LIKE around that says, whatever the case. */
export function holds({ whole, common }: Pick<IndexedText, 'whole' | 'common'>, needle: string, pattern: string): Sql {
  const rare = common && rarePattern(needle, common());
  if (rare === undefined) return sql`(${whole} ILIKE ${pattern})`;
  // Of an expression that no index is on: else it would be asked for the common words as well.
  return sql`(${whole} ILIKE ${rare} AND (${whole} || '') ILIKE ${pattern})`;
}

/** The text begins with another, whatever the case. */
export function begins({ whole, folded }: IndexedText, needle: string): Sql {
  const found = sql`(${folded} LIKE lower(${`${escapeLike(startOf(needle, FOLDED_CHARACTERS))}%`}))`;
  return needle.length <= FOLDED_CHARACTERS ? found : all([found, sql`${whole} ILIKE ${`${escapeLike(needle)}%`}`]);
}
