/** The order of a list: rows by a field and their id, from a bookmark on, in words that an index over both answers. */
import { Refusal } from '@rdm/contracts';
import { oneOf } from './asked-names.ts';
import type { Bookmark } from './bookmarks.ts';
import { type FieldSql, SQL_TYPE } from './filter/compile.ts';
import type { ListDefinition } from './list.ts';
import { all, empty, type Sql, sql, written, writtenNumber } from './sql.ts';

export interface Sort {
  /** Undefined where the id alone sorts. */
  by: { sql: Sql; type: Sql; required: boolean } | undefined;
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
  const by: Partial<FieldSql> & { sql: Sql } = field ?? definition.defaultSort;
  const sorted = by.sortedBy ?? (by.dataType === 'string' ? sql`lower(${by.sql})` : by.sql);
  return {
    by:
      sorted.values.length === 0 && sorted.texts[0] === definition.id.texts[0]
        ? undefined
        : { sql: sorted, type: written(SQL_TYPE[by.dataType ?? 'string']), required: by.required ?? false },
    direction: descending ? sql`DESC` : sql`ASC`,
    descending,
  };
}

/**
 * Columns id and value of so many rows, after a bookmark and an offset from there. Rows without a value come last
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
  const { by, direction } = sort;
  const beyond = sort.descending ? sql`<` : sql`>`;
  // Written out where many ask the same: the planner then knows how few rows are wanted, whatever else is asked.
  const most = writtenNumber(limit);
  const page = sql`LIMIT ${most} ${offset === 0 ? empty : sql`OFFSET ${offset}`}`;
  const upTo = offset === 0 ? page : sql`LIMIT ${limit + offset}`;
  const byId = (condition: Sql, bounded: boolean) => {
    const rest = bounded && after ? sql`${id} ${beyond} ${after.id}::bigint` : sql`true`;
    return sql`SELECT ${id} AS id, NULL::text AS value FROM ${from} WHERE ${all([where, condition, rest])}
      ORDER BY ${id} ${direction}`;
  };
  if (!by) return sql`${byId(sql`true`, true)} ${page}`;
  const without = byId(sql`${by.sql} IS NULL`, true);
  if (after && after.value === null) return sql`${without} ${page}`;
  const rest = after ? sql`(${by.sql}, ${id}) ${beyond} (${after.value}::${by.type}, ${after.id}::bigint)` : sql`true`;
  const withValue = sql`SELECT ${id} AS id, (${by.sql})::text AS value FROM ${from}
    WHERE ${all([where, sql`${by.sql} IS NOT NULL`, rest])} ORDER BY ${by.sql} ${direction}, ${id} ${direction}`;
  if (by.required) return sql`${withValue} ${page}`;
  const unbounded = byId(sql`${by.sql} IS NULL`, false);
  return sql`SELECT id, value FROM ((${withValue} ${upTo}) UNION ALL (${unbounded} ${upTo})) parts
    ${page}`;
}
