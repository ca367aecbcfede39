/** Queries and commands for rows of a data set, selections of rows, and the URL of an export. */
import type { SelectionView } from '@rdm/contracts/approvals/approvals';
import { PAGE_SIZE_MAX } from '@rdm/contracts/constants';
import type {
  DeletionImpact,
  InstanceReferences,
  PastePreview,
  PastePreviewView,
} from '@rdm/contracts/data-sets/instance-paste';
import type { InstanceHistoryView, InstanceView } from '@rdm/contracts/data-sets/instances';
import type { DecidedAsJob } from '@rdm/contracts/jobs/bulk-decisions';
import type { Page } from '@rdm/contracts/lists/filter';
import type { AnyRelationshipValueView } from '@rdm/contracts/relationships/relationship-values';
import type { CellValue } from '@rdm/contracts/text/rows';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import type { ExportFormat } from '../../../components/exports/index.tsx';
import { ApiError, read, readHistory, urlOf, type Written, write } from '../../../lib/api/index.ts';
import type { ListParams } from '../../../lib/url-state/list-state.ts';

const pathOf = (dataSetId: number) => `/api/reference-data/${dataSetId}/instances`;

export const instancesKey = (dataSetId: number) => ['reference-data', 'instances', dataSetId] as const;

export const instancesQuery = (dataSetId: number, params: ListParams) =>
  queryOptions({
    queryKey: [...instancesKey(dataSetId), params],
    queryFn: ({ signal }) => read<Page<InstanceView>>(pathOf(dataSetId), { query: params, signal }),
  });

/** Deleted rows with their last values, and the user and time of the deletion. */
export const deletedInstancesQuery = (dataSetId: number, params: ListParams) =>
  queryOptions({
    queryKey: [...instancesKey(dataSetId), 'deleted', params],
    queryFn: ({ signal }) =>
      read<Page<InstanceView>>(pathOf(dataSetId), { query: { ...params, deleted: 'true' }, signal }),
  });

/** One deleted row by its id; null if the row is not deleted. */
export const deletedInstanceQuery = (dataSetId: number, id: number) =>
  queryOptions({
    queryKey: [...instancesKey(dataSetId), 'deleted', id],
    queryFn: async () => {
      const filter = JSON.stringify({ logic: 'AND', conditions: [{ field: 'id', operator: 'equals', value: id }] });
      const page = await read<Page<InstanceView>>(pathOf(dataSetId), { query: { filter, deleted: 'true' } });
      return page.items[0] ?? null;
    },
  });

