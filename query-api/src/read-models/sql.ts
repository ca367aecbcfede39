/** Parametrised SQL as a value: an Sql in a template is inserted, every other value becomes a parameter. */

/** SQL with its parameters. It is a class, so that an object from the JSON of a caller cannot be used as SQL. */
export class Sql {
  /** The texts around the values. There is one more text than there are values. */
  readonly texts: readonly string[];
  readonly values: readonly unknown[];
  /** Whether the SQL contains a regular expression of a caller. Such SQL runs in its own pool with a short timeout. */
  readonly hasRegex: boolean;

  constructor(texts: readonly string[], values: readonly unknown[], hasRegex = false) {
    this.texts = texts;
    this.values = values;
    this.hasRegex = hasRegex;
  }
}

/** Builds SQL from a template, for example `` sql`SELECT ${1} FROM ${identifier('t')}` ``. */
export function sql(strings: TemplateStringsArray, ...parts: unknown[]): Sql {
  const texts = [strings[0] ?? ''];
  const values: unknown[] = [];
  let hasRegex = false;
  const append = (text: string) => {
    texts[texts.length - 1] += text;
  };
  parts.forEach((part, index) => {
    if (part instanceof Sql) {
      hasRegex ||= part.hasRegex;
      append(part.texts[0] ?? '');
      values.push(...part.values);
      texts.push(...part.texts.slice(1));
    } else {
      values.push(part);
      texts.push('');
    }
    append(strings[index + 1] ?? '');
  });
  return new Sql(texts, values, hasRegex);
}

/** SQL from a text that code built. The text must not contain input of a caller. */
export const rawSql = (text: string): Sql => new Sql([text], []);

/** A safe integer as literal SQL, so that the plan can depend on its value. */
export function numberLiteral(number: number): Sql {
  if (!Number.isSafeInteger(number)) throw new Error(`${number} is no safe integer`);
  return rawSql(String(number));
}

/** Marks SQL that contains a regular expression of a caller. */
export const markRegex = (part: Sql): Sql => new Sql(part.texts, part.values, true);

export const empty: Sql = new Sql([''], []);

/** Returns the text of SQL, for functions that build expressions as text. Throws if the SQL has parameters. */
export function textOf({ texts, values }: Sql): string {
  if (values.length > 0) throw new Error('SQL with parameters cannot be converted to a text');
  return texts[0] ?? '';
}

/** Joins parts with a separator. Returns empty SQL if there are no parts. */
export function join(parts: readonly Sql[], separator: string): Sql {
  const separatorSql = new Sql([separator], []);
  return parts.reduce((joined, part, index) => (index === 0 ? part : sql`${joined}${separatorSql}${part}`), empty);
}

/** Conditions joined with AND; true without conditions. */
export const all = (parts: readonly Sql[]): Sql => (parts.length === 0 ? sql`true` : sql`(${join(parts, ' AND ')})`);

/** Conditions joined with OR; false without conditions. */
export const any = (parts: readonly Sql[]): Sql => (parts.length === 0 ? sql`false` : sql`(${join(parts, ' OR ')})`);

/** A quoted name, or several joined by dots (schema and table); safe for any text. */
export const identifier = (...names: string[]): Sql =>
  new Sql([names.map((name) => `"${name.replaceAll('"', '""').replaceAll('\0', '')}"`).join('.')], []);

/**
 * Condition: the column equals the value; never true if the value is null. Uses an index of the first 200 characters
 * (INDEXED_CHARACTERS), because whole texts may be too long for an index.
 */
export const sameIndexedText = (column: Sql, value: Sql | string | null): Sql =>
  sql`(left(${column}, 200) = left(${value}::text, 200) AND ${column} = ${value}::text)`;

/** Condition: the column equals one of the values. Uses the same index as `sameIndexedText`. */
export const oneOfIndexedTexts = (column: Sql, values: readonly string[]): Sql =>
  sql`(left(${column}, 200) = ANY(ARRAY(SELECT left(wanted, 200) FROM unnest(${values}::text[]) wanted))
    AND ${column} = ANY(${values}::text[]))`;

/** Returns the statement for the driver. */
export function toStatement(query: Sql): { text: string; values: unknown[] } {
  let text = query.texts[0] ?? '';
  for (let index = 1; index < query.texts.length; index++) text += `$${index}${query.texts[index]}`;
  return { text, values: [...query.values] };
}
