/**
 * Finds the label field of a data set: its value labels a row in addition to the key. A steward chooses it, else the field names decide
 * (decision 64). Query-api shows labels and the projector indexes them: both use this SQL.
 */

/** Names of label fields, the best first. */
const LABEL_WORDS = ['name', 'label', 'title', 'description', 'display'];
/** Words in names of fields that contain codes. */
const CODE_WORDS = [
  ...['code', 'id', 'key', 'nr', 'no', 'num', 'number', 'sku', 'iso', 'ean', 'notation', 'zip', 'plz', 'part', 'type'],
  ...['scope', 'status', 'kind', 'class', 'category', 'parent', 'currency', 'unit', 'comment', 'note', 'notes', 'url'],
];
const textArray = (words: readonly string[]): string => `'{${words.join()}}'::text[]`;
const LABELS = textArray(LABEL_WORDS);
const CODES = textArray(CODE_WORDS);

/** Condition on a field `f`: its name is Synonyms, Aliases, Alternative names or the like. */
export const IS_SYNONYM_FIELD = `lower(regexp_replace(f ->> 'name', '[^[:alpha:]]', '', 'g')) IN
  ('synonym', 'synonyms', 'alias', 'aliases', 'altname', 'altnames', 'alternatename', 'alternatenames', 'alternativename',
   'alternativenames', 'othername', 'othernames', 'alsoknownas')`;

/** The words of a field's name: `Ref_Name` and `refName` are two. */
const WORDS = `regexp_split_to_array(lower(regexp_replace(f ->> 'name', '([[:lower:]])([[:upper:]])', '\\1 \\2', 'g')), '[^[:alpha:]]+')`;

/** 1 to 5 for exactly such a name, 11 to 15 for a name with such a word, 20 for other text fields; null for codes. */
const RANK = `CASE WHEN array_position(${LABELS}, lower(f ->> 'name')) IS NOT NULL
    THEN array_position(${LABELS}, lower(f ->> 'name'))
  WHEN ${WORDS} && ${LABELS} AND NOT ${WORDS} && ${CODES}
    THEN 10 + (SELECT min(array_position(${LABELS}, word)) FROM unnest(${WORDS}) word)
  WHEN NOT ${WORDS} && ${CODES} THEN 20 END`;

/**
 * The id of the label field of a data set `dataSet` of type `type`, except the fields of the array `excluded`, which are shown
 * already; null if there is none: rows then show only their key. A crosswalk's choice, `chosen`, goes before the data set's.
 */
export const labelFieldSql = (
  dataSet: string,
  type: string,
  excluded: string,
  chosen = 'NULL::bigint',
): string => `(SELECT (f ->> 'fieldId')::bigint
  FROM jsonb_array_elements(${type}.fields) WITH ORDINALITY fields (f, place)
  CROSS JOIN LATERAL (SELECT array_position(ARRAY[${chosen}, ${dataSet}.label_field_id], (f ->> 'fieldId')::bigint) AS choice,
    ${RANK} AS rank) named
  WHERE NOT (f ->> 'retired')::boolean AND NOT (f ->> 'fieldId')::bigint = ANY(${excluded})
    AND (named.choice IS NOT NULL OR f ->> 'dataType' = 'string' AND NOT ${IS_SYNONYM_FIELD} AND named.rank IS NOT NULL)
  ORDER BY named.choice, named.rank, place LIMIT 1)`;
