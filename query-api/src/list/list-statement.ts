/** Builds the SQL statement of a list: one page with the total, in a form for which PostgreSQL can use the indexes. */
import { COUNT_CAP, Filter, type FilterGroup, type ListQuery, Refusal } from '@rdm/contracts';
import { z } from 'zod';
import { requestedFields } from '../http/requested-names.ts';
import { all, any, empty, identifier, join, numberLiteral, Sql, sql } from '../read-models/sql.ts';
import { type Bookmarks, listName, nearestBookmark } from './bookmarks.ts';
import { compileFilter } from './filter/compile.ts';
import { containsText } from './filter/indexed-text.ts';
import { escapeLike } from './filter/like.ts';
import type { ListDefinition } from './list-definition.ts';
import { orderOf, resolveSort, selectInOrder } from './order.ts';

/** Makes errors name the path `filter`. Built once, because zod compiles each new schema. */
const FilterParam = z.object({ filter: Filter });

/** Parses the filter of a query string. */
export function parseFilter(text: string | undefined): FilterGroup | undefined {
  if (text === undefined || text === '') return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new Refusal('INVALID', 'The filter is not valid JSON');
  }
  return FilterParam.parse({ filter: parsed }).filter;
}

const filters = new WeakMap<object, { filter: FilterGroup | undefined }>();

/** Returns the parsed filter of a query; caches it per query object. */
export function filterOf(query: { filter?: string | undefined }): FilterGroup | undefined {
  const read = filters.get(query) ?? { filter: parseFilter(query.filter) };
  filters.set(query, read);
  return read.filter;
}

/** Filters with more conditions than this have too many different SQL texts for prepared statements. */
const STABLE_CONDITIONS = 3;

/** Whether one generic plan is good for all values: no `q`, and no filter or few `equals` conditions joined by AND. */
export function hasStablePlan(query: { filter?: string | undefined; q?: string | undefined }): boolean {
  const filter = filterOf(query);
  if (query.q || filter === undefined) return !query.q;
  return (
    filter.conditions.length <= STABLE_CONDITIONS &&
    filter.logic === 'AND' &&
    filter.conditions.every((each) => 'operator' in each && each.operator === 'equals')
  );
}

/** Returns the conditions of `filter` and `q`; undefined if there are none. */
export function whereClause(
  query: { filter?: string | undefined; q?: string | undefined },
  definition: Pick<ListDefinition, 'fields' | 'search' | 'isSearchedByWords'>,
): Sql | undefined {
  const conditions: Sql[] = [];
  const filter = filterOf(query);
  if (filter && filter.conditions.length > 0) conditions.push(compileFilter(filter, definition.fields));
  const q = query.q?.trim();
  if (q) {
    const searched = typeof definition.search === 'function' ? definition.search(q) : definition.search;
    const texts = searched.map((text) => (text instanceof Sql ? { whole: text } : text));
    for (const needle of definition.isSearchedByWords ? q.split(/\s+/) : [q])
      conditions.push(any(texts.map((text) => containsText(text, needle, `%${escapeLike(needle)}%`))));
  }
  return conditions.length === 0 ? undefined : all(conditions);
}

/** `ORDER BY` with the id as the last key; rows without a value come last in both directions. */
export function orderByClause(query: { sort?: string | undefined; order?: string }, definition: ListDefinition): Sql {
  return sql`ORDER BY ${orderOf(resolveSort(query, definition), definition.idParts ?? [definition.id])}`;
}

/** The query for one row of a list by a condition, for routes such as `/{id}`. */
export const oneRow = (definition: ListDefinition, condition: Sql): Sql =>
  sql`SELECT ${selectList(undefined, definition)} FROM ${definition.from} WHERE ${definition.where} AND ${condition}`;

/** Cached select lists, per list definition and requested columns. */
const selectLists = new WeakMap<ListDefinition['columns'], Map<string, Sql>>();
const SELECT_LISTS_MAX = 20;

