/** Labels of the mapping tabs. */
import type { MappingTab } from '../../api/mappings.ts';

export const TAB_LABELS: Record<MappingTab, string> = {
  unmapped: 'Unmapped',
  suggested: 'Suggested',
  draft: 'Draft',
  pending: 'Pending',
  approved: 'Approved',
  rejected: 'Rejected',
  broken: 'Broken target',
  deleted: 'Deleted',
  dismissed: 'Dismissed',
};
