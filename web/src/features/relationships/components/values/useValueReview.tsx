/** Runs review verbs on the values of one or several relationships. */

import type { SelectionView } from '@rdm/contracts/approvals/approvals';
import type { DecidedAsJob } from '@rdm/contracts/jobs/bulk-decisions';
import type { RowOutcome } from '@rdm/contracts/review/reviewed-rows';
import { useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { type RowSelection, sendReview } from '../../../../components/review/commands.ts';
import { useItemLink } from '../../../../components/review/use-item-link.ts';
import { type Review, useReview } from '../../../../components/review/use-review.tsx';
import { VERB_WORDS } from '../../../../components/review/verbs.ts';
import type { Undoable } from '../../../../components/undo-bar/index.tsx';
import type { ListParams } from '../../../../lib/url-state/list-state.ts';
import { relationshipsKey } from '../../api/relationships.ts';
import { currentValues, freezeValues, type ValueRow, type ValueTab, valuesPath } from '../../api/values.ts';
import { valuesText } from '../cardinality-labels.ts';
import { pairText, statusTab } from '../review-words.ts';

interface ValueOutcome extends RowOutcome {
  relationshipId: number;
}

function byRelationship<Row extends { relationshipId: number }>(rows: readonly Row[]): Map<number, Row[]> {
  const groups = new Map<number, Row[]>();
  for (const row of rows) groups.set(row.relationshipId, [...(groups.get(row.relationshipId) ?? []), row]);
  return groups;
}

/**
 * Loads the pair of each value as a text, by id. For the tab of deleted values, also reads deleted values, because the
 * server may have refused to restore some of them.
 */
export async function loadPairTexts(
  tab: ValueTab,
  results: readonly Pick<ValueOutcome, 'id' | 'relationshipId'>[],
): Promise<Map<number, string>> {
  const labels = new Map<number, string>();
  for (const [relationshipId, group] of byRelationship(results)) {
    const ids = group.map(({ id }) => id);
    const rows = await currentValues(relationshipId, ids);
    if (tab === 'deleted') rows.push(...(await currentValues(relationshipId, ids, tab)));
    for (const row of rows) labels.set(row.id, pairText(row));
  }
  return labels;
}

/**
 * `relationshipId` is undefined for a list with values of several relationships. A verb then sends one request per
 * relationship.
 */
export function useValueReview(
  relationshipId: number | undefined,
  tab: ValueTab,
  onUndoable: (action: Undoable) => void,
): Review<ValueRow> & { freeze: (params: ListParams) => Promise<SelectionView> } {
  const queries = useQueryClient();
  const itemLink = useItemLink();
  const relationshipIdsBySelection = useRef(new Map<string, readonly number[]>());
  const review = useReview<ValueRow, ValueOutcome>({
    labelOf: pairText,
    labelsOf: (results) => loadPairTexts(tab, results),
    fallbackLabelOf: (id) => `Value ${id}`,
    countText: valuesText,
    words: VERB_WORDS,
    hasTabs: true,
    async send(verb, selection, comment) {
      const results: ValueOutcome[] = [];
      const commandIds: string[] = [];
      const jobs: DecidedAsJob[] = [];
      const reviewRows = async (id: number, rows: RowSelection) => {
        const response = await sendReview(valuesPath(id), verb, rows, comment);
        jobs.push(...response.jobs);
        commandIds.push(...response.commandIds);
        results.push(...response.results.map((result) => ({ ...result, relationshipId: id })));
      };
      if ('rows' in selection) for (const [id, rows] of byRelationship(selection.rows)) await reviewRows(id, { rows });
      else
        for (const id of relationshipIdsBySelection.current.get(selection.selectionId) ?? [])
          await reviewRows(id, selection);
      return { results, commandIds, jobs };
    },
    resultOf: ({ id, parentId }) => ({ id, relationshipId: parentId }),
    linkOf: ({ id, relationshipId: parentId }) => itemLink({ kind: 'relationship-value', parentId, id }),
    reload: () => queries.invalidateQueries({ queryKey: relationshipsKey }),
    isServed: (row) => (row === undefined ? tab : statusTab(row)) === 'approved',
    onUndoable,
    parent: relationshipId === undefined ? undefined : { kind: 'relationship', id: relationshipId },
  });

  return {
    ...review,
    async freeze(params) {
      const storedSelection = await freezeValues(relationshipId ?? 'all', tab, params);
      relationshipIdsBySelection.current.set(
        storedSelection.selectionId,
        relationshipId === undefined ? (storedSelection.parents ?? []) : [relationshipId],
      );
      return storedSelection;
    },
  };
}
