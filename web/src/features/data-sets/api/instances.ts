/** Rows of a data set on the wire: the list, one row with its history, the commands, and exports. */
import type { InstanceView } from '@rdm/contracts/data-sets';
import type { Page } from '@rdm/contracts/filter';
import type { CellValue } from '@rdm/contracts/rows';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { ApiError, read, urlOf, type Written, write } from '../../../lib/api/index.ts';
import type { ListParams } from '../../../lib/url-state/list-state.ts';

const pathOf = (dataSetId: number) => `/api/reference-data/${dataSetId}/instances`;

export const instancesKey = (dataSetId: number) => ['reference-data', 'instances', dataSetId] as const;

export const instancesQuery = (dataSetId: number, params: ListParams) =>
  queryOptions({
    queryKey: [...instancesKey(dataSetId), params],
    queryFn: ({ signal }) => read<Page<InstanceView>>(pathOf(dataSetId), { query: params, signal }),
  });

/** The row as it is stored now, or undefined when somebody deleted it. */
export async function currentInstance(dataSetId: number, id: number): Promise<InstanceView | undefined> {
  try {
    return await read<InstanceView>(`${pathOf(dataSetId)}/${id}`, { fresh: true });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

export interface InstanceVersion {
  seq: number;
  revision: number;
  at: string;
  userId: number | null;
  jobId: number | null;
  deleted: boolean;
  data: Record<string, CellValue>;
  changes: Record<string, { from: CellValue; to: CellValue }>;
}

/** Newest first. */
export const historyQuery = (dataSetId: number, id: number) =>
  queryOptions({
    queryKey: [...instancesKey(dataSetId), 'history', id],
    queryFn: async () => (await read<{ items: InstanceVersion[] }>(`${pathOf(dataSetId)}/${id}/history`)).items,
  });

export interface InstanceOutcome {
  id: number;
  outcome: 'done' | 'refused';
  code?: string;
  message?: string;
  revision?: number;
}

interface BulkAnswer extends Written {
  results: InstanceOutcome[];
}

export type RowData = Record<string, CellValue>;
export type SeenRow = Pick<InstanceView, 'id' | 'revision'>;

export const addInstance = (dataSetId: number, data: RowData) => write('POST', pathOf(dataSetId), { data });

export const changeInstance = (dataSetId: number, { id, revision }: SeenRow, data: RowData) =>
  write<BulkAnswer>('PATCH', pathOf(dataSetId), [{ id, revision, data }]);

const seen = (rows: readonly SeenRow[]) => ({ rows: rows.map(({ id, revision }) => ({ id, revision })) });

export const deleteInstances = (dataSetId: number, rows: readonly SeenRow[]) =>
  write<BulkAnswer>('DELETE', pathOf(dataSetId), seen(rows));

export const restoreInstances = (dataSetId: number, rows: readonly SeenRow[]) =>
  write<BulkAnswer>('POST', `${pathOf(dataSetId)}/restore`, seen(rows));

export const reloadInstances = (queries: QueryClient, dataSetId: number) =>
  queries.invalidateQueries({ queryKey: instancesKey(dataSetId) });

export type ExportFormat = 'csv' | 'xlsx' | 'json';

/** A download of everything that the search and the filter find, in the order shown; of all columns unless some are named. */
export const exportUrl = (
  dataSetId: number,
  format: ExportFormat,
  params: Partial<ListParams> = {},
  fields?: readonly string[],
): string =>
  urlOf(`/api/reference-data/${dataSetId}/export`, {
    format,
    sort: params.sort,
    order: params.order,
    q: params.q,
    filter: params.filter,
    fields: fields?.join(','),
  });
