/** Runs review verbs on the mappings of one tab. */
import type { CrosswalkView } from '@rdm/contracts/crosswalks/crosswalks';
import type { MappingView } from '@rdm/contracts/crosswalks/mappings';
import type { Page } from '@rdm/contracts/lists/filter';
import type { RowOutcome } from '@rdm/contracts/review/reviewed-rows';
import { useQueryClient } from '@tanstack/react-query';
import { sendReview } from '../../../../components/review/commands.ts';
import { useItemLink } from '../../../../components/review/use-item-link.ts';
import { type Review, useReview } from '../../../../components/review/use-review.tsx';
import type { ReviewStatus, RowVerb } from '../../../../components/review/verbs.ts';
import type { Undoable } from '../../../../components/undo-bar/index.tsx';
import { read } from '../../../../lib/api/index.ts';
import { fieldIn } from '../../../../lib/filters/field-in.ts';
import { reloadCrosswalk } from '../../api/crosswalks.ts';
import { mappingsPath } from '../../api/mappings.ts';
import { mappingsText, mappingWords } from './review-words.ts';

export const pairText = ({ sourceValue, targetValue }: MappingView) => `${sourceValue} → ${targetValue}`;

/**
 * Loads the texts of mappings, by id. On the tab of deleted mappings, also searches the existing mappings, because a
 * mapping may have been restored.
 */
export async function loadPairTexts(
  crosswalkId: number,
  tab: ReviewStatus | 'broken',
  results: readonly Pick<RowOutcome, 'id'>[],
): Promise<Map<number, string>> {
  const ids = results.map(({ id }) => id);
  const pages = await Promise.all(
    (tab === 'deleted' ? [undefined, tab] : [undefined]).map((tabParameter) =>
      read<Page<MappingView>>(mappingsPath(crosswalkId), {
        query: { filter: fieldIn('id', ids), pageSize: ids.length, tab: tabParameter },
      }),
    ),
  );
  return new Map(pages.flatMap(({ items }) => items.map((row) => [row.id, pairText(row)] as const)));
}

export function useMappingReview(
  crosswalk: CrosswalkView,
  tab: ReviewStatus | 'broken',
  onUndoable: (action: Undoable) => void,
  warningOf: (verb: RowVerb, rows: readonly MappingView[]) => string | undefined,
): Review<MappingView> {
  const queries = useQueryClient();
  const itemLink = useItemLink();
  return useReview<MappingView, RowOutcome>({
    labelOf: pairText,
    labelsOf: (results) => loadPairTexts(crosswalk.id, tab, results),
    fallbackLabelOf: (id) => `Mapping ${id}`,
    countText: mappingsText,
    words: mappingWords(crosswalk),
    send: (verb, selection, comment) => sendReview(mappingsPath(crosswalk.id), verb, selection, comment),
    resultOf: ({ id }) => ({ id }),
    hasTabs: true,
    linkOf: ({ id }) => itemLink({ kind: 'mapping', parentId: crosswalk.id, id }),
    reload: () => reloadCrosswalk(queries, crosswalk.id),
    // The tab of broken mappings contains rows of every status, so the status of the row decides.
    isServed: (row) => (tab === 'broken' ? row?.status === 'APPROVED' : tab === 'approved'),
    onUndoable,
    parent: { kind: 'crosswalk', id: crosswalk.id },
    warningOf,
  });
}
