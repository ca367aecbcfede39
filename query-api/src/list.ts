/** The one list: page, sort, search and filter over declared fields, in one statement, with total and position. */
import { COUNT_CAP, Filter, type FilterGroup, type ListQuery, type Page, Refusal, type Total } from '@rdm/contracts';
import type { ApiAnswer } from '@rdm/platform';
import { compileFilter, escapeLike, type FieldMap, type FieldSql } from './filter/compile.ts';
import { type Asked, answer, answerJson, type ReadModels, type Tables } from './read-models.ts';
import { all, any, empty, identifier, join, type Sql, sql } from './sql.ts';

/** What a list shows and can be asked. SQL of the callers is only ever a parameter. */
export interface ListDefinition {
  /** What follows FROM, joins included. */
  from: Sql;
  /** What is listed at all, the viewer's grants included. */
  where: Sql;
  /** What each row shows: property → expression. */
  columns: Readonly<Record<string, Sql>>;
  /** What can be filtered and sorted by. */
  fields: FieldMap;
  /** Texts that `q` is looked for in, whatever the case. */
  search: readonly Sql[];
  /** Unique and never null: makes the order stable. */
  id: Sql;
  /** The order where none is asked for. */
  defaultSort: { sql: Sql; order: 'ASC' | 'DESC'; dataType?: FieldSql['dataType'] };
  /** The exact number of rows where neither filter nor q is given, when something knows it cheaply. */
  counted?: Sql | undefined;
  /** `id` is an indexed column: rows of later or sorted pages are fetched by it, so that the others cost no more than it. */
  fetchedById?: boolean;
  /** Properties shown whatever `fields` asks for. */
  always?: readonly string[];
}

/** Fields by name, from a plain list of pairs. */
export const fieldMap = (fields: Record<string, FieldSql>): FieldMap => new Map(Object.entries(fields));

/** The filter as it came in the query string. */
export function parseFilter(text: string | undefined): FilterGroup | undefined {
  if (text === undefined || text === '') return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new Refusal('INVALID', 'The filter is not valid JSON');
  }
  return Filter.parse(parsed);
}

/** The conditions of `filter` and `q`; undefined when neither asks anything. */
export function narrowed(
  asked: { filter?: string | undefined; q?: string | undefined },
  definition: Pick<ListDefinition, 'fields' | 'search'>,
): Sql | undefined {
  const conditions: Sql[] = [];
  const filter = parseFilter(asked.filter);
  if (filter && filter.conditions.length > 0) conditions.push(compileFilter(filter, definition.fields));
  const q = asked.q?.trim();
  if (q) conditions.push(any(definition.search.map((text) => sql`${text} ILIKE ${`%${escapeLike(q)}%`}`)));
  return conditions.length === 0 ? undefined : all(conditions);
}

/**
 * `ORDER BY` with the id as the last word; a field without a value comes last either way. Texts are ordered whatever
 * their case, as people read lists.
 */
export function ordered(asked: { sort?: string | undefined; order?: string }, definition: ListDefinition): Sql {
  const direction = (order: string | undefined) => (order?.toUpperCase() === 'DESC' ? sql`DESC` : sql`ASC`);
  const by = ({ sql: part, dataType, sortedBy }: Partial<FieldSql> & { sql: Sql }, order: Sql) => {
    const first = sortedBy ?? (dataType === 'string' ? sql`lower(${part})` : part);
    return sql`ORDER BY ${first} ${order} NULLS LAST, ${definition.id} ${order}`;
  };
  if (asked.sort === undefined || asked.sort === '') {
    const { order, ...field } = definition.defaultSort;
    return by(field, direction(order));
  }
  const field = definition.fields.get(asked.sort);
  if (!field) throw new Refusal('INVALID', `There is no field “${asked.sort}” to sort by`);
  return by(field, direction(asked.order));
}

/** One row of a list, by a condition: what `/{id}` answers. */
export const oneRow = (definition: ListDefinition, condition: Sql): Sql =>
  sql`SELECT ${selected(undefined, definition)} FROM ${definition.from} WHERE ${definition.where} AND ${condition}`;

/** The select list: every column, or those asked for. */
function selected(asked: string | undefined, { columns, always = ['id', 'revision'] }: ListDefinition): Sql {
  const wanted = asked?.split(',').map((name) => name.trim());
  const names = Object.keys(columns).filter((name) => !wanted || wanted.includes(name) || always.includes(name));
  return join(
    names.map((name) => sql`${columns[name] ?? empty} AS ${identifier(name)}`),
    ', ',
  );
}

interface Counted {
  /** JSON array, as text. */
  items: string;
  total: number;
}

interface Composed {
  query: Sql;
  /** The total is exact; otherwise it was counted up to the cap. */
  exact: boolean;
}

