/** Rows of a data set on the wire: the list, one row with its history, the commands, and exports. */
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

/** Rows that were deleted: as they were last, with who deleted them and when. */
export const deletedInstancesQuery = (dataSetId: number, params: ListParams) =>
  queryOptions({
    queryKey: [...instancesKey(dataSetId), 'deleted', params],
    queryFn: ({ signal }) =>
      read<Page<InstanceView>>(pathOf(dataSetId), { query: { ...params, deleted: 'true' }, signal }),
  });

/** One of them by its id; null where it is none. */
export const deletedInstanceQuery = (dataSetId: number, id: number) =>
  queryOptions({
    queryKey: [...instancesKey(dataSetId), 'deleted', id],
    queryFn: async () => {
      const filter = JSON.stringify({ logic: 'AND', conditions: [{ field: 'id', operator: 'equals', value: id }] });
      const page = await read<Page<InstanceView>>(pathOf(dataSetId), { query: { filter, deleted: 'true' } });
      return page.items[0] ?? null;
    },
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
  /** Of a refused row: what people call it. */
  key?: string;
  revision?: number;
  /** Of a new row: its place in the request. */
  index?: number;
}

interface BulkAnswer extends Written {
  results: InstanceOutcome[];
}

/** What is done to a selection: answered row by row, or by a job where that is too much for one answer. */
type SelectionAnswer = BulkAnswer | (DecidedAsJob & Written);

export type RowData = Record<string, CellValue>;
export type SeenRow = Pick<InstanceView, 'id' | 'revision'>;

export const addInstance = (dataSetId: number, data: RowData) => write('POST', pathOf(dataSetId), { data });

export const changeInstance = (dataSetId: number, { id, revision }: SeenRow, data: RowData) =>
  write<BulkAnswer>('PATCH', pathOf(dataSetId), [{ id, revision, data }]);

/** Names a command that may be sent again. */
const sameAs = (idempotencyKey: string | undefined) => (idempotencyKey === undefined ? {} : { idempotencyKey });

/** Changed cells of many rows, each answered for itself. */
export const changeInstances = async (
  dataSetId: number,
  rows: readonly { id: number; revision: number; data: RowData }[],
  idempotencyKey?: string,
): Promise<InstanceOutcome[]> =>
  (await write<BulkAnswer>('PATCH', pathOf(dataSetId), rows, sameAs(idempotencyKey))).results;

/** New rows, each answered for itself by its place in `rows`. */
export const addInstances = async (
  dataSetId: number,
  rows: readonly { data: RowData }[],
  idempotencyKey?: string,
): Promise<InstanceOutcome[]> =>
  (await write<BulkAnswer>('POST', pathOf(dataSetId), { rows }, sameAs(idempotencyKey))).results;

const seen = (rows: readonly SeenRow[]) => ({ rows: rows.map(({ id, revision }) => ({ id, revision })) });

export const deleteInstances = (dataSetId: number, rows: readonly SeenRow[]) =>
  write<BulkAnswer>('DELETE', pathOf(dataSetId), seen(rows));

/** What speaks of rows that would be deleted; nothing is written. */
export const deletionImpact = (
  dataSetId: number,
  chosen: { rows: readonly SeenRow[] } | { selectionId: string },
): Promise<DeletionImpact> =>
  write<DeletionImpact & Written>(
    'POST',
    `${pathOf(dataSetId)}/deletion-impact`,
    'rows' in chosen ? seen(chosen.rows) : chosen,
  );

export const restoreInstances = (dataSetId: number, rows: readonly SeenRow[]) =>
  write<BulkAnswer>('POST', `${pathOf(dataSetId)}/restore`, seen(rows));

/** Brings back what a filter found among the deleted rows, frozen into a selection. */
export const restoreSelection = (dataSetId: number, selectionId: string) =>
  write<SelectionAnswer>('POST', `${pathOf(dataSetId)}/restore`, { selectionId });

/** The rows that a command deleted, or brought back, and that nobody touched since. */
export const freezeTouched = (dataSetId: number, commandId: string, now: 'deleted' | 'restored') =>
  write<SelectionView>('POST', '/api/selections', {
    kind: 'instances',
    parentId: dataSetId,
    commandIds: [commandId],
    ...(now === 'deleted' ? { tab: 'deleted' } : {}),
  });

export const freezeDeletedInstances = (dataSetId: number, { q, filter }: ListParams) =>
  write<SelectionView>('POST', '/api/selections', {
    kind: 'instances',
    parentId: dataSetId,
    tab: 'deleted',
    q,
    filter,
  });

/** Deletes what a filter found, frozen into a selection. */
export const deleteSelection = (dataSetId: number, selectionId: string) =>
  write<SelectionAnswer>('DELETE', pathOf(dataSetId), { selectionId });

export const freezeInstances = (dataSetId: number, { q, filter }: ListParams) =>
  write<SelectionView>('POST', '/api/selections', { kind: 'instances', parentId: dataSetId, q, filter });

/** What a paste would do; nothing is written. */
export const previewPaste = (dataSetId: number, paste: PastePreview) =>
  write<PastePreviewView>('POST', `${pathOf(dataSetId)}/paste-preview`, paste);

/** The first mappings and relationship values that speak of a row, as far as one may read them, and how many there are. */
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

/** One page of what a filter finds, as it is stored now. */
export const findInstances = (dataSetId: number, query: { filter: string; q?: string | undefined; page: number }) =>
  read<Page<InstanceView>>(pathOf(dataSetId), { query: { ...query, pageSize: PAGE_SIZE_MAX }, fresh: true });

export const reloadInstances = (queries: QueryClient, dataSetId: number) =>
  queries.invalidateQueries({ queryKey: instancesKey(dataSetId) });

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
