/** Where what is reviewed can be seen: on the dashboard, as it was submitted, or among the rows that it belongs to. */

import type { FilterCondition, FilterGroup } from '@rdm/contracts/lists/filter';
import type { ApprovalKind } from '@rdm/contracts/review/approval-kinds';
import { urlOf } from '../../lib/api/index.ts';

export interface Reviewed {
  kind: ApprovalKind;
  /** The crosswalk or the relationship; for its header, itself. */
  parentId: number;
  id: number;
}

type Tab = 'review' | 'submitted' | 'decided';

const where = (...conditions: FilterCondition[]): string =>
  JSON.stringify({ logic: 'AND', conditions } satisfies FilterGroup);

/** The very item; the last of its submissions where it is not said which. */
export const approvalLink = (tab: Tab, { kind, parentId, id }: Reviewed, submittedAt?: string): string =>
  `/approvals?tab=${tab}&item=${kind}-${parentId}-${id}${submittedAt === undefined ? '' : `-${Date.parse(submittedAt)}`}`;

const parentOf = (kind: ApprovalKind): 'crosswalk' | 'relationship' =>
  kind === 'crosswalk' || kind === 'mapping' ? 'crosswalk' : 'relationship';

/** What was submitted together and waits for review. */
export const waitingLink = (batchId: string): string =>
  urlOf('/approvals', { tab: 'review', by: 'batch', group: batchId });

/** What was submitted together, of one parent, whatever became of it. */
export const batchLink = (tab: Tab, batchId: string): string =>
  urlOf('/approvals', { tab, filter: where({ field: 'batchId', operator: 'equals', value: batchId }) });

/** What one decision was about, of one parent. */
export const decisionLink = (tab: Tab, { kind, parentId }: Omit<Reviewed, 'id'>, decisionId: string): string =>
  urlOf('/approvals', {
    tab,
    filter: where(
      { field: 'decisionId', operator: 'equals', value: decisionId },
      { field: 'parent', operator: 'equals', value: `${parentOf(kind)}:${parentId}` },
    ),
  });

/** A definition that was deleted, where it may be restored. */
export const deletedLink = (parent: 'crosswalk' | 'relationship', id: number): string =>
  urlOf(`/${parent}s`, { deleted: 'true', filter: where({ field: 'id', operator: 'equals', value: id }) });

/** Rows where they are worked on; all of the tab where they are too many to be named. */
export function rowsLink({ kind, parentId }: Omit<Reviewed, 'id'>, tab: string, ids?: readonly number[]): string {
  const parent = `/${parentOf(kind)}s/${parentId}`;
  if (kind === 'relationship') return parent;
  const page = `${parent}/${kind === 'relationship-value' ? 'values' : 'mappings'}`;
  if (kind === 'crosswalk') return page;
  const [id] = ids ?? [];
  const named: FilterCondition | undefined =
    ids === undefined || id === undefined
      ? undefined
      : ids.length === 1
        ? { field: 'id', operator: 'equals', value: id }
        : { field: 'id', operator: 'in', value: [...ids] };
  return urlOf(page, { tab, filter: named && where(named) });
}