function compose(query: ListQuery, definition: ListDefinition): Composed {
  const narrow = narrowed(query, definition);
  const where = narrow ? all([definition.where, narrow]) : definition.where;
  const offset = (query.page - 1) * query.pageSize;
  const order = ordered(query, definition);
  const page = (shown: Sql) =>
    sql`SELECT ${shown} FROM ${definition.from} WHERE ${where} ${order} LIMIT ${query.pageSize} OFFSET ${offset}`;
  const columns = selected(query.fields, definition);
  if (narrow && definition.fetchedById && offset + query.pageSize <= COUNT_CAP) {
    return {
      query: searchedOnce({ definition, where, order, columns, offset, pageSize: query.pageSize }),
      exact: false,
    };
  }
  const items =
    definition.fetchedById && (offset > 0 || query.sort)
      ? sql`SELECT ${columns} FROM ${definition.from}
          WHERE ${definition.where} AND ${definition.id} = ANY(ARRAY(${page(definition.id)})) ${order}`
      : page(columns);
  const total = narrow
    ? sql`(SELECT count(*) FROM (SELECT 1 FROM ${definition.from} WHERE ${where} LIMIT ${COUNT_CAP + 1}) counted)`
    : (definition.counted ?? sql`(SELECT count(*) FROM ${definition.from} WHERE ${where})`);
  return {
    query: sql`SELECT coalesce((SELECT json_agg(item) FROM (${items}) item), '[]')::text AS items, ${total} AS total`,
    exact: narrow === undefined,
  };
}

/** Looks for what a filter finds once, up to the cap: for the page and for the total. */
function searchedOnce(asked: {
  definition: ListDefinition;
  where: Sql;
  order: Sql;
  columns: Sql;
  offset: number;
  pageSize: number;
}): Sql {
  const { definition, where, order, columns, offset, pageSize } = asked;
  const { from, id } = definition;
  return sql`WITH finds AS MATERIALIZED (
      SELECT id, row_number() OVER () AS place
        FROM (SELECT ${id} AS id FROM ${from} WHERE ${where} ${order} LIMIT ${COUNT_CAP + 1}) ordered)
    SELECT coalesce((SELECT json_agg(item) FROM (SELECT ${columns} FROM ${from} WHERE ${definition.where}
        AND ${id} = ANY(ARRAY(SELECT finds.id FROM finds WHERE place > ${offset} AND place <= ${offset + pageSize}))
        ${order}) item), '[]')::text AS items,
      (SELECT count(*) FROM finds) AS total`;
}

type ListRequest = Asked & { query: ListQuery };

async function page(readModels: ReadModels, request: ListRequest, define: (tables: Tables) => ListDefinition) {
  let exact = true;
  let asOf: number | undefined;
  const found = await readModels.single<Counted>(request, (tables) => {
    const definition = define(tables);
    if (request.inspect) request.inspect.fields = definition.fields;
    const composed = compose(request.query, definition);
    exact = composed.exact;
    asOf = tables.asOf;
    return composed.query;
  });
  const { items, total } = found.row;
  const counted: Total = exact || total <= COUNT_CAP ? total : { atLeast: COUNT_CAP };
  const rest = {
    page: request.query.page,
    pageSize: request.query.pageSize,
    total: counted,
    // Evidence reads the same whenever it is asked for: a page of the past says which seq it shows. X-Position has today's.
    position: asOf === undefined ? found.position : `seq:${asOf}`,
  };
  return { found, items, rest };
}

/** One page of typed rows, for lists whose rows need something that SQL does not know (the viewer's level). */
export async function listRows<Row, Shown = Row>(
  readModels: ReadModels,
  request: ListRequest,
  define: (tables: Tables) => ListDefinition,
  show: (row: Row) => Shown,
): Promise<ApiAnswer> {
  const { found, items, rest } = await page(readModels, request, define);
  const body: Page<Shown> = { items: (JSON.parse(items) as Row[]).map(show), ...rest };
  return answer(found, body);
}

/** One page whose rows go out as Postgres wrote them. */
export async function listJson(
  readModels: ReadModels,
  request: ListRequest,
  define: (tables: Tables) => ListDefinition,
): Promise<ApiAnswer> {
  const { found, items, rest } = await page(readModels, request, define);
  return answerJson(found, `{"items":${items},${JSON.stringify(rest).slice(1)}`);
}

/** Everything that `filter` and `q` find, in the order asked for: to be frozen (columns of a Freezable) or exported. */
export function everyFind(
  asked: { filter?: string | undefined; q?: string | undefined; sort?: string | undefined; order?: string },
  definition: ListDefinition,
  columns: Sql,
): Sql {
  const where = all([definition.where, narrowed(asked, definition) ?? sql`true`]);
  return sql`SELECT ${columns} FROM ${definition.from} WHERE ${where} ${ordered(asked, definition)}`;
}
