/** Dismisses one or many suggestions: hides them immediately, lists the refused pairs, and offers an undo. */

import { type MappedPair, pairKey } from '@rdm/contracts/crosswalks/mappings';
import type { RowOutcome } from '@rdm/contracts/review/reviewed-rows';
import { type ReactNode, useCallback, useState } from 'react';
import { lastChangeOf, OutcomesDialog } from '../../../../components/row-outcomes/index.tsx';
import { notify } from '../../../../components/toast/index.ts';
import type { Undoable } from '../../../../components/undo-bar/index.tsx';
import { messageOf, rowMessage } from '../../../../lib/messages/index.ts';
import { formatNumber } from '../../../../lib/number-format.ts';
import { dismissSuggestions, restoreSuggestions } from '../../api/mappings.ts';
import { useReload } from './useReload.ts';

export const suggestionsText = (count: number): string =>
  `${formatNumber(count)} ${count === 1 ? 'suggestion' : 'suggestions'}`;

const Pair = ({ pair }: { pair: MappedPair | undefined }) => (
  <span className="font-mono">
    {pair?.sourceValue} → {pair?.targetValue}
  </span>
);

export interface Dismissal {
  /** Whether the page hides the pair, which the list may still contain. */
  isDismissed: (pair: MappedPair) => boolean;
  dismiss: (pairs: readonly MappedPair[]) => Promise<void>;
  dialog: ReactNode;
}

export function useDismissal(crosswalkId: number, onUndoable: (action: Undoable) => void): Dismissal {
  const [hiddenPairs, setHiddenPairs] = useState<ReadonlySet<string>>(new Set());
  const [shownResults, setShownResults] = useState<{ pairs: readonly MappedPair[]; results: readonly RowOutcome[] }>();
  const { reload, reloadSoon } = useReload(crosswalkId);
  const unhide = (pairs: readonly MappedPair[]) => {
    const keys = new Set(pairs.map(pairKey));
    setHiddenPairs((hidden) => new Set([...hidden].filter((key) => !keys.has(key))));
  };

  async function undoDismissal(ids: readonly number[], pairs: readonly MappedPair[]) {
    const { results } = await restoreSuggestions(crosswalkId, ids).finally(reload);
    unhide(pairs);
    const refused = results.filter(({ outcome }) => outcome === 'refused');
    if (refused.length === 0) return;
    notify.error(`${suggestionsText(refused.length)}: the dismissal was undone in the meantime.`, {
      title: 'Undone as far as possible',
    });
  }

  const isDismissed = useCallback((pair: MappedPair) => hiddenPairs.has(pairKey(pair)), [hiddenPairs]);

  return {
    isDismissed,

    async dismiss(pairs) {
      setHiddenPairs((hidden) => new Set([...hidden, ...pairs.map(pairKey)]));
      try {
        const { results } = await dismissSuggestions(crosswalkId, pairs);
        const doneResults = results.filter(({ outcome }) => outcome === 'done');
        unhide(results.flatMap(({ outcome, index = 0 }) => (outcome === 'refused' ? (pairs[index] ?? []) : [])));
        const [first] = pairs;
        if (doneResults.length > 0) {
          onUndoable({
            text:
              pairs.length === 1 ? (
                <>
                  Dismissed: <Pair pair={first} />.
                </>
              ) : (
                `${suggestionsText(doneResults.length)} dismissed.`
              ),
            undo: () =>
              undoDismissal(
                doneResults.map(({ id }) => id),
                pairs,
              ),
          });
        }
        if (doneResults.length < results.length) setShownResults({ pairs, results });
        reloadSoon();
      } catch (error) {
        unhide(pairs);
        notify.error(messageOf(error), {
          title: pairs.length === 1 ? 'The suggestion was not dismissed' : 'The suggestions were not dismissed',
        });
        reloadSoon();
      }
    },

    dialog: shownResults !== undefined && (
      <OutcomesDialog
        title="Dismissed"
        outcomes={shownResults.results.map((result) => ({
          id: result.index ?? result.id,
          label: <Pair pair={shownResults.pairs[result.index ?? 0]} />,
          outcome: result.outcome,
          message: rowMessage(result),
          changed: lastChangeOf(result),
        }))}
        onClose={() => setShownResults(undefined)}
      />
    ),
  };
}
