/** The label of the export of one tab of a list. */
import type { ListParams } from '../../lib/url-state/list-state.ts';

/** Names the exported rows, such as “Drafts that match the search” or “All drafts”. */
export function tabExportLabel(rows: string, { q, filter }: Pick<ListParams, 'q' | 'filter'>): string {
  const criteria = [...(q === undefined ? [] : ['the search']), ...(filter === undefined ? [] : ['the filter'])];
  if (criteria.length > 0) return `${rows} that match ${criteria.join(' and ')}`;
  return `All ${rows.charAt(0).toLowerCase()}${rows.slice(1)}`;
}
