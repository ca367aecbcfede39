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
  /** The FROM clause, joins included. */
  from: Sql;
  /** The WHERE clause for all rows of the list, grants of the viewer included. */
  where: Sql;
  /** Property → expression. */
  columns: Readonly<Record<string, Sql>>;
  /** The fields for filters and sorting. */
  fields: FieldMap;
  /** Texts that `q` searches, ignoring case; the function leaves out those that cannot contain it. */
  search: readonly SearchedText[] | ((q: string) => readonly SearchedText[]);
  /** Searches each word of `q` on its own, for names: “countries alpha-3” finds “Countries, alpha-3”. */
  isSearchedByWords?: boolean;
  /** Unique, never null, and a number: a list of groups numbers them (`row_number()`). It makes the order stable. */
  id: Sql;
  /** The columns of a composite `id` in the order of an index; rows are sorted by these columns instead of by `id`. */
  idParts?: readonly Sql[];
  /** The default order. */
  defaultSort: { order: 'ASC' | 'DESC' } & (SortedField | { by: readonly SortPart[] });
  /** The exact number of rows without filter and q, if it is known cheaply. */
  totalCount?: Sql | undefined;
  /** `id` is an indexed column: later and sorted pages find ids first, and fetch only their own rows. */
  isFetchedById?: boolean;
  /** SQL for a version that changes with every change of a row, for bookmarks (bookmarks.ts). */
  version?: Sql | undefined;
  /** `where` matches at most one row. */
  hasAtMostOne?: boolean;
  /** Names that `fields` may contain in addition to the columns. */
  cells?: readonly string[];
  /** Properties that are returned whatever `fields` names. */
  alwaysSelected?: readonly string[];
}

/**
 * The declared fields of a list with their SQL: an expression of their own, else the column of the same name, in the SQL type
 * of the field. A field with neither does not compile.
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
