/** Searches, sorts and pages a list that the server answers whole, so that it behaves like every other list. */
import { useMemo } from 'react';
import type { ListParams } from '../../lib/url-state/list-state.ts';
import type { GridColumn, ListResult } from './types.ts';

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

function compare(left: unknown, right: unknown): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  return collator.compare(String(left ?? ''), String(right ?? ''));
}

export function pageOf<Row>(
  rows: readonly Row[],
  columns: readonly GridColumn<Row>[],
  params: ListParams,
): { items: Row[]; total: number } {
  const needle = params.q?.toLocaleLowerCase() ?? '';
  const found =
    needle === ''
      ? [...rows]
      : rows.filter((row) =>
          columns.some((column) =>
            String(column.value?.(row) ?? '')
              .toLocaleLowerCase()
              .includes(needle),
          ),
        );
  const value = columns.find((column) => column.id === params.sort)?.value;
  if (value !== undefined) {
    const direction = params.order === 'DESC' ? -1 : 1;
    found.sort((left, right) => direction * compare(value(left), value(right)));
  }
  const start = (params.page - 1) * params.pageSize;
  return { items: found.slice(start, start + params.pageSize), total: found.length };
}

export function usePagedLocally<Row>(
  result: Omit<ListResult<Row>, 'data'> & { data: readonly Row[] | undefined },
  columns: readonly GridColumn<Row>[],
  params: ListParams,
): ListResult<Row> {
  const { data: rows, isPending, isFetching, error, refetch } = result;
  const data = useMemo(() => (rows === undefined ? undefined : pageOf(rows, columns, params)), [rows, columns, params]);
  return { data, isPending, isFetching, error, refetch };
}
