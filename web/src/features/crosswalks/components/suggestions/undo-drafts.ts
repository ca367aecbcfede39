/** Undoes accepted suggestions: deletes their drafts. */
import type { RowOutcome } from '@rdm/contracts/review/reviewed-rows';
import type { QueryClient } from '@tanstack/react-query';
import { notify } from '../../../../components/toast/index.ts';
import { reloadCrosswalk } from '../../api/crosswalks.ts';
import { reviewMappings } from '../../api/mappings.ts';
import { mappingsText } from '../mappings/review-words.ts';

/** The number of drafts in one request. */
const CHUNK = 1_000;

export type DraftVersions = readonly { id: number; revision: number }[];

/** Reports the drafts that are kept because they were changed since. */
export async function undoDrafts(queries: QueryClient, crosswalkId: number, drafted: DraftVersions): Promise<void> {
  const kept: RowOutcome[] = [];
  try {
    for (let start = 0; start < drafted.length; start += CHUNK) {
      const { results } = await reviewMappings(crosswalkId, 'delete', { rows: drafted.slice(start, start + CHUNK) });
      kept.push(...results.filter(({ outcome }) => outcome === 'refused'));
    }
  } finally {
    await reloadCrosswalk(queries, crosswalkId);
  }
  const [first] = kept;
  if (first === undefined) return;
  notify.error(`${mappingsText(kept.length)} stayed: ${first.message ?? 'changed in the meantime'}`, {
    title: 'Undone as far as possible',
  });
}
