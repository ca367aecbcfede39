/** Finds what the words of a search mean: people, entities by their present and past names, and rows by code or label. */
import { labelField } from '../access/label-field.ts';
import { escapeLike } from '../list/filter/like.ts';
import type { ReadModels, ReadRequest, Tables } from '../read-models/read-models.ts';
import { all, any, numberLiteral, type Sql, sql } from '../read-models/sql.ts';
import { entitiesNamed } from './entity-names.ts';

/** Rows that a code or a label finds. */
const ROWS_MAX = 1_000;
const ACTIVITIES_MAX = 10_000;
/** A longer search is one text: each word searches all rows. */
const WORDS_MAX = 4;

interface Meaning {
  text: string;
  users: number[];
  /** As `crosswalk:3`. */
  subjects: string[];
  /** Activities that changed a row with this code or label. */
  activities: number[];
}

/** Finds the activities of rows whose key, label or mapped value is or was `text`. */
function activitiesOfRows(tables: Tables, text: Sql): Sql {
  const current = (table: 'instances' | 'crosswalk_mapping_values') => tables.current(table);
  const history = (table: 'instances' | 'crosswalk_mapping_values') => tables.current(`${table}_history`);
  // A key is a JSON array: a code is one of its texts, or its only number.
  const isInstance = sql`(strpos(v.key, to_json(${text})::text) > 0 OR v.key = concat('[', ${text}, ']')
    OR lower(v.data ->> labels.field) = lower(${text}))`;
  const isMapping = sql`(lower(v.source_value) = lower(${text}) OR lower(v.target_value) = lower(${text}))`;
  const limit = numberLiteral(ROWS_MAX);
  return sql`
    WITH labels AS MATERIALIZED (
      SELECT d.id, ${labelField(sql`d`, sql`ty`, sql`d.key_field_ids`)}::text AS field
      FROM ${tables.current('reference_data_sets')} d JOIN ${tables.current('reference_data_types')} ty ON ty.id = d.type_id),
    found_instances AS MATERIALIZED (SELECT DISTINCT data_set_id, id FROM (
      (SELECT v.data_set_id, v.id FROM ${current('instances')} v LEFT JOIN labels ON labels.id = v.data_set_id
        WHERE ${isInstance} LIMIT ${limit})
      UNION ALL (SELECT v.data_set_id, v.id FROM ${history('instances')} v LEFT JOIN labels ON labels.id = v.data_set_id
        WHERE ${isInstance} LIMIT ${limit})) each LIMIT ${limit}),
    found_mappings AS MATERIALIZED (SELECT DISTINCT crosswalk_id, id FROM (
      (SELECT v.crosswalk_id, v.id FROM ${current('crosswalk_mapping_values')} v WHERE ${isMapping} LIMIT ${limit})
      UNION ALL (SELECT v.crosswalk_id, v.id FROM ${history('crosswalk_mapping_values')} v WHERE ${isMapping} LIMIT ${limit})
      ) each LIMIT ${limit}),
    seqs AS MATERIALIZED (
      SELECT v.valid_from FROM found_instances JOIN ${current('instances')} v USING (data_set_id, id)
      UNION SELECT v.valid_from FROM found_instances JOIN ${history('instances')} v USING (data_set_id, id)
      UNION SELECT v.valid_from FROM found_mappings JOIN ${current('crosswalk_mapping_values')} v USING (crosswalk_id, id)
      UNION SELECT v.valid_from FROM found_mappings JOIN ${history('crosswalk_mapping_values')} v USING (crosswalk_id, id)),
    logged AS MATERIALIZED (SELECT e.causation_id, e.job_id FROM seqs JOIN ${tables('audit_logs')} e ON e.seq = seqs.valid_from)
    SELECT id FROM ${tables('audit_activities')} WHERE key IN (SELECT causation_id FROM logged WHERE job_id IS NULL)
    UNION SELECT id FROM ${tables('audit_activities')} WHERE job_id IN (SELECT job_id FROM logged)
    ORDER BY id DESC LIMIT ${numberLiteral(ACTIVITIES_MAX)}`;
}

const meanings = (tables: Tables, texts: readonly string[]): Sql => sql`
  SELECT w.text,
    ARRAY(SELECT id FROM identity.users WHERE username ILIKE w.pattern OR display_name ILIKE w.pattern) AS users,
    ARRAY(${entitiesNamed(tables, sql`w.pattern`)}) AS subjects,
    ARRAY(${activitiesOfRows(tables, sql`w.text`)}) AS activities
  FROM unnest(${[...texts]}::text[], ${texts.map((text) => `%${escapeLike(text)}%`)}::text[]) WITH ORDINALITY w (text, pattern, place)
  ORDER BY place`;

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
