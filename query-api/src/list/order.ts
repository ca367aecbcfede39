/** The order of a list: rows by a field, or by several in turn, and their id, from a bookmark on, in words that an index over all of them answers. */
import { Refusal } from '@rdm/contracts';
import { oneOf } from '../http/requested-names.ts';
import { all, empty, join, type Sql, sql, written, writtenNumber } from '../read-models/sql.ts';
import type { Bookmark } from './bookmarks.ts';
import { SQL_TYPE } from './filter/compile.ts';
import type { ListDefinition } from './list.ts';

/** An expression that rows are sorted by, with its SQL type. */
export interface SortPart {
  sql: Sql;
  type: Sql;
}

export interface Sort {
  /** In turn; none where the id alone sorts. */
  by: readonly SortPart[];
  /** Every row has a value of every part; of several parts every row has. */
  isRequired: boolean;
  direction: Sql;
  descending: boolean;
}

/** Texts are ordered whatever their case, as people read lists. */
export function sortOf(asked: { sort?: string | undefined; order?: string }, definition: ListDefinition): Sort {
  const { sort, order } = asked;
  const isDefault = sort === undefined || sort === '';
  const field = isDefault ? undefined : definition.fields.get(sort);
  if (!isDefault && !field) {
    throw new Refusal(
      'INVALID',
      `There is no field “${sort}” to sort by: name ${oneOf([...definition.fields.keys()])}`,
    );
  }
  const descending = (isDefault ? definition.defaultSort.order : order)?.toUpperCase() === 'DESC';
  const direction = descending ? sql`DESC` : sql`ASC`;
  const sortedBy = field ?? definition.defaultSort;
  if ('by' in sortedBy) return { by: sortedBy.by, isRequired: true, direction, descending };
  const { dataType, required = false } = sortedBy;
  const sorted = sortedBy.sortedBy ?? (dataType === 'string' ? sql`lower(${sortedBy.sql})` : sortedBy.sql);
  const isId = sorted.values.length === 0 && sorted.texts[0] === definition.id.texts[0];
  return {
    by: isId ? [] : [{ sql: sorted, type: written(SQL_TYPE[dataType ?? 'string']) }],
    isRequired: required,
    direction,
    descending,
  };
}

/** What follows ORDER BY; a row without a value comes last either way. */
export const orderOf = ({ by, direction }: Pick<Sort, 'by' | 'direction'>, id: Sql): Sql =>
  join([...by.map((part) => sql`${part.sql} ${direction} NULLS LAST`), sql`${id} ${direction}`], ', ');

/**
 * Columns id and values of so many rows, after a bookmark and an offset from there. Rows without a value come last
 * either way, as a part of their own: one index has both orders, yet rows without a value at one end alone.
 */
export function inOrder(asked: {
  definition: ListDefinition;
  where: Sql;
  sort: Sort;
  limit: number;
  offset: number;
  after?: Bookmark | undefined;
}): Sql {
  const { definition, where, sort, limit, offset, after } = asked;
  const { from, id } = definition;
  const { by, isRequired, direction } = sort;
  const beyond = sort.descending ? sql`<` : sql`>`;
  // Written out where many ask the same: the planner then knows how few rows are wanted, whatever else is asked.
  const most = writtenNumber(limit);
  const page = sql`LIMIT ${most} ${offset === 0 ? empty : sql`OFFSET ${offset}`}`;
  const upTo = offset === 0 ? page : sql`LIMIT ${limit + offset}`;
  const byId = (condition: Sql, bounded: boolean) => {
    const rest = bounded && after ? sql`${id} ${beyond} ${after.id}::bigint` : sql`true`;
    return sql`SELECT ${id} AS id, NULL::text[] AS values FROM ${from} WHERE ${all([where, condition, rest])}
      ORDER BY ${id} ${direction}`;
  };
  const [first] = by;
  if (first === undefined) return sql`${byId(sql`true`, true)} ${page}`;
  const without = byId(sql`${first.sql} IS NULL`, true);
  if (after && after.values === null) return sql`${without} ${page}`;
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
  const rest = after ? sql`(${expressions}, ${id}) ${beyond} (${values}, ${after.id}::bigint)` : sql`true`;
  const withValue = sql`SELECT ${id} AS id, ARRAY[${join(
    by.map((part) => sql`(${part.sql})::text`),
    ', ',
  )}] AS values FROM ${from}
    WHERE ${all([where, sql`${first.sql} IS NOT NULL`, rest])}
    ORDER BY ${join(
      [...by.map((part) => part.sql), id].map((each) => sql`${each} ${direction}`),
      ', ',
    )}`;
  if (isRequired) return sql`${withValue} ${page}`;
  const unbounded = byId(sql`${first.sql} IS NULL`, false);
  return sql`SELECT id, values FROM ((${withValue} ${upTo}) UNION ALL (${unbounded} ${upTo})) parts
    ${page}`;
}
