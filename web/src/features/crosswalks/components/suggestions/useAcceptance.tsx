/** Accepts candidates by drafting mappings: one candidate immediately, or many with progress and a result for each. */
import { BULK_ANSWER_ROWS } from '@rdm/contracts/constants';
import type { CrosswalkView } from '@rdm/contracts/crosswalks/crosswalks';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { VersionedRow } from '../../../../components/review/commands.ts';
import { OutcomesDialog, type RunningAction } from '../../../../components/row-outcomes/index.tsx';
import { notify } from '../../../../components/toast/index.ts';
import type { Undoable } from '../../../../components/undo-bar/index.tsx';
import { messageOf } from '../../../../lib/messages/index.ts';
import { draftMappings, type NewMapping } from '../../api/mappings.ts';
import { mappingsText } from '../mappings/review-words.ts';
import { draftAll, draftInChunks, type PairOutcome } from './acceptance.ts';
import { undoDrafts } from './undo-drafts.ts';
import { useDraftUndoJob } from './useDraftUndoJob.tsx';
import { useReload } from './useReload.ts';

/** The pairs that are not loaded yet. */
export interface RemainingPairs {
  count: number;
  loadNextPage: () => Promise<readonly NewMapping[]>;
}

export interface Acceptance {
  /** Source values that `acceptOne` drafts or has drafted. The page hides these values before the list is reloaded. */
  hiddenValues: ReadonlySet<string>;
  acceptOne: (pair: NewMapping) => Promise<void>;
  /** Accepts `pairs`, then the `remaining.count` pairs that `remaining` loads. */
  acceptMany: (pairs: readonly NewMapping[], note?: ReactNode, remaining?: RemainingPairs) => Promise<void>;
  dialog: ReactNode;
}

export function useAcceptance(crosswalk: CrosswalkView, onUndoable: (action: Undoable) => void): Acceptance {
  const queries = useQueryClient();
  const [hiddenValues, setHiddenValues] = useState<ReadonlySet<string>>(new Set());
  const [run, setRun] = useState<{ running?: RunningAction; outcomes: readonly PairOutcome[]; note?: ReactNode }>();
  const draftUndo = useDraftUndoJob();
  const { reload, reloadSoon } = useReload(crosswalk.id);
  const unhide = (sourceValue: string) =>
    setHiddenValues((values) => new Set([...values].filter((value) => value !== sourceValue)));

  function offerUndo(drafted: readonly VersionedRow[], sourceValues: readonly string[]) {
    if (drafted.length === 0) return;
    onUndoable({
      text: `${mappingsText(drafted.length)} drafted.`,
      undo: async () => {
        await undoDrafts(queries, crosswalk.id, drafted).finally(() => sourceValues.forEach(unhide));
      },
    });
  }

  return {
    hiddenValues,

    async acceptOne(pair) {
      setHiddenValues((values) => new Set([...values, pair.sourceValue]));
      try {
        const { results } = await draftMappings(crosswalk.id, [pair]);
        const drafted = results.flatMap(({ id, revision }) => ({ id, revision: revision ?? 1 }));
        offerUndo(drafted, [pair.sourceValue]);
        reloadSoon();
      } catch (error) {
        unhide(pair.sourceValue);
        notify.error(messageOf(error), { title: `${pair.sourceValue} was not mapped` });
        reloadSoon();
      }
    },

    async acceptMany(pairs, note, remaining) {
      const total = pairs.length + (remaining?.count ?? 0);
      setRun({ running: { done: 0, total }, outcomes: [], note });
      const draftPage = (pagePairs: readonly NewMapping[], doneBefore: number) =>
        draftInChunks(
          pagePairs,
          (rows) => draftMappings(crosswalk.id, rows),
          (done) => setRun({ running: { done: doneBefore + done, total }, outcomes: [], note }),
        );
      const outcomes = await draftAll(pairs, remaining?.loadNextPage ?? (async () => []), draftPage);
      const drafted = outcomes.flatMap((outcome) => outcome.drafted ?? []);
      if (drafted.length > BULK_ANSWER_ROWS) {
        const commandIds = [...new Set(outcomes.flatMap(({ commandId }) => commandId ?? []))];
        const undo = () => draftUndo.undoAsJob(crosswalk.id, commandIds);
        onUndoable({ text: `${mappingsText(drafted.length)} drafted.`, undo });
      } else offerUndo(drafted, []);
      setRun({ outcomes, note });
      await reload();
    },

    dialog: (
      <>
        {draftUndo.bars}
        {run !== undefined && (
          <OutcomesDialog
            title={run.running === undefined ? 'Drafted' : 'Drafting mappings…'}
            running={run.running}
            note={run.note}
            outcomes={run.outcomes.map(({ sourceValue, targetValue, outcome, message, changed }) => ({
              id: `${sourceValue} ${targetValue}`,
              label: (
                <span className="font-mono">
                  {sourceValue} → {targetValue}
                </span>
              ),
              outcome,
              message,
              changed,
            }))}
            onClose={() => setRun(undefined)}
          />
        )}
      </>
    ),
  };
}
