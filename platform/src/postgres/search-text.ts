/**
 * SQL expressions for the searched codes and labels of rows. query-api and the projector share these expressions,
 * because PostgreSQL uses an index only for exactly the indexed expression. All expressions are immutable.
 */
import { createHash } from 'node:crypto';
import { ACCENTS } from '@rdm/contracts';
import { cellText, INDEXED_CHARACTERS } from './cells.ts';

/**
 * The beginning of a text without case and accents, compared by code point. Most texts are ASCII, which needs no
 * normalisation.
 */
export function foldedText(text: string): string {
  const start = `left(${text}, ${INDEXED_CHARACTERS})`;
  const withoutMarks = `regexp_replace(normalize(${start}, NFKD), '${ACCENTS}', '', 'g')`;
  return `(CASE WHEN octet_length(${start}) = char_length(${start}) THEN lower(${start})
    ELSE left(lower(${withoutMarks}), ${INDEXED_CHARACTERS}) END COLLATE "C")`;
}

/** A whole text without case and accents, for texts without an index. */
export const foldedWhole = (text: string): string =>
  `(CASE WHEN octet_length(${text}) = char_length(${text}) THEN lower(${text})
    ELSE lower(regexp_replace(normalize(${text}, NFKD), '${ACCENTS}', '', 'g')) END COLLATE "C")`;

/** The fields in which the rows of a data set are searched. */
export interface SearchedFields {
  keyFieldIds: readonly number[];
  /** Null if the data set has no label field. */
  labelFieldId: number | null;
}

/** The beginning of the displayed key of a row, without case and accents. */
export const searchedCode = (data: string, { keyFieldIds }: Pick<SearchedFields, 'keyFieldIds'>): string =>
  foldedText(`(${keyFieldIds.map((id) => `coalesce(${cellText(data, id)}, '')`).join(` || ' · ' || `)})`);

/** The beginning of the label of a row, without case and accents; null if there is no label field. */
export const searchedLabel = (data: string, { labelFieldId }: Pick<SearchedFields, 'labelFieldId'>): string =>
  labelFieldId === null ? 'NULL::text' : foldedText(cellText(data, labelFieldId));

/** The number of characters of a part of a label. */
export const LABEL_PART_CHARACTERS = 3;

/**
 * All parts of three characters of a folded label. Each part is hashed with the id of the data set, so that a search of
 * one data set reads no index entries of other data sets.
 */
export const labelParts = (dataSetId: string, label: string): string =>
  `ARRAY(SELECT DISTINCT hashtextextended(substr(${label}, part, ${LABEL_PART_CHARACTERS}), ${dataSetId})
    FROM generate_series(1, char_length(${label}) - ${LABEL_PART_CHARACTERS - 1}) part)`;

/** Returns the name of an index. A hash in the name ensures that a changed expression gets a new index. */
export const indexName = (prefix: string, expression: string): string =>
  `${prefix}${createHash('sha256').update(expression).digest('hex').slice(0, 8)}`;

/** The indexes with which the rows of a large data set are searched; `on` follows `CREATE INDEX … ON table`. */
export function searchIndexes(fields: SearchedFields): { kind: 'code' | 'label' | 'parts'; on: string }[] {
  const sorted = (expression: string) => `(${expression}, id) WHERE NOT deleted`;
  const label = searchedLabel('data', fields);
  return [
    { kind: 'code', on: sorted(searchedCode('data', fields)) },
    ...(fields.labelFieldId === null
      ? []
      : ([
          { kind: 'label', on: sorted(label) },
          { kind: 'parts', on: `USING gin (${label} gin_trgm_ops) WHERE NOT deleted` },
        ] as const)),
  ];
}
