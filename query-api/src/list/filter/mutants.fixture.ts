/** Seeded mistakes in the filter compiler, as replacements in its files. The test cases must detect each of them. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are pieces of source text.

export interface Mutant {
  file: 'compile.ts' | 'indexed-text.ts' | 'common-words.ts' | 'like.ts';
  from: string;
  to: string;
}

const compile = (from: string, to: string): Mutant => ({ file: 'compile.ts', from, to });
const common = (from: string, to: string): Mutant => ({ file: 'common-words.ts', from, to });
const like = (from: string, to: string): Mutant => ({ file: 'like.ts', from, to });
const indexed = (from: string, to: string): Mutant => ({ file: 'indexed-text.ts', from, to });

export const MUTANTS: readonly Mutant[] = [
  // Groups.
  compile("node.logic === 'OR' ? any(parts) : all(parts)", "node.logic === 'AND' ? any(parts) : all(parts)"),
  compile("node.logic === 'OR' ? any(parts) : all(parts)", 'all(parts)'),
  compile('if (node.conditions.length === 0) return sql`true`', 'if (node.conditions.length === 0) return sql`false`'),
  compile('if (depth > MAX_DEPTH)', 'if (depth > 1_000)'),
  compile('if (count > MAX_CONDITIONS)', 'if (count > 1e9)'),
  compile('return group(each, depth + 1)', 'return sql`true`'),
  // Fields.
  compile('const field = fields.get(name)', 'const field = fields.get(name) ?? [...fields.values()][0]'),
  compile('fields.get(name)', 'fields.get(name.trim())'),
  // Negations and rows without a value.
  compile('IS NOT TRUE)`', 'IS FALSE)`'),
  compile('IS NOT TRUE)`', 'IS TRUE)`'),
  compile("case 'not_equals':\n      return 'equals'", "case 'not_equals':\n      return 'is_null'"),
  compile("case 'not_contains':\n      return 'contains'", "case 'not_contains':\n      return 'starts_with'"),
  compile("case 'not_in':\n      return 'in'", "case 'not_in':\n      return 'equals'"),
  compile("case 'is_not_null':\n      return 'is_null'", "case 'is_not_null':\n      return undefined"),
  compile("`(${field.sql} IS NULL OR ${field.sql} = 'null'::jsonb)`", '`(${field.sql} IS NULL)`'),
  compile(': sql`(${field.sql} IS NULL)`', ': sql`(${field.sql} IS NOT NULL)`'),
  compile('sql`(${field.sql} IS NOT NULL AND ${condition})` : condition', 'condition : condition'),
  // Comparisons.
  compile('greater_than: sql`>`', 'greater_than: sql`>=`'),
  compile('less_than: sql`<`', 'less_than: sql`<=`'),
  compile('greater_than_or_equal: sql`>=`', 'greater_than_or_equal: sql`>`'),
  compile('less_than_or_equal: sql`<=`', 'less_than_or_equal: sql`<`'),
  compile('less_than: sql`<`', 'less_than: sql`>`'),
  compile('[ordering(sql`>=`, low), ordering(sql`<=`, high)]', '[ordering(sql`>`, low), ordering(sql`<=`, high)]'),
  compile('[ordering(sql`>=`, low), ordering(sql`<=`, high)]', '[ordering(sql`>=`, low), ordering(sql`<`, high)]'),
  compile('[ordering(sql`>=`, low), ordering(sql`<=`, high)]', '[ordering(sql`>=`, high), ordering(sql`<=`, low)]'),
  compile('value.length !== 2', 'value.length < 1'),
  compile(
    "new Set<FilterDataType>(['string', 'number', 'date', 'datetime'])",
    "new Set<FilterDataType>(['string', 'number', 'date', 'datetime', 'boolean'])",
  ),
  compile(
    'sql`(${leftOperand} COLLATE "C" ${operator} ${needle.sql})`',
    'sql`(lower(${leftOperand}) COLLATE "C" ${operator} lower(${needle.sql}))`',
  ),
  compile(
    'sql`(${operand(field, needle)} = ${needle.sql})`',
    'sql`(${operand(field, needle)}::text ILIKE ${needle.sql}::text)`',
  ),
  // Texts.
  indexed('sql`(${whole} ILIKE ${pattern})`', 'sql`(${whole} LIKE ${pattern})`'),
  compile('return matchesPattern(`%${escapeLike(text())}%`)', 'return matchesPattern(`${escapeLike(text())}%`)'),
  compile('return matchesPattern(`%${escapeLike(text())}`)', 'return matchesPattern(`%${escapeLike(text())}%`)'),
  compile('matchesPattern(`${escapeLike(text())}%`)', 'matchesPattern(`%${escapeLike(text())}%`)'),
  compile('return matchesPattern(`%${escapeLike(text())}%`)', 'return matchesPattern(`%${text()}%`)'),
  like('/[\\\\%_]/g', '/[\\\\%]/g'),
  like('/[\\\\%_]/g', '/[%_]/g'),
  like('/[\\\\%_]/g', '/[\\\\%_]/'),
  compile('~ ${text()}::text)`', '~* ${text()}::text)`'),
  compile('~ ${text()}::text)`', "~ ('^' || ${text()}::text))`"),
  compile('return markRegex(', 'return ((part: Sql) => part)('),
  compile('trim_scale(${part})::text', 'round(${part})::text'),
  compile("to_char(${part}, 'YYYY-MM-DD')", '${part}::text'),
  compile("sql`to_char(${part} AT TIME ZONE 'UTC',", 'sql`to_char(${part},'),
  compile('SS.MS"Z"', 'SS"Z"'),
  // Needles.
  compile("sql`(${field.sql} AT TIME ZONE 'UTC')::date`", 'sql`(${field.sql})::date`'),
  compile('{ sql: sql`${value}::date`, wholeDay: true }', "exactNeedle(sql`${value}::date AT TIME ZONE 'UTC'`)"),
  compile('? value : `${value}Z`', '? value : `${value}+01:00`'),
  compile('exactNeedle(sql`${zoned}::timestamptz`)', 'exactNeedle(sql`${value}::timestamptz`)'),
  compile('!isDate(value.slice(0, 10))', 'false'),
  compile(
    "typeof value === 'string' ? parseCell(value, dataType)",
    "typeof value === 'string' ? parseCell(value, 'string')",
  ),
  compile('!cell.ok || cell.value === null', '!cell.ok'),
  compile('!cell.ok || cell.value === null', 'cell.ok && cell.value === null'),
  compile("dataType === 'date' ? sql`${cell.value}::date`", "dataType === 'date' ? sql`(${cell.value}::date + 1)`"),
  compile('if (needles.length === 0) return sql`false`', 'if (needles.length === 0) return sql`true`'),
  compile('[days, others]', '[others]'),
  compile('@> jsonb_build_array(${needle.sql}))`', '= jsonb_build_array(${needle.sql}))`'),
  compile('sql`(${field.sql} @> ${needle(value).sql})`', 'sql`(${field.sql} <@ ${needle(value).sql})`'),
  compile('Array.isArray(value) ? value : [value]', 'value'),
  compile('value.length > MAX_NEEDLES', 'value.length > 1e9'),
  // Input of a caller becomes SQL.
  compile('sql`${textNeedle(value, name)}::text`', "new Sql([`'${textNeedle(value, name)}'::text`], [])"),
  compile('sql`${String(cell.value)}::numeric`', 'new Sql([`${value}::numeric`], [])'),
  compile(
    "case 'json':\n    case 'array':\n      return exactNeedle(",
    "case 'json':\n    case 'array':\n      return exactNeedle((value as { texts?: string[] })?.texts ? new Sql((value as Sql).texts, []) : ",
  ),
  // Texts whose beginning is indexed.
  indexed('needles.every(isShort) ?', 'true ?'),
  indexed('text.length < INDEXED_CHARACTERS', 'text.length <= INDEXED_CHARACTERS'),
  indexed('sql`${start} = ${first}::text`', 'sql`lower(${start}) = lower(${first}::text)`'),
  indexed('sql`${start} = ANY(${starts}::text[])`', 'sql`${start} = ${first}::text`'),
  indexed("startsWith('>') ? sql`>=` : sql`<=`", "startsWith('>') ? sql`>` : sql`<`"),
  indexed('AND ${whole} COLLATE "C" ${operator} ${needle}::text)`', ')`'),
  indexed('needle.length <= FOLDED_CHARACTERS ?', 'true ?'),
  indexed('LIKE lower(${', 'LIKE (${'),
  indexed('[...text.slice(0, 2 * characters)].slice(0, characters)', '[...text.slice(0, characters)]'),
  indexed('if (isShort(needle))', 'if (true)'),
  // Common words that an index search leaves out.
  indexed("ILIKE ${rare} AND (${whole} || '') ILIKE ${pattern})`", 'ILIKE ${rare})`'),
  indexed("ILIKE ${rare} AND (${whole} || '') ILIKE", "LIKE ${rare} AND (${whole} || '') ILIKE"),
  indexed("ILIKE ${rare} AND (${whole} || '') ILIKE", "ILIKE ${rare} AND (${whole} || '') LIKE"),
  common('escapeLike(needle.slice(from, index))}%`', 'needle.slice(from, index)}%`'),
  common('escapeLike(needle.slice(from, index))}%`', 'escapeLike(needle.slice(from, index))}`'),
];
