/**
 * Queries and commands for the values of one relationship or of all relationships: lists with counts, histories,
 * drafts, imports, exports and selections.
 */

import type { SelectionView } from '@rdm/contracts/approvals/approvals';
import { COUNT_CAP } from '@rdm/contracts/constants';
import type { ImportStarted } from '@rdm/contracts/jobs/row-imports';
import type { Page } from '@rdm/contracts/lists/filter';
import type {
  ImportRelationshipValues,
  ValueImportPreview,
} from '@rdm/contracts/relationships/relationship-value-exchange';
import {
  type AnyRelationshipValueView,
  type NewRelationshipValue,
  RELATIONSHIP_VALUE_TABS,
  type RelationshipValueHistoryView,
  type RelationshipValueView,
} from '@rdm/contracts/relationships/relationship-values';
import type { RelationshipView } from '@rdm/contracts/relationships/relationships';
import type { CellValue } from '@rdm/contracts/text/rows';
import { queryOptions } from '@tanstack/react-query';
import type { ExportFormat } from '../../../components/exports/index.tsx';
import type { BulkAnswer } from '../../../components/review/commands.ts';
import { read, readHistory, urlOf, write } from '../../../lib/api/index.ts';
import { fieldIn } from '../../../lib/filters/field-in.ts';
import { formatNumber } from '../../../lib/number-format.ts';
import type { ListParams } from '../../../lib/url-state/list-state.ts';
import { relationshipKey } from './relationships.ts';

export { RELATIONSHIP_VALUE_TABS };
export type ValueTab = (typeof RELATIONSHIP_VALUE_TABS)[number];

/** A value. In the list of all values, it also has the fields of its relationship. */
export type ValueRow = RelationshipValueView & Partial<Omit<AnyRelationshipValueView, keyof RelationshipValueView>>;

/** The id of one relationship, or all relationships that the user can read. */
export type Scope = number | 'all';

export const valuesPath = (scope: Scope) =>
  scope === 'all' ? '/api/relationships/values' : `/api/relationships/${scope}/values`;
const scopeKey = (scope: Scope) => (scope === 'all' ? (['relationships', 'values'] as const) : relationshipKey(scope));

export const valuesQuery = (scope: Scope, tab: ValueTab, params: ListParams) =>
  queryOptions({
    queryKey: [...scopeKey(scope), 'list', tab, params],
    queryFn: () => read<Page<ValueRow>>(valuesPath(scope), { query: { ...params, tab } }),
  });

/** Returns the URL of an export. Without a tab, the export contains the values of all tabs except Deleted. */
export const exportUrl = (
  relationshipId: number,
  format: ExportFormat,
  tab?: ValueTab,
  params: Partial<ListParams> = {},
): string =>
  urlOf(`/api/relationships/${relationshipId}/export`, {
    format,
    tab,
    sort: params.sort,
    order: params.order,
    q: params.q,
    filter: params.filter,
  });

export const tabCountsQuery = (relationshipId: number) =>
  queryOptions({
    queryKey: [...relationshipKey(relationshipId), 'counts'],
    queryFn: () => read<Record<ValueTab, number>>(`${valuesPath(relationshipId)}/counts`),
  });

/** Counts over all readable relationships. A count of broken or deleted values above `COUNT_CAP` is a text. */
export const allCountsQuery = queryOptions({
  queryKey: ['relationships', 'values', 'counts'],
  queryFn: async (): Promise<Record<ValueTab, number | string>> => {
    const counts = await read<Record<ValueTab, number>>(`${valuesPath('all')}/counts`);
    const cappedCount = (count: number) => (count > COUNT_CAP ? `${formatNumber(COUNT_CAP)}+` : count);
    return { ...counts, broken: cappedCount(counts.broken), deleted: cappedCount(counts.deleted) };
  },
});

export const historyQuery = (relationshipId: number, id: number) =>
  queryOptions({
    queryKey: [...relationshipKey(relationshipId), 'history', id],
    queryFn: () => readHistory<RelationshipValueHistoryView>(`${valuesPath(relationshipId)}/${id}`),
  });

/** Reads current or deleted values of one relationship by their ids, never from a cache. */
export const currentValues = async (
  relationshipId: number,
  ids: readonly number[],
  tab?: 'deleted',
): Promise<RelationshipValueView[]> =>
  (
    await read<Page<RelationshipValueView>>(valuesPath(relationshipId), {
      query: { filter: fieldIn('id', ids), pageSize: ids.length, tab },
      fresh: true,
    })
  ).items;

/** The relationships of listed values: the user's level on a relationship determines the available verbs. */
export const relationshipsByIdsQuery = (ids: readonly number[]) =>
  queryOptions({
    queryKey: ['relationships', 'list', 'of', ids],
    queryFn: () =>
      read<Page<RelationshipView>>('/api/relationships', {
        query: { filter: fieldIn('id', ids), pageSize: ids.length },
      }),
  });

/** Adds one value as a draft. Throws if the server refuses the value. */
export const draftValue = (relationshipId: number, value: NewRelationshipValue) =>
  write<BulkAnswer>('POST', valuesPath(relationshipId), value);

export const previewImport = (relationshipId: number, options: ImportRelationshipValues) =>
  write<ValueImportPreview>('POST', `${valuesPath(relationshipId)}/import-preview`, options);

export const importValues = (relationshipId: number, options: ImportRelationshipValues) =>
  write<ImportStarted>('POST', `${valuesPath(relationshipId)}/import`, options);

export interface ValueEdit {
  id: number;
  revision: number;
  sourceInstanceId?: number;
  targetInstanceId?: number;
  attributes?: Record<string, CellValue>;
}

export const editValue = (relationshipId: number, edit: ValueEdit) =>
  write<BulkAnswer>('PATCH', valuesPath(relationshipId), { rows: [edit] });

/**
 * Stores a selection of all values of a tab that match the search and the filter. With the scope `all`, the response
 * lists the relationships of the selected values.
 */
export const freezeValues = (scope: Scope, tab: ValueTab, { q, filter }: ListParams) =>
  write<SelectionView>('POST', '/api/selections', {
    kind: 'relationship-values',
    ...(scope === 'all' ? {} : { parentId: scope }),
    tab,
    q,
    filter,
  });
