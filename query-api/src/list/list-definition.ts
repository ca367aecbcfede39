/** The definition of a list: its columns, and the fields by which it is filtered, searched and sorted. */
import type { FilterDataType, ListFields } from '@rdm/contracts';
import { type Sql, sql } from '../read-models/sql.ts';
import type { FieldMap, FieldSql } from './filter/compile.ts';
import type { IndexedText } from './filter/indexed-text.ts';

/** A sort expression with its SQL type. */
export interface SortPart {
  sql: Sql;
  type: Sql;
}

/** A text that is searched, with its common words if it is indexed. */
export type SearchedText = Sql | Pick<IndexedText, 'whole' | 'common'>;

/** The columns of a list and how it can be queried. Values of callers become parameters and never SQL text. */
export interface ListDefinition {
  /** The FROM clause, including joins. */
  from: Sql;
  /** The WHERE clause for all rows of the list, including the grants of the viewer. */
  where: Sql;
  /** The expressions of the columns, by the property names of the rows. */
  columns: Readonly<Record<string, Sql>>;
  /** The fields for filters and sorting. */
  fields: FieldMap;
  /** The texts that are searched for `q`, ignoring case. A function can exclude texts that cannot contain `q`. */
  search: readonly SearchedText[] | ((q: string) => readonly SearchedText[]);
  /** Whether a row matches if it has all words of `q`: “countries alpha-3” finds “Countries, alpha-3”. */
  isSearchedByWords?: boolean;
  /** A unique non-null value that makes the order stable. A list of groups uses `row_number()`. */
  id: Sql;
  /** The columns of a composite `id` in the order of an index: rows are sorted by these columns, not by `id`. */
  idParts?: readonly Sql[];
  /** The default order. */
  defaultSort: { order: 'ASC' | 'DESC' } & (SortedField | { by: readonly SortPart[] });
  /** The exact number of rows without filter and `q`, if the list knows this number without counting. */
  totalCount?: Sql | undefined;
  /** Whether `id` is an indexed column: most queries then select the ids of a page before its rows. */
  isFetchedById?: boolean;
  /** SQL for a version that changes whenever a row changes, for bookmarks (bookmarks.ts). */
  version?: Sql | undefined;
  /** Whether `where` matches at most one row. */
  hasAtMostOne?: boolean;
  /** Names that the parameter `fields` may contain in addition to the columns. */
  cells?: readonly string[];
  /** Columns that are always returned, regardless of the parameter `fields`; by default `id` and `revision`. */
  alwaysSelected?: readonly string[];
}

/**
 * Returns the fields of a list with their SQL: the expression of the field, or else the column of the same name.
 * Columns of the types number and array are converted.
 */
export const fieldMap = <Fields extends ListFields, Columns extends Readonly<Record<string, Sql>>>(
  fields: Fields,
  columns: Columns,
  expressions: Record<Exclude<keyof Fields, keyof Columns>, Sql> & Partial<Record<keyof Fields, Sql>>,
): FieldMap => {
  const ownExpressions: Readonly<Record<string, Sql | undefined>> = expressions;
  return new Map(
    Object.entries(fields).map(([name, field]) => [
      name,
      { ...field, sql: ownExpressions[name] ?? fieldOfColumn(columns[name] as Sql, field.dataType) },
    ]),
  );
};

function fieldOfColumn(column: Sql, dataType: FilterDataType): Sql {
  if (dataType === 'number') return sql`(${column})::numeric`;
  return dataType === 'array' ? sql`to_jsonb(${column})` : sql`(${column})`;
}

export type SortedField = Pick<FieldSql, 'sql'> & Partial<Pick<FieldSql, 'dataType' | 'sortedBy' | 'isRequired'>>;
