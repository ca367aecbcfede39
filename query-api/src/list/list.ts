/**
 * The list engine: one statement filters, searches and sorts by declared fields, and returns a page with the total and
 * the position.
 */
import { COUNT_CAP, type ListQuery, type Page, type Total } from '@rdm/contracts';
import type { ApiAnswer } from '@rdm/platform';
import {
  answer,
  answerJson,
  type ReadModels,
  type ReadRequest,
  type SingleOptions,
  type Tables,
} from '../read-models/read-models.ts';
import type { Sql } from '../read-models/sql.ts';
import { isCancelled } from '../read-models/statements.ts';
import type { Bookmarks } from './bookmarks.ts';
import type { ListDefinition } from './list-definition.ts';
import { type ComposedPage, composePage, hasStablePlan, matchingListRows, type PageRow } from './list-statement.ts';

export { matchingRows, oneRow, whereClause } from './list-statement.ts';

type ListRequest = ReadRequest & { query: ListQuery };

/** Reads a page; returns undefined if the SQL `options.condition` does not hold in the snapshot of the page. */
async function readPage(
  readModels: ReadModels,
  request: ListRequest,
  define: (tables: Tables) => ListDefinition,
  options?: SingleOptions,
) {
  const { bookmarks } = readModels;
  let usedBookmarks: Bookmarks | undefined = bookmarks;
  let mayFitOnePage = true;
  for (let isBounded = false; ; usedBookmarks = undefined) {
    let composed: ComposedPage | undefined;
    const found = await readModels
      .single<PageRow>(
        request,
        (tables) => {
          const definition = define(tables);
          if (request.inspect) request.inspect.fields = definition.fields;
          composed = composePage(request.query, definition, usedBookmarks, { isBounded, mayFitOnePage });
          return composed.query;
        },
        options,
      )
      .catch((error: unknown) => {
        const isScan = composed && !composed.isExact && !composed.query.hasRegex;
        if (isBounded || !isScan || !isCancelled(error)) throw error;
        return undefined;
      });
    if (!found) {
      // The search or filter timed out: run it again on a bounded number of rows.
      isBounded = true;
      continue;
    }
    if (!found.holds || !composed) return undefined;
    const { items, total, version, marks } = found.row;
    const { isExact, remembered, atMost } = composed;
    if (atMost !== undefined && total > atMost) {
      mayFitOnePage = false;
      continue;
    }
    if (remembered && typeof version === 'string' && !isBounded) {
      const isStale = remembered.version !== undefined && remembered.version !== version;
      bookmarks.remember(remembered.list, {
        version,
        total: isStale ? undefined : total,
        marks: isStale ? [] : (marks ?? []).map(([offset, id, values]) => ({ offset, id, values })),
      });
      // Rows have changed since the bookmarks were made: read the page again without bookmarks, and count the rows.
      if (isStale) continue;
    }
    const isAll = isExact || (total <= COUNT_CAP && !isBounded);
    const counted: Total = isAll ? total : { atLeast: Math.min(total, COUNT_CAP) };
    const pageInfo = {
      page: request.query.page,
      pageSize: request.query.pageSize,
      total: counted,
      position: found.shownPosition,
    };
    return { found, items, pageInfo };
  }
}

/** Returns one page whose rows `show` converts, to add data that SQL does not have, such as the viewer's level. */
export async function listRows<Row, Shown = Row>(
  readModels: ReadModels,
  request: ListRequest,
  define: (tables: Tables) => ListDefinition,
  show: (row: Row) => Shown,
  options?: SingleOptions,
): Promise<ApiAnswer> {
  const { found, items, pageInfo } = (await readPage(readModels, request, define, options)) as PageResult;
  const body: Page<Shown> = { items: (JSON.parse(items) as Row[]).map(show), ...pageInfo };
  return answer(found, body);
}

type PageResult = NonNullable<Awaited<ReturnType<typeof readPage>>>;

const asJson = ({ found, items, pageInfo }: PageResult): ApiAnswer =>
  answerJson(found, `{"items":${items},${JSON.stringify(pageInfo).slice(1)}`);

/** Returns one page whose rows are sent as PostgreSQL wrote them. */
export const listJson = async (
  readModels: ReadModels,
  request: ListRequest,
  define: (tables: Tables) => ListDefinition,
): Promise<ApiAnswer> => asJson((await readPage(readModels, request, define)) as PageResult);

/** Returns all matching rows as a plain array, which the specification demands for some lists. */
export async function listWhole(
  readModels: ReadModels,
  request: ReadRequest & { query: Omit<ListQuery, 'page' | 'pageSize'> },
  define: (tables: Tables) => ListDefinition,
): Promise<ApiAnswer> {
  const found = await readModels.read(request, (tables) => {
    const definition = define(tables);
    if (request.inspect) request.inspect.fields = definition.fields;
    return matchingListRows(request.query, definition);
  });
  return answerJson(found, found.json);
}

/**
 * Like listJson, but returns undefined if the condition does not hold in the snapshot of the page. Uses a prepared
 * statement if one plan is good for all values.
 */
export async function listJsonIf(
  readModels: ReadModels,
  request: ListRequest,
  define: (tables: Tables) => ListDefinition,
  condition: ((tables: Tables) => Sql) | undefined,
): Promise<ApiAnswer | undefined> {
  const isFrequent = hasStablePlan(request.query);
  const found = await readPage(readModels, request, define, { condition, isFrequent });
  return found && asJson(found);
}
