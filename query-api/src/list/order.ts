/** Builds the SQL that sorts a list and selects one page, in a form for which PostgreSQL can use indexes. */
import { Refusal } from '@rdm/contracts';
import { nameList } from '../http/requested-names.ts';
import { all, empty, join, numberLiteral, rawSql, type Sql, sql } from '../read-models/sql.ts';
import type { Bookmark } from './bookmarks.ts';
import { SQL_TYPE } from './filter/compile.ts';
import type { ListDefinition, SortPart } from './list-definition.ts';

export interface Sort {
  /** The sort expressions; none if the list is sorted by id alone. */
  by: readonly SortPart[];
  /** Whether every row has a value for every sort expression; always true for several expressions. */
  isRequired: boolean;
  direction: Sql;
  isDescending: boolean;
}

/**
 * Resolves the requested order. Without `sort`, uses the default order and ignores `order`. Sorts text fields without
 * their own sort expression case-insensitively. Throws INVALID for an unknown field.
 */
export function resolveSort(query: { sort?: string | undefined; order?: string }, definition: ListDefinition): Sort {
  const { sort, order } = query;
  const isDefault = sort === undefined || sort === '';
  const field = isDefault ? undefined : definition.fields.get(sort);
  if (!isDefault && !field) {
    throw new Refusal(
      'INVALID',
      `There is no field “${sort}” to sort by. Use one of: ${nameList([...definition.fields.keys()])}`,
    );
  }
  const isDescending = (isDefault ? definition.defaultSort.order : order)?.toUpperCase() === 'DESC';
  const direction = isDescending ? sql`DESC` : sql`ASC`;
  const sortedBy = field ?? definition.defaultSort;
  if ('by' in sortedBy) return { by: sortedBy.by, isRequired: true, direction, isDescending: isDescending };
  const { dataType, isRequired = false } = sortedBy;
  const sorted = sortedBy.sortedBy ?? (dataType === 'string' ? sql`lower(${sortedBy.sql})` : sortedBy.sql);
  const isId = sorted.values.length === 0 && sorted.texts[0] === definition.id.texts[0];
  return {
    by: isId ? [] : [{ sql: sorted, type: rawSql(SQL_TYPE[dataType ?? 'string']) }],
    isRequired,
    direction,
    isDescending: isDescending,
  };
}

/** The ORDER BY list; rows without a value come last in both directions. */
export const orderOf = ({ by, direction }: Pick<Sort, 'by' | 'direction'>, ids: readonly Sql[]): Sql =>
  join(
    [...by.map((part) => sql`${part.sql} ${direction} NULLS LAST`), ...ids.map((id) => sql`${id} ${direction}`)],
    ', ',
  );

/**
 * Selects the ids and sort values of the rows of a page. `offset` counts from the bookmark `after`, by default from the
 * start of the list. A second query selects rows without a value: they come last in both directions, but an index has
 * them at one end only.
 */
export function selectInOrder(options: {
  definition: ListDefinition;
  where: Sql;
  sort: Sort;
  limit: number;
  offset: number;
  after?: Bookmark | undefined;
}): Sql {
  const { definition, where, sort, limit, offset, after } = options;
  const { from, id } = definition;
  const { by, isRequired, direction } = sort;
  const beyond = sort.isDescending ? sql`<` : sql`>`;
  // A literal, so that the planner knows how few rows are needed, even in a prepared statement.
  const limitLiteral = numberLiteral(limit);
  const page = sql`LIMIT ${limitLiteral} ${offset === 0 ? empty : sql`OFFSET ${offset}`}`;
  const upTo = offset === 0 ? page : sql`LIMIT ${limit + offset}`;
  const byId = (condition: Sql, isAfterBookmark: boolean) => {
    const beyondBookmark = isAfterBookmark && after ? sql`${id} ${beyond} ${after.id}::bigint` : sql`true`;
    return sql`SELECT ${id} AS id, NULL::text[] AS values FROM ${from} WHERE ${all([where, condition, beyondBookmark])}
      ORDER BY ${id} ${direction}`;
  };
  const [first] = by;
  if (first === undefined) return sql`${byId(sql`true`, true)} ${page}`;
  const withoutValue = byId(sql`${first.sql} IS NULL`, true);
  if (after && after.values === null) return sql`${withoutValue} ${page}`;
  const expressions = join(
    by.map((part) => part.sql),
    ', ',
  );
  const values =
    after &&
    join(
      by.map(({ type }, index) => sql`${after.values?.[index]}::${type}`),
      ', ',
    );
  const beyondBookmark = after ? sql`(${expressions}, ${id}) ${beyond} (${values}, ${after.id}::bigint)` : sql`true`;
  const withValue = sql`SELECT ${id} AS id, ARRAY[${join(
    by.map((part) => sql`(${part.sql})::text`),
    ', ',
  )}] AS values FROM ${from}
    WHERE ${all([where, sql`${first.sql} IS NOT NULL`, beyondBookmark])}
    ORDER BY ${join(
      [...by.map((part) => part.sql), id].map((each) => sql`${each} ${direction}`),
      ', ',
    )}`;
  if (isRequired) return sql`${withValue} ${page}`;
  const allWithoutValue = byId(sql`${first.sql} IS NULL`, false);
  return sql`SELECT id, values FROM ((${withValue} ${upTo}) UNION ALL (${allWithoutValue} ${upTo})) parts
    ${page}`;
}
