/** SQL expressions for cells of instances and the keys made of them. */
import { type Sql, sql } from '../read-models/sql.ts';

/** A cell under a field as text; null where there is no field. */
export const cellText = (data: Sql, fieldId: number | null): Sql =>
  fieldId === null ? sql`NULL::text` : sql`(${data} ->> ${String(fieldId)}::text)`;

/** A text as normaliseText of contracts spells it. Most are plain, or spelled so: they are only looked at. */
export const normalised = (text: Sql): Sql =>
  sql`CASE WHEN octet_length(${text}) = char_length(${text}) OR ${text} IS NFC NORMALIZED THEN ${text}
    ELSE normalize(${text}, NFC) END`;

/** What crosswalks know a row by: the cell under the mapped field, spelled as mappings are. */
export const mappedText = (data: Sql, fieldId: number): Sql => normalised(cellText(data, fieldId));

/** The canonical key of rows.ts for a key of one text. */
export const keyOf = (value: Sql): Sql => sql`jsonb_build_array(normalize(${value}, NFC))::text`;
