/** The item whose record is displayed: the item in the URL, or the first item of the list. */
import type { ApprovalView } from '@rdm/contracts/approvals/approvals';
import { useQuery } from '@tanstack/react-query';
import { parseAsString, useQueryState } from 'nuqs';
import { useEffect, useState } from 'react';
import { type ApprovalTab, itemKey, itemQuery } from '../api/approvals.ts';

/** @param isListCurrent Whether `items` belong to the current tab and group. */
export function useShownItem(tab: ApprovalTab, items: readonly ApprovalView[], isListCurrent: boolean) {
  const [itemParam, setItemParam] = useQueryState('item', parseAsString);
  const itemInList = items.find((item) => itemKey(item) === itemParam);
  const [lastItem, setLastItem] = useState<ApprovalView>();
  // The item of a link may be on another page or in another tab, or may no longer exist.
  const isOutsideList = itemParam !== null && itemInList === undefined && isListCurrent;
  const itemOutsideList = useQuery({ ...itemQuery(tab, itemParam ?? ''), enabled: isOutsideList });
  const foundItem = isOutsideList ? itemOutsideList.data : undefined;
  const current = itemInList ?? foundItem?.item;
  if (current !== undefined && current !== lastItem) setLastItem(current);
  /** The last found version of the item in the URL, to display the item after it has left the list. */
  const lastShown = lastItem !== undefined && itemKey(lastItem) === itemParam ? lastItem : undefined;
  const shown = current ?? lastShown ?? (itemParam === null && isListCurrent ? items[0] : undefined);

  // Replaces the key in the URL by the full key: a link may lack the time of the submission or of an undo.
  const foundKey = foundItem ? itemKey(foundItem.item) : undefined;
  useEffect(() => {
    if (foundKey !== undefined && foundKey !== itemParam) void setItemParam(foundKey);
  }, [foundKey, itemParam, setItemParam]);

  return {
    shown,
    /** Whether the displayed item no longer waits for a review. */
    isGone: tab === 'review' && shown !== undefined && foundItem !== undefined && foundItem?.tab !== 'review',
    isLoading: !isListCurrent || (isOutsideList && itemOutsideList.isPending),
    /** Whether the item of the URL does not exist or the user may not read it. */
    isMissing: foundItem === null,
    itemParam,
    setItemParam,
  };
}
