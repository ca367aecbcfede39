/** Queries and commands for approvals: items by tab, their groups and counts, the history of a row, and decisions. */

import {
  APPROVAL_TABS,
  type ApprovalImpact,
  type ApprovalStatistics,
  type ApprovalView,
  type SelectionView,
} from '@rdm/contracts/approvals/approvals';
import type { CrosswalkView } from '@rdm/contracts/crosswalks/crosswalks';
import type { MappingView } from '@rdm/contracts/crosswalks/mappings';
import type { DecidedAsJob } from '@rdm/contracts/jobs/bulk-decisions';
import type { FilterGroup, Page } from '@rdm/contracts/lists/filter';
import type { RelationshipValueView } from '@rdm/contracts/relationships/relationship-values';
import type { RelationshipView } from '@rdm/contracts/relationships/relationships';
import type { VersionView } from '@rdm/contracts/review/approval';
import { type ApprovalKind, isDefinitionKind } from '@rdm/contracts/review/approval-kinds';
import type { RowOutcome } from '@rdm/contracts/review/reviewed-rows';
import { queryOptions } from '@tanstack/react-query';
import { approvalLink } from '../../../components/review/links.ts';
import { read, readHistory, type Written, write } from '../../../lib/api/index.ts';
import type { ListParams } from '../../../lib/url-state/list-state.ts';

export type ApprovalTab = (typeof APPROVAL_TABS)[number];

export const GROUPINGS = ['collection', 'batch', 'submitter', 'parent'] as const;
export type GroupField = (typeof GROUPINGS)[number];

const PATH = '/api/approvals';
const DOWNSTREAM_SHOWN = 3;
export const approvalsKey = ['approvals'] as const;

export const approvalsQuery = (tab: ApprovalTab, params: ListParams) =>
  queryOptions({
    queryKey: [...approvalsKey, 'list', tab, params],
    queryFn: () => read<Page<ApprovalView>>(PATH, { query: { ...params, tab } }),
  });

/** A group of items, with its size and the time of its oldest item. */
export interface ApprovalGroup {
  key: string | number | null;
  name: string | null;
  count: number;
  oldestSubmittedAt: string;
  /** The field of the list that contains the key. */
  field: string;
}

export const groupsQuery = (tab: ApprovalTab, group: GroupField, params: Pick<ListParams, 'q' | 'filter'>) =>
  queryOptions({
    queryKey: [...approvalsKey, 'groups', tab, group, params],
    queryFn: () => read<Page<ApprovalGroup>>(PATH, { query: { ...params, tab, group } }),
  });

export const statisticsQuery = queryOptions({
  queryKey: [...approvalsKey, 'statistics'],
  queryFn: () => read<ApprovalStatistics>(`${PATH}/statistics`),
});

type ItemIds = Pick<ApprovalView, 'kind' | 'parentId' | 'id'>;

/** Returns the kind of the definition that is the item or contains it. */
export const parentOf = ({ kind }: Pick<ApprovalView, 'kind'>): 'crosswalk' | 'relationship' =>
  kind === 'crosswalk' || kind === 'mapping' ? 'crosswalk' : 'relationship';

/** Whether the item is the crosswalk or relationship itself and not one of its rows. */
export const isDefinitionItem = ({ kind }: Pick<ApprovalView, 'kind'>): boolean => isDefinitionKind(kind);

const parentPath = (item: ItemIds) => `/api/${parentOf(item)}s/${item.parentId}`;
const rowsPath = (item: ItemIds) => `${parentPath(item)}/${item.kind === 'mapping' ? 'mappings' : 'values'}`;
const itemQueryKey = ({ kind, parentId, id }: ItemIds) => [...approvalsKey, kind, parentId, id];

/**
 * The key of an item. Each submission of a row and each undone decision is an item of its own, so the key contains the
 * time of the submission and, if the decision was undone, the time of the undo, in ms since 1970.
 */
export const itemKey = ({ kind, parentId, id, submittedAt, undoneAt }: ApprovalView): string =>
  `${kind}-${parentId}-${id}-${Date.parse(submittedAt)}${undoneAt === null ? '' : `-${Date.parse(undoneAt)}`}`;

/** Matches the key of an item. A link may omit the time and then refers to the last submission. */
const ITEM_KEY = /^(crosswalk|mapping|relationship|relationship-value)-(\d+)-(\d+)(?:-\d+){0,2}$/;

/** The URL of one item. */
export const linkOf = (tab: ApprovalTab, item: ApprovalView): string => approvalLink(tab, item, item.submittedAt);

export interface FoundItem {
  tab: ApprovalTab;
  item: ApprovalView;
}

/**
 * Finds the item of a link in the current tab, then in further tabs; null if no tab contains it. The key from before an
 * undo of the decision also finds the item.
 */
export const itemQuery = (tab: ApprovalTab, key: string) =>
  queryOptions({
    queryKey: [...approvalsKey, 'item', tab, key],
    queryFn: async (): Promise<FoundItem | null> => {
      const [, kind, parentId, id] = ITEM_KEY.exec(key) ?? [];
      if (kind === undefined) return null;
      const equals = (field: string, value: string | number) => ({ field, operator: 'equals' as const, value });
      const filter: FilterGroup = {
        logic: 'AND',
        conditions: [equals('kind', kind), equals('parentId', Number(parentId)), equals('id', Number(id))],
      };
      for (const each of [tab, ...APPROVAL_TABS.filter((other) => other !== tab)]) {
        const query = { tab: each, filter: JSON.stringify(filter), sort: 'submittedAt', order: 'DESC' };
        const { items } = await read<Page<ApprovalView>>(PATH, { query });
        // The link may omit the time of the submission or of an undo.
        const beginsWithKey = (one: ApprovalView) => itemKey(one).startsWith(`${key}-`);
        const item = items.find((one) => itemKey(one) === key) ?? items.find(beginsWithKey);
        if (item !== undefined) return { tab: each, item };
      }
      return null;
    },
  });

