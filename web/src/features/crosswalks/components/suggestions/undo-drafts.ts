/** Undoes accepted suggestions: deletes their drafts. */
import type { RowOutcome } from '@rdm/contracts/review/reviewed-rows';
import type { QueryClient } from '@tanstack/react-query';
import type { VersionedRow } from '../../../../components/review/commands.ts';
import { notify } from '../../../../components/toast/index.ts';
import { reloadCrosswalk } from '../../api/crosswalks.ts';
import { reviewMappings } from '../../api/mappings.ts';
import { mappingsText } from '../mappings/review-words.ts';

/** The maximum number of drafts in a request. */
const CHUNK = 1_000;

/** Reports how many rows the server refused to undo, with the reason for the first of these rows. */
export function reportUndoRefusals(results: readonly RowOutcome[], countText: (count: number) => string): void {
  const refused = results.filter(({ outcome }) => outcome === 'refused');
  const [first] = refused;
  if (first === undefined) return;
  notify.error(`The undo of ${countText(refused.length)} was refused: ${first.message ?? 'changed in the meantime'}`, {
    title: 'Undone as far as possible',
  });
}

export async function deleteDrafts(crosswalkId: number, drafted: readonly VersionedRow[]): Promise<RowOutcome[]> {
  const results: RowOutcome[] = [];
  for (let start = 0; start < drafted.length; start += CHUNK) {
    const rows = drafted.slice(start, start + CHUNK);
    results.push(...(await reviewMappings(crosswalkId, 'delete', { rows })).results);
  }
  return results;
}

export async function undoDrafts(
  queries: QueryClient,
  crosswalkId: number,
  drafted: readonly VersionedRow[],
): Promise<void> {
  const results = await deleteDrafts(crosswalkId, drafted).finally(() => reloadCrosswalk(queries, crosswalkId));
  reportUndoRefusals(results, mappingsText);
}
