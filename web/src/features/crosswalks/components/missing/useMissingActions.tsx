/** Maps, ignores or reopens missing mappings, reports refusals, and offers an undo. */
import type { RowOutcome } from '@rdm/contracts/review/reviewed-rows';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Outcome, OutcomesDialog } from '../../../../components/row-outcomes/index.tsx';
import { notify } from '../../../../components/toast/index.ts';
import type { Undoable } from '../../../../components/undo-bar/index.tsx';
import { messageOf, rowMessage } from '../../../../lib/messages/index.ts';
import { reloadCrosswalk } from '../../api/crosswalks.ts';
import {
  decideMissing,
  ignoreMissing,
  type MissingMapping,
  type MissingSelection,
  missingMappingValues,
  reopenMissing,
} from '../../api/missing.ts';
import { reportUndoRefusals } from '../suggestions/undo-drafts.ts';
import { type MissingActionContext, type MissingRun, useMissingDrafts, valuesText } from './useMissingDrafts.tsx';

/** The missing mappings selected on the page or, with a `selectionId`, all that match the filter. */
export type ChosenRows = { rows: readonly MissingMapping[]; selectionId: string | undefined; count: number };

const toMissingSelection = ({ rows, selectionId, count }: ChosenRows): MissingSelection =>
  selectionId === undefined ? { ids: rows.map(({ id }) => id) } : { selectionId, count };

const RUNNING_WORDS = { ignore: 'Ignoring…', reopen: 'Updating…' } as const;
const DONE_WORDS = { ignore: 'Ignored', reopen: 'No longer ignored' } as const;
/** The verb that undoes each action. The undo of a reopening ignores the values again with their previous reasons. */
const UNDO_VERBS = { ignore: 'reopen', reopen: 'ignoreAgain' } as const;

const crosswalkIdsOf = (rows: readonly MissingMapping[]) => rows.map((row) => row.crosswalkId);

export function useMissingActions(onUndoable: (action: Undoable) => void) {
  const queries = useQueryClient();
  const [run, setRun] = useState<MissingRun>();
  const context: MissingActionContext = {
    show: setRun,
    async reload(crosswalkIds) {
      await queries.invalidateQueries({ queryKey: ['missing-mappings'] });
      for (const id of new Set(crosswalkIds)) await reloadCrosswalk(queries, id);
    },
    onUndoable,
  };
  const drafts = useMissingDrafts(context);
  const decisions = useMissingDecisions(context);

  return {
    ...decisions,
    map: drafts.map,
    mapAll: drafts.mapAll,
    dialog: (
      <>
        {drafts.bars}
        {run !== undefined && (
          <OutcomesDialog
            title={run.title}
            running={run.running}
            outcomes={run.outcomes}
            note={run.note}
            onClose={() => setRun(undefined)}
          />
        )}
      </>
    ),
  };
}

/** Ignores or reopens missing mappings. */
function useMissingDecisions({ show, reload, onUndoable }: MissingActionContext) {
  const [busy, setBusy] = useState(false);

  /** Ignores or reopens a single row, and reports the result in a toast. */
  async function decideOne(row: MissingMapping, verb: 'ignore' | 'reopen', send: () => Promise<unknown>) {
    setBusy(true);
    try {
      await send();
      notify.success(DONE_WORDS[verb], { description: row.sourceValue });
      offerUndo(verb, [row.id], crosswalkIdsOf([row]));
    } catch (error) {
      notify.error(messageOf(error), { title: `${row.sourceValue} was not changed` });
    }
    setBusy(false);
    await reload(crosswalkIdsOf([row]));
  }

  function offerUndo(verb: 'ignore' | 'reopen', ids: readonly number[], crosswalkIds: readonly number[]) {
    onUndoable({
      text: `${DONE_WORDS[verb]}: ${valuesText(ids.length)}.`,
      undo: async () => {
        const undoResults: RowOutcome[] = [];
        try {
          await decideMissing(UNDO_VERBS[verb], { ids }, undefined, (results) => undoResults.push(...results));
        } finally {
          await reload(crosswalkIds);
        }
        reportUndoRefusals(undoResults, valuesText);
      },
    });
  }

  /** Ignores or reopens many rows in several requests. A dialog shows the progress, then the refused rows. */
  async function decideMany(verb: 'ignore' | 'reopen', chosen: ChosenRows, comment?: string) {
    setBusy(true);
    const allResults: RowOutcome[] = [];
    const showProgress = () =>
      show({ title: RUNNING_WORDS[verb], running: { done: allResults.length, total: chosen.count }, outcomes: [] });
    showProgress();
    try {
      await decideMissing(verb, toMissingSelection(chosen), comment, (results) => {
        allResults.push(...results);
        showProgress();
      });
    } catch (error) {
      notify.error(messageOf(error), { title: 'Not all values were processed' });
    }
    const doneIds = allResults.flatMap(({ id, outcome }) => (outcome === 'done' ? [id] : []));
    if (doneIds.length > 0) offerUndo(verb, doneIds, crosswalkIdsOf(chosen.rows));
    const valueById = new Map(chosen.rows.map(({ id, sourceValue }) => [id, sourceValue]));
    const idsWithoutValue = allResults.flatMap(({ id, outcome }) =>
      outcome === 'done' || valueById.has(id) ? [] : [id],
    );
    // Rows whose source values cannot be loaded are listed by their ids.
    const loadedValues = await missingMappingValues(idsWithoutValue).catch(() => new Map<number, string>());
    const outcomes = allResults.map((result): Outcome => {
      const label = (
        <span className="font-mono">
          {valueById.get(result.id) ?? loadedValues.get(result.id) ?? `Missing mapping ${result.id}`}
        </span>
      );
      return { id: result.id, label, outcome: result.outcome, message: rowMessage(result) };
    });
    show({ title: DONE_WORDS[verb], outcomes });
    setBusy(false);
    await reload(crosswalkIdsOf(chosen.rows));
  }

  return {
    busy,
    /** Calls `onAccepted` when the dialog can close: after the success of a single row, or before the first of many. */
    ignore: (chosen: ChosenRows, reason: string, onAccepted: () => void) => {
      const [row] = chosen.rows;
      if (row !== undefined && chosen.count === 1)
        return decideOne(row, 'ignore', () => ignoreMissing(row.id, reason).then(onAccepted));
      onAccepted();
      return decideMany('ignore', chosen, reason);
    },
    reopen: (chosen: ChosenRows) => {
      const [row] = chosen.rows;
      return row !== undefined && chosen.count === 1
        ? decideOne(row, 'reopen', () => reopenMissing(row.id))
        : decideMany('reopen', chosen);
    },
  };
}
