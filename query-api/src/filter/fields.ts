/** Cells of jsonb rows as typed SQL: a cell of another type than its field's reads as no value, never as an error. */
import type { DataType } from '@rdm/contracts';
import { type Sql, sql } from '../sql.ts';
import type { FieldSql } from './compile.ts';

/** A cell that rows hold under a field's id. */
export function cellField(data: Sql, fieldId: number, dataType: DataType): FieldSql {
  const key = String(fieldId);
  const cell = sql`(${data} -> ${key}::text)`;
  const text = sql`(${data} ->> ${key}::text)`;
  switch (dataType) {
    case 'string':
      return {
        dataType,
        sql: sql`(CASE WHEN jsonb_typeof(${cell}) = 'string' THEN ${text} END)`,
        sortedBy: sql`lower(${text})`,
      };
    case 'number':
      return { dataType, sql: sql`(CASE WHEN jsonb_typeof(${cell}) = 'number' THEN ${text}::numeric END)` };
    case 'boolean':
      return { dataType, sql: sql`(CASE WHEN jsonb_typeof(${cell}) = 'boolean' THEN ${text}::boolean END)` };
    case 'date':
      return {
        dataType,
        sql: sql`(CASE WHEN jsonb_typeof(${cell}) = 'string' AND ${text} ~ '^\\d{4}-\\d{2}-\\d{2}$'
          AND pg_input_is_valid(${text}, 'date') THEN ${text}::date END)`,
      };
  }
}

/** Condition: the cell holds something that is not of the type, and reads as no value. */
export const isMisfit = (data: Sql, fieldId: number, dataType: DataType): Sql =>
  sql`(${hasValue(data, fieldId)} AND ${cellField(data, fieldId, dataType).sql} IS NULL)`;

/** Condition: the cell holds something, whatever it is. */
export const hasValue = (data: Sql, fieldId: number): Sql =>
  sql`(coalesce(jsonb_typeof(${data} -> ${String(fieldId)}::text), 'null') <> 'null')`;