/** The crosswalks whose source data set is the target of the item's crosswalk. */
export const downstreamCrosswalksQuery = (item: ApprovalView) =>
  queryOptions({
    queryKey: [...approvalsKey, 'downstream', item.targetDataSetId],
    queryFn: () => {
      const conditions = [{ field: 'sourceSystemId', operator: 'equals', value: item.targetDataSetId }];
      const query = { filter: JSON.stringify({ logic: 'AND', conditions }), sort: 'name', pageSize: DOWNSTREAM_SHOWN };
      return read<Page<CrosswalkView>>('/api/crosswalks', { query });
    },
    enabled: parentOf(item) === 'crosswalk',
  });

/** The versions of the item's row or definition. */
export const historyQuery = (item: ItemIds) =>
  queryOptions({
    queryKey: [...itemQueryKey(item), 'history'],
    queryFn: () => readHistory<VersionView>(isDefinitionItem(item) ? parentPath(item) : `${rowsPath(item)}/${item.id}`),
  });

/** The mapping or value of the item, for the labels of source and target. */
export const rowQuery = (item: ItemIds & Pick<ApprovalView, 'parentGone'>) =>
  queryOptions({
    queryKey: [...itemQueryKey(item), 'row'],
    queryFn: async () => {
      const filter: FilterGroup = { logic: 'AND', conditions: [{ field: 'id', operator: 'equals', value: item.id }] };
      const page = await read<Page<MappingView | RelationshipValueView>>(rowsPath(item), {
        query: { filter: JSON.stringify(filter) },
      });
      return page.items[0] ?? null;
    },
    enabled: !item.parentGone,
  });

/**
 * The crosswalk or relationship of the item, for the names of data sets and fields. Disabled for relationship values,
 * whose changes contain no ids to name, and for deleted parents.
 */
export const parentQuery = (item: ItemIds & Pick<ApprovalView, 'parentGone'>) =>
  queryOptions({
    queryKey: [...approvalsKey, parentOf(item), item.parentId],
    queryFn: () => read<CrosswalkView | RelationshipView>(parentPath(item)),
    enabled: item.kind !== 'relationship-value' && !item.parentGone,
  });

/** The impact of approving the items. Only the server knows all items of a selection. */
export const impactQuery = (chosen: DecisionSelection) => {
  const body =
    'items' in chosen
      ? { items: chosen.items.map(({ kind, parentId, id }) => ({ kind, parentId, id })) }
      : { selectionId: chosen.selectionId };
  return queryOptions({
    queryKey: [...approvalsKey, 'impact', body],
    queryFn: () => write<ApprovalImpact & Written>('POST', `${PATH}/impact`, body),
    gcTime: 0,
  });
};

/** Whether any row of the data set has this value in the field. */
export const valueExistsQuery = (dataSetId: number, field: string, value: string) =>
  queryOptions({
    queryKey: ['reference-data', 'instances', dataSetId, 'held', field, value],
    queryFn: async () => {
      const conditions = [{ field, operator: 'equals', value }];
      const query = { filter: JSON.stringify({ logic: 'AND', conditions }), pageSize: 1 };
      return (await read<Page<unknown>>(`/api/reference-data/${dataSetId}/instances`, { query })).items.length > 0;
    },
  });

/** Adds the condition of a group to the filter of a list. */
export function withinGroup(
  filter: FilterGroup | undefined,
  group: { field: string; key: string | number | null } | undefined,
): FilterGroup | undefined {
  if (group === undefined) return filter;
  const { field, key } = group;
  const condition =
    field === 'collectionIds'
      ? key === null
        ? { field, operator: 'equals' as const, value: [] }
        : { field, operator: 'contains' as const, value: key }
      : key === null
        ? { field, operator: 'is_null' as const }
        : { field, operator: 'equals' as const, value: key };
  return { logic: 'AND', conditions: filter === undefined ? [condition] : [condition, filter] };
}

export type Decision = 'approve' | 'reject';
export interface DecidedItem extends RowOutcome {
  kind: ApprovalKind;
  parentId: number;
}
export interface DecideResponse extends Written {
  /** The id of the batch, with which the decision can be undone. */
  commandId: string;
  results: DecidedItem[];
}

/** Items with their expected revisions, or all items of a selection. */
export type DecisionSelection = { items: readonly ApprovalView[] } | { selectionId: string };

export const decide = (decision: Decision, chosen: DecisionSelection, comment: string | undefined) =>
  write<DecideResponse | (DecidedAsJob & Written)>('POST', `${PATH}/decide`, {
    decision,
    ...(comment === undefined ? {} : { comment }),
    ...('items' in chosen
      ? { items: chosen.items.map(({ kind, id, parentId, revision }) => ({ kind, id, parentId, revision })) }
      : chosen),
  });

/** Recalls a submission, which only its submitter and collection administrators may do. */
export const recall = (item: ApprovalView) =>
  isDefinitionItem(item)
    ? write<Written>('POST', `${parentPath(item)}/recall`, {}, { revision: item.revision })
    : write<{ results: RowOutcome[] }>('POST', `${rowsPath(item)}/recall`, {
        rows: [{ id: item.id, revision: item.revision }],
      });

/** Stores a selection on the server: all items of a tab that match the search and the filter. */
export const freezeApprovals = (tab: ApprovalTab, { q, filter }: Pick<ListParams, 'q' | 'filter'>) =>
  write<SelectionView>('POST', '/api/selections', { kind: 'approvals', tab, q, filter });
