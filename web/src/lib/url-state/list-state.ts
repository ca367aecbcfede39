/** The state of a list in its URL: page, page size, sort, search, filter and columns. */
import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from '@rdm/contracts/constants';
import type { ListView } from '@rdm/contracts/filters/saved-filters';
import type { FilterGroup } from '@rdm/contracts/lists/filter';
import { parseAsArrayOf, parseAsInteger, parseAsJson, parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { useMemo } from 'react';

const PREFERRED_PAGE_SIZE = 'preferredPageSize';

export type SortOrder = 'ASC' | 'DESC';

/** The request parameters of a list. Pages pass them to `read` as `query` and include them in the query key. */
export interface ListParams {
  [name: string]: string | number | undefined;
  page: number;
  pageSize: number;
  sort: string | undefined;
  order: SortOrder | undefined;
  q: string | undefined;
  /** The filter of specification §5 as JSON. */
  filter: string | undefined;
}

export interface ListState {
  params: ListParams;
  filter: FilterGroup | undefined;
  /** Ids of the visible columns; undefined for the list's default. */
  columns: readonly string[] | undefined;
  setPage: (page: number) => void;
  setPageSize: (pageSize: number) => void;
  /** Sorts by the column ascending. The second call sorts descending, the third by the default of the list. */
  toggleSort: (column: string) => void;
  setSearch: (q: string) => void;
  setFilter: (filter: FilterGroup | undefined) => void;
  setColumns: (columns: readonly string[] | undefined) => void;
  /** Removes the search and the filter. */
  clear: () => void;
  /** The part of the state that can be saved. A property is null if the default of the list applies. */
  view: ListView;
  /** Applies a saved view. */
  apply: (view: ListView) => void;
}

export interface ListDefaults {
  sort?: string;
  order?: SortOrder;
  pageSize?: number;
  /** The prefix of the query parameters, for pages with several lists. */
  prefix?: string;
}

function asFilter(value: unknown): FilterGroup | null {
  if (typeof value !== 'object' || value === null) return null;
  const { logic, conditions } = value as Partial<FilterGroup>;
  return (logic === 'AND' || logic === 'OR') && Array.isArray(conditions) ? { logic, conditions } : null;
}

const parsers = {
  page: parseAsInteger,
  pageSize: parseAsInteger,
  sort: parseAsString,
  order: parseAsStringLiteral(['ASC', 'DESC'] as const),
  q: parseAsString,
  filter: parseAsJson(asFilter),
  columns: parseAsArrayOf(parseAsString),
};

function preferredPageSize(): number {
  const stored = Number(sessionStorage.getItem(PREFERRED_PAGE_SIZE));
  return Number.isInteger(stored) && stored >= 1 && stored <= PAGE_SIZE_MAX ? stored : PAGE_SIZE_DEFAULT;
}

export function useListState(defaults: ListDefaults = {}): ListState {
  const { sort, order, pageSize, prefix = '' } = defaults;
  const urlKeys = useMemo(
    () => Object.fromEntries(Object.keys(parsers).map((name) => [name, `${prefix}${name}`])),
    [prefix],
  );
  const [url, setUrl] = useQueryStates(parsers, { urlKeys });

  return useMemo(() => {
    const sortColumn = url.sort ?? sort;
    const params: ListParams = {
      page: Math.max(1, url.page ?? 1),
      pageSize: Math.min(PAGE_SIZE_MAX, Math.max(1, url.pageSize ?? pageSize ?? preferredPageSize())),
      sort: sortColumn,
      order: sortColumn === undefined ? undefined : (url.order ?? (url.sort === null ? order : undefined) ?? 'ASC'),
      q: url.q ?? undefined,
      filter: url.filter === null ? undefined : JSON.stringify(url.filter),
    };
    return {
      params,
      filter: url.filter ?? undefined,
      columns: url.columns ?? undefined,
      setPage: (page) => void setUrl({ page: page === 1 ? null : page }),
      setPageSize: (size) => {
        sessionStorage.setItem(PREFERRED_PAGE_SIZE, String(size));
        void setUrl({ pageSize: size === PAGE_SIZE_DEFAULT ? null : size, page: null });
      },
      toggleSort: (column) => {
        if (params.sort !== column) void setUrl({ sort: column, order: null, page: null });
        else if (params.order === 'ASC') void setUrl({ sort: column, order: 'DESC', page: null });
        else void setUrl({ sort: null, order: null, page: null });
      },
      setSearch: (q) => void setUrl({ q: q === '' ? null : q, page: null }),
      setFilter: (filter) => void setUrl({ filter: filter === undefined ? null : filter, page: null }),
      setColumns: (columns) => void setUrl({ columns: columns === undefined ? null : [...columns] }),
      view: { filter: url.filter, q: url.q, sort: url.sort, order: url.order, columns: url.columns },
      apply: (view) => void setUrl({ ...view, page: null }),
      clear: () => void setUrl({ page: null, q: null, filter: null }),
    };
  }, [url, setUrl, sort, order, pageSize]);
}
