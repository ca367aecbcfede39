/** One tab in three panes: the groups, the list with keyboard shortcuts, and the record of the focused item. */
import type { ApprovalView } from '@rdm/contracts/approvals/approvals';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { type ReactNode, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { DataGrid, type Selection } from '../../../components/data-grid/index.ts';
import { EmptyState } from '../../../components/empty-state/index.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Drawer } from '../../../components/ui/drawer.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { useCurrentUser } from '../../../lib/auth/index.ts';
import { usePeople } from '../../../lib/auth/people.ts';
import type { LiveUpdates } from '../../../lib/live/index.tsx';
import { useIsMobile, useMedia } from '../../../lib/media/index.ts';
import { AWAITS_TEXT_FIELD } from '../../../lib/shortcuts/index.ts';
import { useRowKeys } from '../../../lib/shortcuts/row-keys.ts';
import { useListState } from '../../../lib/url-state/list-state.ts';
import {
  type ApprovalTab,
  approvalsQuery,
  freezeApprovals,
  GROUPINGS,
  type GroupField,
  groupsQuery,
  itemKey,
  withinGroup,
} from '../api/approvals.ts';
import { APPROVAL_COLUMNS, APPROVAL_FILTERS, ApprovalColumnContext, NARROW_COLUMNS } from './columns.tsx';
import { ItemRecord } from './ItemRecord.tsx';
import { bulkItemActions, itemActions, selectionRefusal } from './item-actions.ts';
import { bulkRefusal, itemRefusal, pageOf } from './items.ts';
import { keyText, Queue } from './Queue.tsx';
import { useDecisions } from './useDecisions.tsx';
import { useShownItem } from './useShownItem.ts';

const EMPTY: Record<ApprovalTab, { title: string; description: string }> = {
  review: {
    title: 'Nothing to review',
    description: 'New submissions appear here automatically.',
  },
  submitted: {
    title: 'You have submitted nothing yet',
    description: 'Submit drafts on the page Mappings of a crosswalk, or on the page Values of a relationship.',
  },
  decided: { title: 'Nothing was decided yet', description: 'All decisions appear here.' },
};

/** From this width of the screen on, the record is beside the list. On narrower screens, it covers the list. */
const WIDE = '(width >= 80rem)';

/** A key that no row has, so that shortcuts do nothing while the pane beside the list has no record. */
const NO_ITEM_KEY = '';

const NO_APPROVALS: readonly ApprovalView[] = [];
const NO_ITEMS = { items: [], total: 0 };
const NO_SELECTION: Selection<ApprovalView> = { rows: [], selectionId: undefined, count: 0, clear: () => undefined };

export interface TabPanesProps {
  tab: ApprovalTab;
  live: LiveUpdates;
  /** The comments that the user has typed, by item. */
  comments: Map<string, string>;
}

export function TabPanes({ tab, live, comments }: TabPanesProps) {
  const user = useCurrentUser();
  const navigate = useNavigate();
  const isWide = useMedia(WIDE);
  const isMobile = useIsMobile();
  const area = useRef<HTMLDivElement>(null);
  const { grouping, group, setGroup, state, params, result, listed, isGroupDone } = useItemList(tab);
  const decisions = useDecisions(listed, comments, advance);
  const [selection, setSelection] = useState(NO_SELECTION);
  const { hiddenItems } = decisions;
  const items = useMemo(() => listed.filter((item) => !hiddenItems.has(itemKey(item))), [listed, hiddenItems]);
  const data = useMemo(
    () => (isGroupDone ? NO_ITEMS : result.data === undefined ? undefined : { ...result.data, items }),
    [isGroupDone, result.data, items],
  );
  const nameOf = usePeople(items.flatMap((item) => [item.submittedBy, item.decidedBy, item.undoneBy]));

  const isListCurrent = isGroupDone || (result.data !== undefined && !result.isPlaceholderData);
  const { shown, isGone, isLoading, isMissing, itemParam, setItemParam } = useShownItem(tab, items, isListCurrent);
  // On a narrow screen, a link to an item opens its record.
  const [isRecordOpen, setRecordOpen] = useState(itemParam !== null);

  // The URL contains the focused item if the record is beside the list, else the item whose record is open.
  useFocusedRow(area, isWide, setItemParam);

  /**
   * Displays the next item after a decision or, at the end of the list, the previous item. The decided item stays
   * displayed if it is the only item or is not in the list. On a narrow screen, displays the list.
   */
  function advance(from: ApprovalView) {
    if (!isWide) return void setItemParam(null);
    const index = items.findIndex((item) => itemKey(item) === itemKey(from));
    const next = index === -1 ? undefined : (items[index + 1] ?? items[index - 1]);
    void setItemParam(itemKey(next ?? from));
  }

  /**
   * Approves (A) or rejects (R) the selection or, without a selection, the item of the row. Opens a dialog for a
   * selection, for a rejection and with Shift. Returns whether the key had an effect.
   */
  function decideByKey(letter: string, rowKey: string, shift: boolean): boolean {
    const item = items.find((candidate) => itemKey(candidate) === rowKey);
    const decision = letter === 'a' ? 'approve' : letter === 'r' ? 'reject' : undefined;
    if (tab !== 'review' || !isListCurrent || decision === undefined) return false;
    if (selection.count > 0) {
      if (selectionRefusal(decision, selection, user.id) !== undefined) return false;
      decisions.openDialog(decision, selection);
    } else {
      if (item === undefined || itemRefusal(decision, item, user.id) !== undefined) return false;
      if (shift || decision === 'reject') decisions.openItemDialog(decision, item);
      else void decisions.decideOne(decision, item);
    }
    return true;
  }
  const displayed = isWide ? (shown === undefined ? NO_ITEM_KEY : itemKey(shown)) : undefined;
  useRowKeys(area, decideByKey, displayed);

  /** Selects a group or grouping, and displays the first item of the new list. */
  function choose(next: { by?: GroupField; group: string | null }) {
    void setGroup(next);
    void setItemParam(null);
  }

  const showAll = () => choose({ group: null });

  function close() {
    setRecordOpen(false);
    void setItemParam(null);
  }

  function open(item: ApprovalView) {
    void setItemParam(itemKey(item));
    setRecordOpen(true);
  }

  const actionOptions = {
    tab,
    userId: user.id,
    decisions,
    openRecord: isWide ? undefined : open,
    openParent: (item: ApprovalView) => void navigate(pageOf(item)),
  };

  const record = shown !== undefined && (
    <ItemRecord
      key={itemKey(shown)}
      item={shown}
      isGone={isGone}
      // A decided item that stays displayed cannot be decided again before it is reloaded.
      busy={decisions.busy || isLoading || hiddenItems.has(itemKey(shown))}
      comments={comments}
      selection={selection}
      onDecide={(decision) => {
        setRecordOpen(false);
        void decisions.decideOne(decision, shown);
      }}
      onNext={isGroupDone ? showAll : items.length > 0 ? () => void setItemParam(null) : undefined}
      onClose={isWide ? undefined : close}
      onRecall={() => {
        setRecordOpen(false);
        void decisions.recall(shown);
      }}
    />
  );

  return (
    <div className="grid min-h-0 flex-1 gap-4 max-2xl:grid-rows-[auto_1fr] max-xl:grid-cols-[minmax(0,1fr)] lg:min-h-96 xl:max-2xl:grid-cols-[minmax(0,1fr)_minmax(340px,400px)] 2xl:grid-cols-[200px_minmax(0,1fr)_minmax(340px,400px)]">
      <div className="relative min-h-0 xl:max-2xl:col-span-2">
        <Queue
          tab={tab}
          grouping={grouping}
          search={{ q: state.params.q, filter: state.params.filter }}
          onGrouping={(by) => choose({ by, group: null })}
          chosen={group ?? undefined}
          onChoose={(chosen) => choose({ group: chosen === undefined ? null : keyText(chosen.key) })}
        />
      </div>
      <div ref={area} className="flex min-h-0 min-w-0 flex-col">
        <ApprovalColumnContext value={{ userId: user.id, nameOf, displayed }}>
          <DataGrid
            key={`${grouping} ${group}`}
            label={`Approvals: ${tab}`}
            entity="approvals"
            state={state}
            result={{ ...result, data, isPending: data === undefined }}
            columns={isMobile ? NARROW_COLUMNS[tab] : APPROVAL_COLUMNS[tab]}
            rowId={itemKey}
            rowActions={(item) => itemActions(item, actionOptions)}
            inlineActions={isWide ? 0 : 1}
            onOpen={open}
            bulkActions={bulkItemActions(actionOptions)}
            onSelection={setSelection}
            selectAll={() => freezeApprovals(tab, params)}
            filterFields={APPROVAL_FILTERS}
            hint={tab === 'review' ? reviewHint(items, user.id, isWide) : undefined}
            live={live}
            empty={
              isGroupDone
                ? {
                    title: 'Nothing is left here',
                    description: 'All items of this group were decided or recalled.',
                    action: <Button onClick={showAll}>Show all</Button>,
                  }
                : EMPTY[tab]
            }
          />
        </ApprovalColumnContext>
        {decisions.undoBar}
      </div>
      {isWide ? (
        <ItemPane
          record={record}
          isLoading={isLoading}
          isMissing={isMissing}
          onFocus={() => shown !== undefined && void setItemParam(itemKey(shown))}
        />
      ) : (
        shown !== undefined && (
          <Drawer open={isRecordOpen} onOpenChange={(open) => !open && close()} title={shown.title} bare>
            {record}
          </Drawer>
        )
      )}
      {decisions.dialogs}
    </div>
  );
}

/** The items of the tab, or of its chosen group. */
function useItemList(tab: ApprovalTab) {
  const [{ by: grouping, group }, setGroup] = useQueryStates({
    by: parseAsStringLiteral(GROUPINGS).withDefault('collection'),
    group: parseAsString,
  });
  const state = useListState();

  // With a group, the list is loaded after the groups, because the server names the list field that filters the group.
  const groups = useQuery(groupsQuery(tab, grouping, { q: undefined, filter: undefined }));
  const selectedGroup = groups.data?.items.find(({ key }) => keyText(key) === group);
  const filter = withinGroup(state.filter, selectedGroup);
  const params = { ...state.params, filter: filter === undefined ? undefined : JSON.stringify(filter) };
  const isWaiting = group !== null && groups.isPending;
  /**
   * Whether all items of the group were decided or recalled. The list is then empty until the user selects another
   * group, so that no unexpected item is displayed.
   */
  const isGroupDone = group !== null && groups.data !== undefined && selectedGroup === undefined;
  const result = useQuery({
    ...approvalsQuery(tab, params),
    placeholderData: keepPreviousData,
    enabled: !isWaiting && !isGroupDone,
  });
  const listed = isGroupDone ? NO_APPROVALS : (result.data?.items ?? NO_APPROVALS);
  // The disabled query of a completed group returns placeholder data, which the list does not show.
  const isPlaceholderData = result.isPlaceholderData && !isGroupDone;
  return { grouping, group, setGroup, state, params, result: { ...result, isPlaceholderData }, listed, isGroupDone };
}

/** Reports the key of the row that receives the focus. */
function useFocusedRow(
  area: RefObject<HTMLElement | null>,
  isEnabled: boolean,
  onRow: (key: string) => Promise<unknown>,
): void {
  useEffect(() => {
    const element = area.current;
    if (element === null || !isEnabled) return;
    const follow = (event: FocusEvent) => {
      const row = (event.target as HTMLElement).closest('[data-row]');
      const key = row?.querySelector<HTMLElement>('[data-row-key]')?.dataset['rowKey'];
      if (key !== undefined) void onRow(key);
    };
    element.addEventListener('focusin', follow);
    return () => element.removeEventListener('focusin', follow);
  }, [area, isEnabled, onRow]);
}

/** Returns the shortcuts, or the reason if the user can approve none of the items. */
const reviewHint = (items: readonly ApprovalView[], userId: number, isWide: boolean): string =>
  bulkRefusal('approve', items, userId) ?? `J K move · A approve · R reject · X select${isWide ? '' : ' · Enter open'}`;

interface ItemPaneProps {
  record: ReactNode;
  isLoading: boolean;
  isMissing: boolean;
  /** Called when the record gets the focus. A focused record stays displayed after a decision by another user. */
  onFocus: () => void;
}

/** The pane beside the list, with the record of the displayed item. */
function ItemPane({ record, isLoading, isMissing, onFocus }: ItemPaneProps) {
  return (
    <section
      aria-label="Item"
      onFocus={onFocus}
      // The pane has the height of the list, so long records scroll inside it.
      className="relative min-h-0 rounded-md border border-hairline bg-surface"
    >
      {record !== false ? (
        <div className="absolute inset-0 flex flex-col">{record}</div>
      ) : isLoading ? (
        <div className="flex h-full flex-col gap-3 p-4" {...AWAITS_TEXT_FIELD}>
          <Skeleton className="w-2/3" />
          <Skeleton className="w-1/2" />
        </div>
      ) : isMissing ? (
        <EmptyState title="Item not found" description="It was recalled, or you have no access to it." />
      ) : (
        <EmptyState title="No item" description="Select an item in the list to see it here." />
      )}
    </section>
  );
}
