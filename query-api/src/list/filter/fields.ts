/** Cells of jsonb rows as filter fields. A cell with a value of another type than its field counts as empty. */
import type { DataType } from '@rdm/contracts';
import { cellText, cellType, cellValue, foldedStart, textStart } from '@rdm/platform';
import { rawSql, type Sql, sql } from '../../read-models/sql.ts';
import type { CommonWords } from './common-words.ts';
import type { FieldSql } from './compile.ts';

/** The cell of a field in the jsonb column `data`, under the id of the field. */
export function cellField(data: string, fieldId: number, dataType: DataType, common?: () => CommonWords): FieldSql {
  const field = { dataType, sql: rawSql(cellValue(data, fieldId, dataType)) };
  const text = cellText(data, fieldId);
  // A text filter compares a number without trailing zeros, and a date as it is stored. The stored text contains every
  // part of the compared text, so its index finds all matches.
  if (dataType === 'number' || dataType === 'date') return { ...field, parts: rawSql(text) };
  if (dataType !== 'string') return field;
  const folded = rawSql(foldedStart(text));
  const indexed = { whole: rawSql(text), start: rawSql(textStart(text)), folded, ...(common && { common }) };
  return { ...field, sortedBy: folded, indexed };
}

/** Condition: the cell has a value, but not of the field's type. */
export const isMisfit = (data: string, fieldId: number, dataType: DataType): Sql =>
  sql`(${hasValue(data, fieldId)} AND ${cellField(data, fieldId, dataType).sql} IS NULL)`;

/** Condition: the cell has a value of any type. */
export const hasValue = (data: string, fieldId: number): Sql =>
  rawSql(`(coalesce(${cellType(data, fieldId)}, 'null') <> 'null')`);
