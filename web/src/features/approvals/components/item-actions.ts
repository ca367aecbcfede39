/** The actions on items of the approvals list, for one item and in bulk. */
import type { ApprovalView } from '@rdm/contracts/approvals/approvals';
import { Check, PanelRightOpen, Undo2, X } from 'lucide-react';
import type { BulkAction, RowAction, Selection } from '../../../components/data-grid/index.ts';
import { type ApprovalTab, type Decision, parentOf } from '../api/approvals.ts';
import { bulkRefusal, isRecalled, itemRefusal } from './items.ts';
import type { Decisions } from './useDecisions.tsx';

export interface ItemActionsOptions {
  tab: ApprovalTab;
  userId: number;
  decisions: Decisions;
  /** Opens the record of the item; undefined if the page displays the record beside the list. */
  openRecord: ((item: ApprovalView) => void) | undefined;
  /** Opens the crosswalk or relationship of the item. */
  openParent: (item: ApprovalView) => void;
}

export function itemActions(
  item: ApprovalView,
  { tab, userId, decisions, openRecord, openParent }: ItemActionsOptions,
): readonly RowAction<ApprovalView>[] {
  const tabActions: RowAction<ApprovalView>[] = [];
  if (tab === 'review')
    tabActions.push(
      {
        label: 'Approve',
        icon: Check,
        onSelect: (row) => void decisions.decideOne('approve', row),
        unavailable: itemRefusal('approve', item, userId),
      },
      {
        label: 'Reject…',
        icon: X,
        onSelect: (row) => decisions.openItemDialog('reject', row),
        unavailable: itemRefusal('reject', item, userId),
        destructive: true,
      },
    );
  if (tab === 'submitted')
    tabActions.push({
      label: 'Recall',
      icon: Undo2,
      onSelect: (row) => void decisions.recall(row),
      unavailable: itemRefusal('recall', item, userId),
    });
  if (tab === 'decided' && item.decisionId !== null && item.undoneAt === null && !isRecalled(item))
    tabActions.push({ label: 'Undo the decision…', icon: Undo2, onSelect: (row) => decisions.undo(row) });
  return [
    ...(openRecord === undefined ? [] : [{ label: 'Details', icon: PanelRightOpen, onSelect: openRecord }]),
    ...tabActions,
    {
      label: item.parentGone ? `Show the deleted ${parentOf(item)}` : `Open the ${parentOf(item)}`,
      onSelect: openParent,
    },
  ];
}

/**
 * Why none of the selected items can be decided; undefined if at least one can be decided. Also undefined for a
 * selection that is stored on the server, because only the server can check its items.
 */
export const selectionRefusal = (
  decision: Decision,
  { rows, selectionId }: Selection<ApprovalView>,
  userId: number,
): string | undefined => (selectionId === undefined ? bulkRefusal(decision, rows, userId) : undefined);

export function bulkItemActions({
  tab,
  userId,
  decisions,
}: Pick<ItemActionsOptions, 'tab' | 'userId' | 'decisions'>): readonly BulkAction<ApprovalView>[] {
  if (tab !== 'review') return [];
  return [
    {
      label: 'Approve',
      icon: Check,
      onSelect: (selection) => decisions.openDialog('approve', selection),
      unavailable: (selection) => selectionRefusal('approve', selection, userId),
    },
    {
      label: 'Reject',
      icon: X,
      destructive: true,
      onSelect: (selection) => decisions.openDialog('reject', selection),
      unavailable: (selection) => selectionRefusal('reject', selection, userId),
    },
  ];
}