/** Reads the current row; undefined if it was deleted or the user may no longer read it. */
export async function currentInstance(dataSetId: number, id: number): Promise<InstanceView | undefined> {
  try {
    return await read<InstanceView>(`${pathOf(dataSetId)}/${id}`, { fresh: true });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

export type InstanceVersion = InstanceHistoryView;

export const historyQuery = (dataSetId: number, id: number) =>
  queryOptions({
    queryKey: [...instancesKey(dataSetId), 'history', id],
    queryFn: () => readHistory<InstanceVersion>(`${pathOf(dataSetId)}/${id}`),
  });

export interface InstanceOutcome {
  id: number;
  outcome: 'done' | 'refused';
  code?: string;
  message?: string;
  /** The key of a refused row as text. */
  key?: string;
  revision?: number;
  /** For a new row: its index in the request. */
  index?: number;
}

export interface BulkAnswer extends Written {
  results: InstanceOutcome[];
}

/** The response to a command over a selection: the result for each row, or a job if there are too many rows. */
type SelectionAnswer = BulkAnswer | (DecidedAsJob & Written);

export type RowData = Record<string, CellValue>;
export type RowRevision = Pick<InstanceView, 'id' | 'revision'>;

export const addInstance = (dataSetId: number, data: RowData) => write('POST', pathOf(dataSetId), { data });

export const changeInstance = (dataSetId: number, { id, revision }: RowRevision, data: RowData) =>
  write<BulkAnswer>('PATCH', pathOf(dataSetId), [{ id, revision, data }]);

/** Request options with an idempotency key, for a command that can be retried. */
const withIdempotencyKey = (idempotencyKey: string | undefined) =>
  idempotencyKey === undefined ? {} : { idempotencyKey };

/** Changes cells of many rows. Each row gets its own result. */
export const changeInstances = async (
  dataSetId: number,
  rows: readonly { id: number; revision: number; data: RowData }[],
  idempotencyKey?: string,
): Promise<InstanceOutcome[]> =>
  (await write<BulkAnswer>('PATCH', pathOf(dataSetId), rows, withIdempotencyKey(idempotencyKey))).results;

/** Adds rows. Each row gets its own result, with its index in `rows`. */
export const addInstances = async (
  dataSetId: number,
  rows: readonly { data: RowData }[],
  idempotencyKey?: string,
): Promise<InstanceOutcome[]> =>
  (await write<BulkAnswer>('POST', pathOf(dataSetId), { rows }, withIdempotencyKey(idempotencyKey))).results;

const rowRefs = (rows: readonly RowRevision[]) => ({ rows: rows.map(({ id, revision }) => ({ id, revision })) });

export const deleteInstances = (dataSetId: number, rows: readonly RowRevision[]) =>
  write<BulkAnswer>('DELETE', pathOf(dataSetId), rowRefs(rows));

/** Reads the references to rows that the user wants to delete. Writes nothing. */
export const deletionImpact = (
  dataSetId: number,
  target: { rows: readonly RowRevision[] } | { selectionId: string },
): Promise<DeletionImpact> =>
  write<DeletionImpact & Written>(
    'POST',
    `${pathOf(dataSetId)}/deletion-impact`,
    'rows' in target ? rowRefs(target.rows) : target,
  );

export const restoreInstances = (dataSetId: number, rows: readonly RowRevision[]) =>
  write<BulkAnswer>('POST', `${pathOf(dataSetId)}/restore`, rowRefs(rows));

/** Restores the deleted rows of a selection. */
export const restoreSelection = (dataSetId: number, selectionId: string) =>
  write<SelectionAnswer>('POST', `${pathOf(dataSetId)}/restore`, { selectionId });

/** Stores a selection of the rows that a command deleted or restored, without the rows that were changed later. */
export const freezeRowsOfCommand = (dataSetId: number, commandId: string, rowState: 'deleted' | 'restored') =>
  write<SelectionView>('POST', '/api/selections', {
    kind: 'instances',
    parentId: dataSetId,
    commandIds: [commandId],
    ...(rowState === 'deleted' ? { tab: 'deleted' } : {}),
  });

/** Stores a selection of all deleted rows that match the search and the filter. */
export const freezeDeletedInstances = (dataSetId: number, { q, filter }: ListParams) =>
  write<SelectionView>('POST', '/api/selections', {
    kind: 'instances',
    parentId: dataSetId,
    tab: 'deleted',
    q,
    filter,
  });

/** Deletes the rows of a selection. */
export const deleteSelection = (dataSetId: number, selectionId: string) =>
  write<SelectionAnswer>('DELETE', pathOf(dataSetId), { selectionId });

/** Stores a selection of all rows that match the search and the filter. */
export const freezeInstances = (dataSetId: number, { q, filter }: ListParams) =>
  write<SelectionView>('POST', '/api/selections', { kind: 'instances', parentId: dataSetId, q, filter });

/** Computes the changes that a paste would make. Writes nothing. */
export const previewPaste = (dataSetId: number, paste: PastePreview) =>
  write<PastePreviewView>('POST', `${pathOf(dataSetId)}/paste-preview`, paste);

/**
 * The first mappings and relationship values that reference a row, among those that the user may read, with their total
 * numbers. For many values, `valueCount` is a lower bound.
 */
export interface References extends InstanceReferences {
  values: readonly AnyRelationshipValueView[];
  valueCount: number;
}

const VALUES_SHOWN = 100;

export const referencesQuery = (dataSetId: number, id: number) =>
  queryOptions({
    queryKey: [...instancesKey(dataSetId), 'references', id],
    queryFn: async (): Promise<References> => {
      const path = `${pathOf(dataSetId)}/${id}`;
      const [mappings, { items, total }] = await Promise.all([
        read<InstanceReferences>(`${path}/references`),
        read<Page<AnyRelationshipValueView>>(`${path}/relationships`, { query: { pageSize: VALUES_SHOWN } }),
      ]);
      return { ...mappings, values: items, valueCount: typeof total === 'number' ? total : total.atLeast };
    },
  });

/** Reads one page of matching rows, never from a cache. */
export const findInstances = (dataSetId: number, query: { filter: string; q?: string | undefined; page: number }) =>
  read<Page<InstanceView>>(pathOf(dataSetId), { query: { ...query, pageSize: PAGE_SIZE_MAX }, fresh: true });

export const reloadInstances = (queries: QueryClient, dataSetId: number) =>
  queries.invalidateQueries({ queryKey: instancesKey(dataSetId) });

/**
 * The URL of an export of all rows that match the search and the filter, in the displayed order. Without `fields`, the
 * export has all columns.
 */
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
