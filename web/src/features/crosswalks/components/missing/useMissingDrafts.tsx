/** Drafts a mapping for one missing value, or the best suggestions for many values, with a result for each value. */
import { BULK_ANSWER_ROWS } from '@rdm/contracts/constants';
import type { RowOutcome } from '@rdm/contracts/review/reviewed-rows';
import type { ReactNode } from 'react';
import type { VersionedRow } from '../../../../components/review/commands.ts';
import type { Outcome, RunningAction } from '../../../../components/row-outcomes/index.tsx';
import { notify } from '../../../../components/toast/index.ts';
import type { Undoable } from '../../../../components/undo-bar/index.tsx';
import { messageOf } from '../../../../lib/messages/index.ts';
import { formatNumber } from '../../../../lib/number-format.ts';
import { draftMappings, type NewMapping } from '../../api/mappings.ts';
import { type MissingMapping, mapMissing } from '../../api/missing.ts';
import { mappingsText } from '../mappings/review-words.ts';
import { draftInChunks, pairOf } from '../suggestions/acceptance.ts';
import { deleteDrafts, reportUndoRefusals } from '../suggestions/undo-drafts.ts';
import { useDraftUndoJob } from '../suggestions/useDraftUndoJob.tsx';

/** Groups the suggested pairs of rows by crosswalk id. Skips rows without a suggestion. */
export function pairsByCrosswalk(rows: readonly MissingMapping[]): Map<number, NewMapping[]> {
  const pairs = new Map<number, NewMapping[]>();
  for (const { crosswalkId, sourceValue, suggestion } of rows) {
    if (!suggestion) continue;
    pairs.set(crosswalkId, [...(pairs.get(crosswalkId) ?? []), pairOf(sourceValue, suggestion)]);
  }
  return pairs;
}

/** Why the suggestion of a row cannot be accepted; undefined if it can be accepted. */
export const reasonNotAcceptable = ({ suggestion, proposed }: MissingMapping): string | undefined => {
  if (proposed !== null)
    return proposed.status === 'DRAFT' ? 'The value has a draft already' : 'A mapping of the value waits for approval';
  return suggestion === null || suggestion === undefined ? 'There is no suggestion' : undefined;
};

export const valuesText = (count: number): string => `${formatNumber(count)} ${count === 1 ? 'value' : 'values'}`;

/** An action on many missing mappings: its progress, then its results. */
export interface MissingRun {
  title: string;
  running?: RunningAction;
  outcomes: Outcome[];
  note?: ReactNode;
}

/** The dependencies that the actions on missing mappings share. */
export interface MissingActionContext {
  show: (run: MissingRun) => void;
  reload: (crosswalkIds: Iterable<number>) => Promise<void>;
  onUndoable: (action: Undoable) => void;
}

/** A draft, with the command that created it. */
interface DraftedRow extends VersionedRow {
  commandId: string | undefined;
}

export function useMissingDrafts({ show, reload, onUndoable }: MissingActionContext) {
  const draftUndo = useDraftUndoJob();

  async function map(row: MissingMapping, target: Omit<NewMapping, 'sourceValue'>) {
    try {
      const { results, commandId } = await mapMissing(row.id, target);
      notify.success('Mapping drafted', {
        description: `${row.sourceValue} → ${target.targetValue}. The value stays listed until approval.`,
        href: `/crosswalks/${row.crosswalkId}/mappings?tab=draft`,
      });
      const drafted = results
        .filter(({ outcome }) => outcome === 'done')
        .map(({ id, revision }) => ({ id, revision: revision ?? 1, commandId }));
      offerUndo(new Map([[row.crosswalkId, drafted]]));
    } catch (error) {
      notify.error(messageOf(error), { title: `${row.sourceValue} was not mapped` });
    }
    await reload([row.crosswalkId]);
  }

  function offerUndo(drafted: ReadonlyMap<number, readonly DraftedRow[]>) {
    const count = [...drafted.values()].reduce((sum, rows) => sum + rows.length, 0);
    if (count === 0) return;
    onUndoable({
      text: `${mappingsText(count)} drafted.`,
      undo: async () => {
        const results: RowOutcome[] = [];
        for (const [crosswalkId, rows] of drafted) {
          if (rows.length > BULK_ANSWER_ROWS) {
            await draftUndo.undoAsJob(crosswalkId, [...new Set(rows.flatMap(({ commandId }) => commandId ?? []))]);
          } else results.push(...(await deleteDrafts(crosswalkId, rows)));
        }
        await reload(drafted.keys());
        reportUndoRefusals(results, mappingsText);
      },
    });
  }

  /**
   * Drafts the best suggestion of each row, page by page. Skips rows whose suggestion cannot be accepted. `total` is
   * the number of rows on all pages.
   */
  async function mapAll(pages: AsyncIterable<readonly MissingMapping[]>, total: number) {
    const outcomes: Outcome[] = [];
    const drafted = new Map<number, DraftedRow[]>();
    let checkedCount = 0;
    let skippedCount = 0;
    let failure: unknown;
    const showProgress = () =>
      show({ title: 'Drafting mappings…', running: { done: Math.min(checkedCount, total), total }, outcomes: [] });
    showProgress();
    try {
      for await (const rows of pages) {
        const acceptableRows = rows.filter((row) => reasonNotAcceptable(row) === undefined);
        skippedCount += rows.length - acceptableRows.length;
        for (const [crosswalkId, pairs] of pairsByCrosswalk(acceptableRows)) {
          const results = await draftInChunks(pairs, (chunk) => draftMappings(crosswalkId, chunk), showProgress);
          for (const { sourceValue, targetValue, outcome, message, drafted: row, commandId } of results) {
            const label = <span className="font-mono">{`${sourceValue} → ${targetValue}`}</span>;
            outcomes.push({ id: `${crosswalkId} ${sourceValue}`, label, outcome, message });
            if (row === undefined) continue;
            const draftsOfCrosswalk = drafted.get(crosswalkId);
            if (draftsOfCrosswalk === undefined) drafted.set(crosswalkId, [{ ...row, commandId }]);
            else draftsOfCrosswalk.push({ ...row, commandId });
          }
        }
        checkedCount += rows.length;
        showProgress();
      }
    } catch (error) {
      failure = error;
    }
    const note =
      skippedCount > 0 && `${valuesText(skippedCount)} had no suggestion, or already had a draft or a pending mapping.`;
    show({ title: 'Drafted', outcomes, note });
    if (failure !== undefined) notify.error(messageOf(failure), { title: 'Not all values were checked' });
    offerUndo(drafted);
    await reload(drafted.keys());
  }

  return { map, mapAll, bars: draftUndo.bars };
}
