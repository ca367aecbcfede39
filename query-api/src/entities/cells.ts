/** SQL expressions for cells of instances and the keys made of them. */
import { type Sql, sql } from '../read-models/sql.ts';

/** A cell under a field as text; null without a field. */
export const cellText = (data: Sql, fieldId: number | null): Sql =>
  fieldId === null ? sql`NULL::text` : sql`(${data} ->> ${String(fieldId)}::text)`;

/** Text in the normal form of normaliseText in contracts. The first tests spare most texts the normalisation. */
export const normalised = (text: Sql): Sql =>
  sql`CASE WHEN octet_length(${text}) = char_length(${text}) OR ${text} IS NFC NORMALIZED THEN ${text}
    ELSE normalize(${text}, NFC) END`;

/** The value by which crosswalks identify a row: the cell under the mapped field, normalised like mappings. */
export const mappedText = (data: Sql, fieldId: number): Sql => normalised(cellText(data, fieldId));

/** The canonical key (rows.ts) of a single text. */
export const keyOf = (value: Sql): Sql => sql`jsonb_build_array(normalize(${value}, NFC))::text`;
