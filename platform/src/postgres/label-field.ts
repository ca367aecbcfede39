/**
 * Finds the label field of a data set: the choice of a steward, or the field with the best name (decision 64).
 * query-api shows labels and the projector indexes labels by this SQL.
 */

/** Names of label fields, the best first. */
const LABEL_WORDS = ['name', 'label', 'title', 'description', 'display'];
/** Words in the names of fields that contain codes, comments or other values instead of labels. */
const CODE_WORDS = [
  ...['code', 'id', 'key', 'nr', 'no', 'num', 'number', 'sku', 'iso', 'ean', 'notation', 'zip', 'plz', 'part', 'type'],
  ...['scope', 'status', 'kind', 'class', 'category', 'parent', 'currency', 'unit', 'comment', 'note', 'notes', 'url'],
];
const textArray = (words: readonly string[]): string => `'{${words.join()}}'::text[]`;
const LABELS = textArray(LABEL_WORDS);
const CODES = textArray(CODE_WORDS);

/** SQL condition on a field `f`: its name is Synonyms, Aliases, Alternative names or similar. */
export const IS_SYNONYM_FIELD = `lower(regexp_replace(f ->> 'name', '[^[:alpha:]]', '', 'g')) IN
  ('synonym', 'synonyms', 'alias', 'aliases', 'altname', 'altnames', 'alternatename', 'alternatenames', 'alternativename',
   'alternativenames', 'othername', 'othernames', 'alsoknownas')`;

/** The words of a field's name: `Ref_Name` and `refName` have two words. */
const WORDS = `regexp_split_to_array(lower(regexp_replace(f ->> 'name', '([[:lower:]])([[:upper:]])', '\\1 \\2', 'g')), '[^[:alpha:]]+')`;

/**
 * The rank of a field: 1 to 5 if its name is a label word, 11 to 15 if its name contains a label word, otherwise 20. A
 * name with a code word has no rank (null).
 */
const RANK = `CASE WHEN array_position(${LABELS}, lower(f ->> 'name')) IS NOT NULL
    THEN array_position(${LABELS}, lower(f ->> 'name'))
  WHEN ${WORDS} && ${LABELS} AND NOT ${WORDS} && ${CODES}
    THEN 10 + (SELECT min(array_position(${LABELS}, word)) FROM unnest(${WORDS}) word)
  WHEN NOT ${WORDS} && ${CODES} THEN 20 END`;

/**
 * The id of the label field of a data set; null if there is none. Omits the fields in the array `excluded`, which are
 * already shown. `chosen`, the choice for a crosswalk, overrides the choice for the data set. Without a choice, the
 * label field is the first string field with the lowest rank, except fields of synonyms.
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
