/** The tabs of values with their counts, and the tab to which an empty tab links. */
import { formatNumber } from '../../../lib/number-format.ts';
import { RELATIONSHIP_VALUE_TABS, type ValueTab } from '../api/values.ts';

export const TAB_LABELS: Record<ValueTab, string> = {
  draft: 'Draft',
  pending: 'Pending',
  approved: 'Approved',
  rejected: 'Rejected',
  broken: 'Broken',
  deleted: 'Deleted',
};

export const NEXT_TAB: Record<ValueTab, ValueTab> = {
  draft: 'approved',
  pending: 'draft',
  approved: 'pending',
  rejected: 'draft',
  broken: 'approved',
  deleted: 'draft',
};

/** While the counts are loading, `counts` is undefined and tabs show a dash. A tab without a count has no number. */
export const tabsWithCounts = (counts: Partial<Record<ValueTab, number | string>> | undefined) =>
  RELATIONSHIP_VALUE_TABS.map((value) => {
    const count = counts === undefined ? '–' : counts[value];
    return {
      value,
      label: TAB_LABELS[value],
      ...(count !== undefined && { count: typeof count === 'number' ? formatNumber(count) : count }),
    };
  });