/** Returns the select list: all columns, or the requested and the always selected columns. */
function selectList(
  fields: string | undefined,
  { columns, alwaysSelected = ['id', 'revision'], cells = [] }: ListDefinition,
): Sql {
  const cached = selectLists.get(columns) ?? new Map<string, Sql>();
  selectLists.set(columns, cached);
  const allNames = Object.keys(columns);
  const requested = requestedFields(fields, [...cells, ...allNames]);
  const names = allNames.filter((name) => !requested || requested.includes(name) || alwaysSelected.includes(name));
  const cachedList = cached.get(names.join());
  if (cachedList) return cachedList;
  const parts = names.map((name) => sql`${columns[name] ?? empty} AS ${identifier(name)}`);
  const list = join(parts, ', ');
  if (cached.size < SELECT_LISTS_MAX) cached.set(names.join(), list);
  return list;
}

export interface PageRow {
  /** The rows as the text of a JSON array. */
  items: string;
  total: number;
  /** For a list with bookmarks: its version, and bookmarks as [offset, id, values]. */
  version?: string | null;
  marks?: [number, string, string[] | null][] | null;
}

export interface ComposedPage {
  query: Sql;
  /** Whether all rows are counted; otherwise counting stops at the cap. */
  isExact: boolean;
  /**
   * The list whose bookmarks the result updates. With a `version`, the statement uses bookmarks of this version: the
   * page is valid only if the result has the same version.
   */
  remembered?: { list: string; version: string | undefined };
  /** The result is valid only if it has at most this many rows. */
  atMost?: number;
}

/** A search or filter that times out runs again on this many rows with the lowest ids. */
const BOUNDED_ROWS = 200_000;

