/** The item whose record is displayed: the one in the URL, or the first of the list. */
import type { ApprovalView } from '@rdm/contracts/approvals/approvals';
import { useQuery } from '@tanstack/react-query';
import { parseAsString, useQueryState } from 'nuqs';
import { useEffect, useState } from 'react';
import { type ApprovalTab, itemKey, itemQuery } from '../api/approvals.ts';

/** @param isListed The items are those of the current list, not of the one before. */
export function useShownItem(tab: ApprovalTab, items: readonly ApprovalView[], isListed: boolean) {
  const [itemParam, setItemParam] = useQueryState('item', parseAsString);
  const inList = items.find((item) => itemKey(item) === itemParam);
  const [last, setLast] = useState<ApprovalView>();
  if (inList !== undefined && inList !== last) setLast(inList);
  // The item of a link may be on another page, in another tab, or gone.
  const isAway = itemParam !== null && inList === undefined && isListed;
  const elsewhere = useQuery({ ...itemQuery(tab, itemParam ?? ''), enabled: isAway });
  const found = isAway ? elsewhere.data : undefined;
  /** The displayed item stays displayed when another user decides it. */
  const kept = last !== undefined && itemKey(last) === itemParam ? last : undefined;
  const shown = inList ?? found?.item ?? kept ?? (itemParam === null ? items[0] : undefined);

  // A link without a submission time refers to the item that was found.
  const foundKey = found ? itemKey(found.item) : undefined;
  useEffect(() => {
    if (foundKey !== undefined && foundKey !== itemParam) void setItemParam(foundKey);
  }, [foundKey, itemParam, setItemParam]);

  return {
    shown,
    /** It no longer waits for a review. */
    isGone: tab === 'review' && shown !== undefined && found !== undefined && found?.tab !== 'review',
    isLoading: isAway && elsewhere.isPending,
    /** The item of the URL does not exist, or the user may not read it. */
    isMissing: found === null,
    itemParam,
    setItemParam,
  };
}
