/** Finds what the words of a search mean: people, entities by their present and past names, and rows by code or label. */
import { labelField } from '../access/label-field.ts';
import { entitiesNamed } from '../entities/audited-names.ts';
import { escapeLike } from '../list/filter/like.ts';
import type { ReadModels, ReadRequest, Tables } from '../read-models/read-models.ts';
import { all, any, numberLiteral, type Sql, sql } from '../read-models/sql.ts';

/** Rows that a code or a label finds. */
const ROWS_MAX = 1_000;
const ACTIVITIES_MAX = 10_000;
/** A longer search is one text. */
const WORDS_MAX = 8;

interface Meaning {
  text: string;
  users: number[];
  /** As `crosswalk:3`. */
  subjects: string[];
  /** Activities that changed a row with this code or label. */
  activities: number[];
}

/** The key of a row with one field, in each form that `text` can have there: keys are JSON arrays (rows.ts). */
const keysOf = (text: string): string[] => [JSON.stringify([text]), `[${text}]`];

/**
 * The CTE `changed`: the commands and jobs that changed a row whose key, label or mapped value is or was one of the texts. All
 * versions are read once, whatever the number of texts.
 */
function changedRows(tables: Tables, texts: readonly string[]): Sql {
  const limit = numberLiteral(ROWS_MAX);
  const lowered = texts.map((text) => text.toLowerCase());
  const versionsOf = (table: 'instances' | 'crosswalk_mapping_values', columns: Sql, join: Sql, where: Sql) =>
    sql`(SELECT ${columns} FROM ${tables.current(table)} v ${join} WHERE ${where} LIMIT ${limit})
      UNION ALL (SELECT ${columns} FROM ${tables.current(`${table}_history`)} v ${join} WHERE ${where} LIMIT ${limit})`;
  const ofLabels = sql`LEFT JOIN labels ON labels.id = v.data_set_id`;
  const isInstance = sql`(v.key = ANY(${texts.flatMap(keysOf)}::text[]) OR lower(v.data ->> labels.field) = ANY(${lowered}::text[])
    OR labels.is_composite AND v.key::jsonb ?| ${[...texts]}::text[])`;
  const isMapping = sql`(lower(v.source_value) = ANY(${lowered}::text[]) OR lower(v.target_value) = ANY(${lowered}::text[]))`;
  return sql`
    labels AS MATERIALIZED (
      SELECT d.id, ${labelField(sql`d`, sql`ty`, sql`d.key_field_ids`)}::text AS field, cardinality(d.key_field_ids) > 1 AS is_composite
      FROM ${tables.current('reference_data_sets')} d JOIN ${tables.current('reference_data_types')} ty ON ty.id = d.type_id),
    found AS MATERIALIZED (
      SELECT 'instances' AS type, * FROM (${versionsOf(
        'instances',
        sql`v.data_set_id AS parent_id, v.id, v.key AS one, v.data ->> labels.field AS other`,
        ofLabels,
        isInstance,
      )}) rows
      UNION SELECT 'mappings', * FROM (${versionsOf(
        'crosswalk_mapping_values',
        sql`v.crosswalk_id, v.id, v.source_value, v.target_value`,
        sql``,
        isMapping,
      )}) mappings),
    matched AS MATERIALIZED (
      SELECT DISTINCT w.text, f.type, f.parent_id, f.id FROM found f JOIN words w ON lower(f.other) = lower(w.text)
        OR CASE f.type WHEN 'mappings' THEN lower(f.one) = lower(w.text)
          ELSE f.one = concat('[', w.text, ']') OR f.one::jsonb ? w.text END
      LIMIT ${limit}),
    seqs AS (
      SELECT m.text, v.valid_from AS seq FROM matched m JOIN ${tables.current('instances')} v
        ON m.type = 'instances' AND v.data_set_id = m.parent_id AND v.id = m.id
      UNION SELECT m.text, v.valid_from FROM matched m JOIN ${tables.current('instances_history')} v
        ON m.type = 'instances' AND v.data_set_id = m.parent_id AND v.id = m.id
      UNION SELECT m.text, v.valid_from FROM matched m JOIN ${tables.current('crosswalk_mapping_values')} v
        ON m.type = 'mappings' AND v.crosswalk_id = m.parent_id AND v.id = m.id
      UNION SELECT m.text, v.valid_from FROM matched m JOIN ${tables.current('crosswalk_mapping_values_history')} v
        ON m.type = 'mappings' AND v.crosswalk_id = m.parent_id AND v.id = m.id),
    changed AS MATERIALIZED (
      SELECT DISTINCT s.text, e.job_id, CASE WHEN e.job_id IS NULL THEN e.causation_id END AS key
      FROM seqs s JOIN ${tables('audit_logs')} e ON e.seq = s.seq)`;
}

const meanings = (tables: Tables, texts: readonly string[]): Sql => sql`
  WITH words AS (SELECT * FROM unnest(${[...texts]}::text[], ${texts.map((text) => `%${escapeLike(text)}%`)}::text[])
    WITH ORDINALITY w (text, pattern, place)),
  ${changedRows(tables, texts)}
  SELECT w.text,
    ARRAY(SELECT id FROM identity.users WHERE username ILIKE w.pattern OR display_name ILIKE w.pattern) AS users,
    ARRAY(${entitiesNamed(tables, sql`w.pattern`)}) AS subjects,
    ARRAY(SELECT id FROM ${tables('audit_activities')} WHERE key IN (SELECT c.key FROM changed c WHERE c.text = w.text)
      UNION SELECT id FROM ${tables('audit_activities')} WHERE job_id IN (SELECT c.job_id FROM changed c WHERE c.text = w.text)
      ORDER BY id DESC LIMIT ${numberLiteral(ACTIVITIES_MAX)}) AS activities
  FROM words w ORDER BY w.place`;

/** Activities whose name, comment or people contain the text, or that changed a row with this code or label. */
function hasMeaning({ text, users, subjects, activities }: Meaning): Sql {
  const pattern = `%${escapeLike(text)}%`;
  return any([
    sql`a.id = ANY(${activities}::bigint[])`,
    sql`a.actor_id = ANY(${users}::bigint[])`,
    sql`a.user_ids && ${users}::bigint[]`,
    sql`a.subjects && ${subjects}::text[]`,
    sql`a.comment ILIKE ${pattern}`,
    sql`a.verb ILIKE ${pattern}`,
    sql`k.name ILIKE ${pattern}`,
    sql`jsonb_path_query_array(a.facts, '$[*].data.name')::text ILIKE ${pattern}`,
  ]);
}

/** The condition of a search on activities `a` with their API keys `k`: it finds every word, or the whole text. */
export async function searchCondition(
  readModels: ReadModels,
  readRequest: ReadRequest,
  q: string | undefined,
): Promise<Sql> {
  const whole = q?.trim().normalize('NFC');
  if (!whole) return sql`true`;
  const words = whole.split(/\s+/);
  const isWordByWord = words.length > 1 && words.length <= WORDS_MAX;
  const texts = isWordByWord ? [whole, ...words] : [whole];
  const { rows } = await readModels.read<Meaning>(readRequest, (tables) => meanings(tables, texts));
  const [first, ...others] = rows.map(hasMeaning);
  if (first === undefined) return sql`true`;
  return others.length === 0 ? first : any([first, all(others)]);
}