/** Builds the statement for one page with the total. */
export function composePage(
  query: ListQuery,
  definition: ListDefinition,
  bookmarks: Bookmarks | undefined,
  { isBounded, mayFitOnePage }: { isBounded: boolean; mayFitOnePage: boolean },
): ComposedPage {
  const condition = whereClause(query, definition);
  const bound = isBounded
    ? [
        sql`${definition.id} < coalesce((SELECT ${definition.id} FROM ${definition.from} WHERE ${definition.where}
          ORDER BY ${definition.id} LIMIT 1 OFFSET ${numberLiteral(BOUNDED_ROWS)}), 9223372036854775807)`,
      ]
    : [];
  const where = condition ? all([definition.where, condition, ...bound]) : definition.where;
  const { pageSize } = query;
  const offset = (query.page - 1) * pageSize;
  const order = orderByClause(query, definition);
  const columns = selectList(query.fields, definition);
  const isExact = condition === undefined;
  const { from, id } = definition;
  if (definition.hasAtMostOne && offset === 0 && isExact) {
    const row = sql`SELECT ${columns} FROM ${from} WHERE ${where} LIMIT 1`;
    return {
      query: sql`SELECT coalesce(json_agg(item), '[]')::text AS items, count(*) AS total FROM (${row}) item`,
      isExact,
    };
  }
  const rows = (ids: Sql) => sql`SELECT ${columns} FROM ${from}
    WHERE ${definition.where} AND ${id} = ANY(ARRAY(${ids})) ${order}`;
  const items = (pageRows: Sql) => sql`coalesce((SELECT json_agg(item) FROM (${pageRows}) item), '[]')::text`;
  const total = condition
    ? sql`(SELECT count(*) FROM (SELECT 1 FROM ${from} WHERE ${where} LIMIT ${numberLiteral(COUNT_CAP + 1)}) counted)`
    : (definition.totalCount ?? sql`(SELECT count(*) FROM ${from} WHERE ${where})`);
  const isPlain = isExact && offset === 0 && !query.sort;
  const sort = resolveSort(query, definition);
  if (!definition.isFetchedById || isPlain) {
    const skipped = offset === 0 ? empty : sql`OFFSET ${offset}`;
    // The limit is a literal: with a parameter, PostgreSQL would plan each page again.
    const pageOf = (selected: Sql) =>
      sql`SELECT ${selected} FROM ${from} WHERE ${where} ${order} LIMIT ${numberLiteral(pageSize)} ${skipped}`;
    // If no index has the order, PostgreSQL sorts all rows: it sorts only ids, and computes the columns of one page.
    const { idParts } = definition;
    const page =
      definition.isFetchedById && sort.by.length > 0
        ? rows(pageOf(id))
        : // Without the inner query, the columns of skipped rows would be computed as well.
          idParts && offset > 0
          ? sql`SELECT ${columns} FROM ${from} WHERE ${where} AND (${join(idParts, ', ')}) IN (${pageOf(join(idParts, ', '))}) ${order}`
          : pageOf(columns);
    return { query: sql`SELECT ${items(page)} AS items, ${total} AS total`, isExact };
  }

  const { version } = definition;
  const list = version && listName(sql`${from} ${where} ${order}`);
  const bookmarked = list === undefined ? undefined : bookmarks?.get(list);
  const remembered = list === undefined ? {} : { remembered: { list, version: bookmarked?.version } };

  // If the matches possibly fit one page, the statement reads and then sorts them: their count is the total.
  if (mayFitOnePage && condition && hasStablePlan(query) && offset === 0 && (bookmarked?.total ?? 0) <= pageSize) {
    const places = sort.by.map((part, index) => ({ part, name: identifier(`sort ${index}`) }));
    const few = sql`SELECT ${join([...places.map(({ part, name }) => sql`${part.sql} AS ${name}`), sql`${id} AS id`], ', ')},
        (SELECT item FROM (SELECT ${columns}) item) AS item
      FROM ${from} WHERE ${where} LIMIT ${numberLiteral(pageSize + 1)}`;
    const order = orderOf({ ...sort, by: places.map(({ part, name }) => ({ ...part, sql: name })) }, [sql`few.id`]);
    return {
      query: sql`SELECT coalesce(json_agg(item ORDER BY ${order}), '[]')::text AS items, count(*) AS total
        FROM (${few}) few`,
      isExact,
      atMost: pageSize,
    };
  }
  const versionAndMarks = (marks: Sql) => (version ? sql`, (${version})::text AS version, (${marks}) AS marks` : sql``);
  const marksOf = (markOffset: Sql, source: Sql) =>
    sql`SELECT json_agg(json_build_array(${markOffset}, id::text, values) ORDER BY place) FROM ${source}`;

  // Finds the matching rows once, up to the cap, for both the page and the total.
  if (condition && bookmarked?.total === undefined && offset + pageSize <= COUNT_CAP) {
    const ordered = selectInOrder({ definition, where, sort, limit: COUNT_CAP + 1, offset: 0 });
    const end = offset + pageSize;
    return {
      query: sql`WITH finds AS MATERIALIZED (SELECT *, row_number() OVER () AS place FROM (${ordered}) ordered)
        SELECT ${items(rows(sql`SELECT finds.id FROM finds WHERE place > ${offset} AND place <= ${end}`))} AS items,
          (SELECT count(*) FROM finds) AS total
          ${versionAndMarks(marksOf(sql`place`, sql`finds WHERE place IN (${offset}, ${end})`))}`,
      isExact,
      ...remembered,
    };
  }
  const mark = bookmarked && nearestBookmark(bookmarked, offset);
  // Includes the row before the page: the next request for this page starts after it.
  const rowsBefore = offset > (mark?.offset ?? 0) ? 1 : 0;
  const skippedAfterMark = offset - (mark?.offset ?? 0) - rowsBefore;
  const ordered = selectInOrder({
    definition,
    where,
    sort,
    limit: pageSize + rowsBefore,
    offset: skippedAfterMark,
    after: mark,
  });
  const pageIds = sql`SELECT found.id FROM found WHERE place > ${rowsBefore}`;
  return {
    query: sql`WITH found AS MATERIALIZED (SELECT *, row_number() OVER () AS place FROM (${ordered}) ordered)
      SELECT ${items(rows(pageIds))} AS items, ${bookmarked?.total === undefined ? total : sql`${bookmarked.total}::bigint`} AS total
      ${versionAndMarks(marksOf(sql`place + ${offset - rowsBefore}::bigint`, sql`found WHERE place IN (${rowsBefore}, ${pageSize + rowsBefore}::bigint)`))}`,
    isExact,
    ...remembered,
  };
}

/** The query for all rows that match `filter` and `q`, in the requested order. */
export function matchingRows(
  query: { filter?: string | undefined; q?: string | undefined; sort?: string | undefined; order?: string },
  definition: ListDefinition,
  columns: Sql,
): Sql {
  const where = all([definition.where, whereClause(query, definition) ?? sql`true`]);
  return sql`SELECT ${columns} FROM ${definition.from} WHERE ${where} ${orderByClause(query, definition)}`;
}

/** The query for all matching rows with the columns of the list. */
export const matchingListRows = (
  query: Parameters<typeof matchingRows>[0] & { fields?: string | undefined },
  definition: ListDefinition,
): Sql => matchingRows(query, definition, selectList(query.fields, definition));
