/** Finds the label field of a data set: its value names a row beside the key. A steward chooses it, else the field names decide (decision 64). */
import { type Sql, sql } from '../read-models/sql.ts';

/** The current name of a field of a type. */
export const fieldName = (fieldId: Sql, fields: Sql): Sql =>
  sql`(SELECT f ->> 'name' FROM jsonb_array_elements(${fields}) f WHERE (f ->> 'fieldId')::bigint = ${fieldId})`;

/** Names of label fields, the best first. */
const LABEL_WORDS = ['name', 'label', 'title', 'description', 'display'];
/** Words in names of fields that contain codes. */
const CODE_WORDS = [
  ...['code', 'id', 'key', 'nr', 'no', 'num', 'number', 'sku', 'iso', 'ean', 'notation', 'zip', 'plz', 'part', 'type'],
  ...['scope', 'status', 'kind', 'class', 'category', 'parent', 'currency', 'unit', 'comment', 'note', 'notes', 'url'],
];

/** Condition on a field `f`: its name is Synonyms, Aliases, Alternative names or the like. */
export const isSynonymField: Sql = sql`lower(regexp_replace(f ->> 'name', '[^[:alpha:]]', '', 'g')) IN
  ('synonym', 'synonyms', 'alias', 'aliases', 'altname', 'altnames', 'alternatename', 'alternatenames', 'alternativename',
   'alternativenames', 'othername', 'othernames', 'alsoknownas')`;

/** The words of a field's name: `Ref_Name` and `refName` are two. */
const words: Sql = sql`regexp_split_to_array(lower(regexp_replace(f ->> 'name', '([[:lower:]])([[:upper:]])', '\\1 \\2', 'g')), '[^[:alpha:]]+')`;

/** 1 to 5 for exactly such a name, 11 to 15 for a name with such a word, 20 for other text fields; null for codes. */
const rank: Sql = sql`CASE WHEN array_position(${LABEL_WORDS}::text[], lower(f ->> 'name')) IS NOT NULL
    THEN array_position(${LABEL_WORDS}::text[], lower(f ->> 'name'))
  WHEN ${words} && ${LABEL_WORDS}::text[] AND NOT ${words} && ${CODE_WORDS}::text[]
    THEN 10 + (SELECT min(array_position(${LABEL_WORDS}::text[], word)) FROM unnest(${words}) word)
  WHEN NOT ${words} && ${CODE_WORDS}::text[] THEN 20 END`;

/**
 * The id of the label field of a data set `dataSet` of type `type`, except the fields `excluded`, which are shown already;
 * null if there is none: rows then show only their key. A crosswalk's choice, `chosen`, goes before the data set's.
 */
export const labelField = (
  dataSet: Sql,
  type: Sql,
  excluded: Sql,
  chosen = sql`NULL::bigint`,
): Sql => sql`(SELECT (f ->> 'fieldId')::bigint
  FROM jsonb_array_elements(${type}.fields) WITH ORDINALITY fields (f, place)
  CROSS JOIN LATERAL (SELECT array_position(ARRAY[${chosen}, ${dataSet}.label_field_id], (f ->> 'fieldId')::bigint) AS choice,
    ${rank} AS rank) named
  WHERE NOT (f ->> 'retired')::boolean AND NOT (f ->> 'fieldId')::bigint = ANY(${excluded})
    AND (named.choice IS NOT NULL OR f ->> 'dataType' = 'string' AND NOT ${isSynonymField} AND named.rank IS NOT NULL)
  ORDER BY named.choice, named.rank, place LIMIT 1)`;
