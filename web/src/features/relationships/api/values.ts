/** Values of relationships on the wire: tabs with their counts, history and commands; of one relationship or of all. */
import type { ReviewVerb } from '@rdm/contracts/approval';
import type { SelectionView } from '@rdm/contracts/approvals';
import type { FilterGroup, Page } from '@rdm/contracts/filter';
import {
  type AnyRelationshipValueView,
  type NewRelationshipValue,
  RELATIONSHIP_VALUE_TABS,
  type RelationshipValueHistoryView,
  type RelationshipValueView,
} from '@rdm/contracts/relationship-values';
import type { RelationshipView } from '@rdm/contracts/relationships';
import type { RowOutcome } from '@rdm/contracts/reviewed-rows';
import type { CellValue } from '@rdm/contracts/rows';
import { queryOptions } from '@tanstack/react-query';
import { read, type Written, write } from '../../../lib/api/index.ts';
import type { ListParams } from '../../../lib/url-state/list-state.ts';
import { relationshipKey } from './relationships.ts';

export { RELATIONSHIP_VALUE_TABS };
export type ValueTab = (typeof RELATIONSHIP_VALUE_TABS)[number];

/** A value, with what it belongs to where the list is one of all relationships. */
export type ValueRow = RelationshipValueView & Partial<Omit<AnyRelationshipValueView, keyof RelationshipValueView>>;

/** One relationship by its id, or all that one may read. */
export type Scope = number | 'all';

const path = (scope: Scope) => (scope === 'all' ? '/api/relationships/values' : `/api/relationships/${scope}/values`);
const key = (scope: Scope) => (scope === 'all' ? (['relationships', 'values'] as const) : relationshipKey(scope));

export const valuesQuery = (scope: Scope, tab: ValueTab, params: ListParams) =>
  queryOptions({
    queryKey: [...key(scope), 'list', tab, params],
    queryFn: () => read<Page<ValueRow>>(path(scope), { query: { ...params, tab } }),
  });

export const tabCountsQuery = (relationshipId: number) =>
  queryOptions({
    queryKey: [...relationshipKey(relationshipId), 'counts'],
    queryFn: () => read<Record<ValueTab, number>>(`${path(relationshipId)}/counts`),
  });

const SUMMED_MAX = 1_000;

/** Counts of all relationships, where they can be read at once: summed from those that each of them has. */
export const allCountsQuery = queryOptions({
  queryKey: ['relationships', 'values', 'counts'],
  queryFn: async (): Promise<Partial<Record<ValueTab, number>>> => {
    const { items, total } = await read<Page<RelationshipView>>('/api/relationships', {
      query: { fields: 'counts', pageSize: SUMMED_MAX },
    });
    if (total !== items.length) return {};
    const sum = (status: Exclude<ValueTab, 'broken'>) => items.reduce((all, { counts }) => all + counts[status], 0);
    return { draft: sum('draft'), pending: sum('pending'), approved: sum('approved'), rejected: sum('rejected') };
  },
});

export const historyQuery = (relationshipId: number, id: number) =>
  queryOptions({
    queryKey: [...relationshipKey(relationshipId), 'history', id],
    queryFn: () => read<RelationshipValueHistoryView[]>(`${path(relationshipId)}/${id}/history`),
  });

const withIds = (ids: readonly number[]): string =>
  JSON.stringify({
    logic: 'AND',
    conditions: [{ field: 'id', operator: 'in', value: ids }],
  } satisfies FilterGroup);

/** Values of one relationship by their ids, as they are stored now. Never from a cache. */
export const currentValues = async (relationshipId: number, ids: readonly number[]): Promise<RelationshipValueView[]> =>
  (
    await read<Page<RelationshipValueView>>(path(relationshipId), {
      query: { filter: withIds(ids), pageSize: ids.length },
      fresh: true,
    })
  ).items;

const EVERY_PAGE = 1_000;

/** Every value of a relationship, whatever its status, in the order in which they were added. */
export const everyValueQuery = (relationshipId: number) =>
  queryOptions({
    queryKey: [...relationshipKey(relationshipId), 'every'],
    queryFn: async () => {
      const values: RelationshipValueView[] = [];
      for (let page = 1; ; page += 1) {
        const { items } = await read<Page<RelationshipValueView>>(path(relationshipId), {
          query: { page, pageSize: EVERY_PAGE, sort: 'createdAt' },
        });
        values.push(...items);
        if (items.length < EVERY_PAGE) return values;
      }
    },
    gcTime: 0,
  });

/** The relationships that rows of several belong to: their levels and attributes say what may be done. */
export const relationshipsOfQuery = (ids: readonly number[]) =>
  queryOptions({
    queryKey: ['relationships', 'list', 'of', ids],
    queryFn: () =>
      read<Page<RelationshipView>>('/api/relationships', { query: { filter: withIds(ids), pageSize: ids.length } }),
  });

export interface BulkAnswer extends Written {
  results: RowOutcome[];
}

/** Adds values. A single one that is refused throws; of many, each is answered for itself. */
export const draftValue = (relationshipId: number, value: NewRelationshipValue) =>
  write<BulkAnswer>('POST', path(relationshipId), value);

export const draftValues = (relationshipId: number, rows: readonly NewRelationshipValue[]) =>
  write<BulkAnswer>('POST', path(relationshipId), { rows });

export interface ValueEdit {
  id: number;
  revision: number;
  sourceInstanceId?: number;
  targetInstanceId?: number;
  attributes?: Record<string, CellValue>;
}

export const editValue = (relationshipId: number, edit: ValueEdit) =>
  write<BulkAnswer>('PATCH', path(relationshipId), { rows: [edit] });

export type ValueVerb = Exclude<ReviewVerb, 'edit'>;

/** Rows with the revisions that were seen, or all that a selection froze. */
export type Chosen = { rows: readonly { id: number; revision: number }[] } | { selectionId: string };

export function reviewValues(
  relationshipId: number,
  verb: ValueVerb,
  chosen: Chosen,
  comment?: string,
): Promise<BulkAnswer> {
  const body = {
    ...('rows' in chosen ? { rows: chosen.rows.map(({ id, revision }) => ({ id, revision })) } : chosen),
    ...(comment === undefined ? {} : { comment }),
  };
  return verb === 'delete'
    ? write('DELETE', path(relationshipId), body)
    : write('POST', `${path(relationshipId)}/${verb}`, body);
}

/** Freezes all values of a tab that match. */
export const freezeValues = (relationshipId: number, tab: ValueTab, { q, filter }: ListParams) =>
  write<SelectionView>('POST', '/api/selections', {
    kind: 'relationship-values',
    parentId: relationshipId,
    tab,
    q,
    filter,
  });
