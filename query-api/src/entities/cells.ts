/** SQL expressions for cells of instances and for keys. */
import { type Sql, sql } from '../read-models/sql.ts';

/** The cell of a field as text; null if no field is given. */
export const cellText = (data: Sql, fieldId: number | null): Sql =>
  fieldId === null ? sql`NULL::text` : sql`(${data} ->> ${String(fieldId)}::text)`;

/** Normalises a text as `normaliseText` of contracts does. The condition skips texts that are normalised already. */
export const normalised = (text: Sql): Sql =>
  sql`CASE WHEN octet_length(${text}) = char_length(${text}) OR ${text} IS NFC NORMALIZED THEN ${text}
    ELSE normalize(${text}, NFC) END`;

/** The value by which crosswalks identify a row: the normalised cell of the mapped field. */
export const mappedText = (data: Sql, fieldId: number): Sql => normalised(cellText(data, fieldId));

/** The key of one text, as `canonicalKey` of contracts makes it. */
export const keyOf = (value: Sql): Sql => sql`jsonb_build_array(normalize(${value}, NFC))::text`;
