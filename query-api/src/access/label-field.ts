/** SQL that finds the label field of a data set, by the rule of platform/src/postgres/label-field.ts. */
import { IS_SYNONYM_FIELD, labelFieldSql } from '@rdm/platform';
import { rawSql, type Sql, sql, textOf } from '../read-models/sql.ts';

/** The current name of a field of a type. */
export const fieldName = (fieldId: Sql, fields: Sql): Sql =>
  sql`(SELECT f ->> 'name' FROM jsonb_array_elements(${fields}) f WHERE (f ->> 'fieldId')::bigint = ${fieldId})`;

/** Condition on a field `f`: its name is Synonyms, Aliases, Alternative names or similar. */
export const isSynonymField: Sql = rawSql(IS_SYNONYM_FIELD);

/** `labelFieldSql` for parts of a query that have no parameters. */
export const labelField = (dataSet: Sql, type: Sql, excluded: Sql, chosen = sql`NULL::bigint`): Sql =>
  rawSql(labelFieldSql(textOf(dataSet), textOf(type), textOf(excluded), textOf(chosen)));
