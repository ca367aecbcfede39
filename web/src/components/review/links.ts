/**
 * Links to reviewed records: on the approvals dashboard, among the changes of one submission, or among the rows of
 * their parent.
 */

import type { FilterCondition, FilterGroup } from '@rdm/contracts/lists/filter';
import type { ApprovalKind } from '@rdm/contracts/review/approval-kinds';
import { urlOf } from '../../lib/api/index.ts';

export interface ReviewedItem {
  kind: ApprovalKind;
  /** The id of the crosswalk or relationship; if the item is a definition, its own id. */
  parentId: number;
  id: number;
}

type Tab = 'review' | 'submitted' | 'decided';

const filterOf = (...conditions: FilterCondition[]): string =>
  JSON.stringify({ logic: 'AND', conditions } satisfies FilterGroup);

const keyOf = ({ kind, parentId, id }: ReviewedItem): string => `${kind}-${parentId}-${id}`;

/** Links to the submission of one item at `submittedAt`, or to its last submission if `submittedAt` is omitted. */
export const approvalLink = (tab: Tab, item: ReviewedItem, submittedAt?: string): string =>
  `/approvals?tab=${tab}&item=${keyOf(item)}${submittedAt === undefined ? '' : `-${Date.parse(submittedAt)}`}`;

const parentOf = (kind: ApprovalKind): 'crosswalk' | 'relationship' =>
  kind === 'crosswalk' || kind === 'mapping' ? 'crosswalk' : 'relationship';

/** Links to the pending changes of one submission. If `item` is given, the page displays the item. */
export const pendingLink = (batchId: string, item?: ReviewedItem): string =>
  urlOf('/approvals', { tab: 'review', by: 'batch', group: batchId, item: item && keyOf(item) });

/** Links to the changes of one submission that the tab lists. */
export const batchLink = (tab: Tab, batchId: string): string =>
  urlOf('/approvals', { tab, filter: filterOf({ field: 'batchId', operator: 'equals', value: batchId }) });

/** Links to the changes of one parent that were decided together and that the tab lists. */
export const decisionLink = (tab: Tab, { kind, parentId }: Omit<ReviewedItem, 'id'>, decisionId: string): string =>
  urlOf('/approvals', {
    tab,
    filter: filterOf(
      { field: 'decisionId', operator: 'equals', value: decisionId },
      { field: 'parent', operator: 'equals', value: `${parentOf(kind)}:${parentId}` },
    ),
  });

/** Links to a deleted definition in the list where it can be restored. */
export const deletedLink = (parent: 'crosswalk' | 'relationship', id: number): string =>
  urlOf(`/${parent}s`, { deleted: 'true', filter: filterOf({ field: 'id', operator: 'equals', value: id }) });

/** The URL parameter with the id of the row to edit. */
export const EDIT_PARAM = 'edit';

export const editorLink = (item: ReviewedItem, tab: string): string =>
  `${rowsLink(item, tab, [item.id])}&${EDIT_PARAM}=${item.id}`;

/**
 * Links to rows in a tab of their parent, or to the page of a definition. Without `ids`, the link
 * shows the whole tab: a filter cannot contain the ids of very many rows.
 */
export function rowsLink({ kind, parentId }: Omit<ReviewedItem, 'id'>, tab: string, ids?: readonly number[]): string {
  const parent = `/${parentOf(kind)}s/${parentId}`;
  if (kind === 'relationship') return parent;
  const page = `${parent}/${kind === 'relationship-value' ? 'values' : 'mappings'}`;
  if (kind === 'crosswalk') return page;
  const [id] = ids ?? [];
  const idCondition: FilterCondition | undefined =
    ids === undefined || id === undefined
      ? undefined
      : ids.length === 1
        ? { field: 'id', operator: 'equals', value: id }
        : { field: 'id', operator: 'in', value: [...ids] };
  return urlOf(page, { tab, filter: idCondition && filterOf(idCondition) });
}
