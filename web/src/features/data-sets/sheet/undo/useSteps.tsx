/** Undoes and redoes steps. Requests confirmation before later changes are overwritten. */
import type { InstanceView } from '@rdm/contracts/data-sets/instances';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { type Outcome, OutcomesDialog } from '../../../../components/row-outcomes/index.tsx';
import { notify } from '../../../../components/toast/index.ts';
import { messageOf } from '../../../../lib/messages/index.ts';
import { deleteInstances, type InstanceOutcome, reloadInstances, restoreInstances } from '../../api/instances.ts';
import type { Edits } from '../edits/edits.ts';
import { chunksOf, writeChunks } from '../row-writes.ts';
import { currentRows } from './current-rows.ts';
import {
  addStep,
  afterRedo,
  afterUndo,
  type ChangedCells,
  EMPTY_HISTORY,
  inverse,
  type LaterChange,
  laterChanges,
  type Step,
  type StepRow,
  withoutCells,
} from './history.ts';
import { type LaterChangesChoice, LaterChangesDialog } from './LaterChangesDialog.tsx';

/** A step that changes at most this many rows edits the overlay, like a user. A larger step is written in chunks. */
const OVERLAY_ROWS_MAX = 500;

interface PendingConfirmation {
  cells: LaterChange[];
  rows: StepRow[];
  onChoose: (choice: LaterChangesChoice) => void;
}

export interface UseStepsOptions {
  dataSetId: number;
  fields: readonly { name: string }[];
  edits: Edits;
  save: () => Promise<void>;
  rows: readonly InstanceView[];
  /**
   * Called after an undo or redo, even if it was cancelled or failed. The caller focuses the grid again, because its
   * rows may have been reloaded.
   */
  onStepDone: () => void;
}

export function useSteps({ dataSetId, fields, edits, save, rows, onStepDone }: UseStepsOptions) {
  const queries = useQueryClient();
  const [history, setHistory] = useState(EMPTY_HISTORY);
  const [pending, setPending] = useState<PendingConfirmation>();
  const [outcomes, setOutcomes] = useState<Outcome[]>();
  const busy = useRef(false);

  const confirmOverwrite = (cells: LaterChange[], changedRows: StepRow[]): Promise<LaterChangesChoice> =>
    new Promise((resolve) => {
      setPending({
        cells,
        rows: changedRows,
        onChoose: (choice) => {
          setPending(undefined);
          resolve(choice);
        },
      });
    });

  /** Returns the current rows of a step. Loads the rows that are not displayed. */
  async function rowsOf(step: Step): Promise<Map<number, InstanceView>> {
    const ids = [...step.cells, ...step.added].map(({ id }) => id);
    const displayedRows = new Map(rows.map((row) => [row.id, row]));
    const rowsById = new Map(
      ids.flatMap((id) => (displayedRows.has(id) ? [[id, displayedRows.get(id) as InstanceView]] : [])),
    );
    const otherIds = ids.filter((id) => !rowsById.has(id));
    for (const [id, row] of await currentRows(dataSetId, fields, otherIds)) rowsById.set(id, row);
    return rowsById;
  }

  /**
   * Performs a step, or the inverse of a step for an undo. Returns the performed part, with the new revisions of added
   * and deleted rows. Returns undefined if the user cancelled.
   */
  async function perform(step: Step): Promise<Step | undefined> {
    if (step.added.length + step.deleted.length > 0 || step.cells.length > OVERLAY_ROWS_MAX) await save();
    const inverseStep = inverse(step);
    // Rows that the step adds do not exist yet: read only the changed and deleted rows.
    const currentRowsById = await rowsOf({ ...inverseStep, added: step.deleted });
    const valueNow = (id: number, field: string) => {
      const row = currentRowsById.get(id);
      return row && edits.value(row, field);
    };
    const later = laterChanges(inverseStep.cells, valueNow);
    const changedRows = step.deleted.filter(({ id, data }) =>
      Object.entries(data).some(([field, value]) => currentRowsById.has(id) && valueNow(id, field) !== value),
    );
    let { cells, deleted } = step;
    if (later.length + changedRows.length > 0) {
      const choice = await confirmOverwrite(later, changedRows);
      if (choice === 'cancel') return undefined;
      if (choice === 'keep') {
        cells = withoutCells(cells, later);
        deleted = deleted.filter((row) => !changedRows.includes(row));
      }
    }

    const refused: Outcome[] = [];
    const performed = { ...step, cells: [] as ChangedCells[], added: [] as StepRow[], deleted: [] as StepRow[] };
    const existingRows = cells.flatMap((change) => {
      const row = currentRowsById.get(change.id);
      if (row === undefined) refused.push(refusedOutcome(change, 'This row was deleted in the meantime'));
      return row === undefined ? [] : [{ change, row }];
    });
    if (existingRows.length > OVERLAY_ROWS_MAX) {
      const toWrite = existingRows.map(({ change, row }) => ({
        id: row.id,
        revision: row.revision,
        key: row.key,
        data: change.after,
        before: change.before,
      }));
      const written = await writeChunks(dataSetId, chunksOf(toWrite), () => undefined);
      performed.cells.push(...written.step.cells);
      refused.push(...written.refused);
      for (const { rows: unconfirmedRows } of written.unconfirmed) {
        for (const row of unconfirmedRows)
          refused.push(refusedOutcome({ id: row.id ?? 0, key: row.key }, written.unconfirmedReason ?? ''));
      }
    } else if (existingRows.length > 0) {
      edits.edit(...existingRows.map(({ change, row }) => ({ row, cells: change.after })));
      performed.cells.push(...existingRows.map(({ change }) => change));
    }
    if (deleted.length > 0) {
      const rowsToDelete = deleted.flatMap(({ id }) => currentRowsById.get(id) ?? []);
      const { results } = await deleteInstances(dataSetId, rowsToDelete);
      performed.deleted.push(...writtenRows(deleted, results, refused));
    }
    if (step.added.length > 0) {
      const { results } = await restoreInstances(dataSetId, step.added);
      performed.added.push(...writtenRows(step.added, results, refused));
    }
    if (existingRows.length > OVERLAY_ROWS_MAX || step.added.length + step.deleted.length > 0) {
      await reloadInstances(queries, dataSetId);
    }
    if (refused.length > 0) setOutcomes(refused);
    return performed;
  }

  async function run(direction: 'undo' | 'redo'): Promise<void> {
    const step = direction === 'undo' ? history.past.at(-1) : history.future.at(-1);
    if (step === undefined || busy.current) return;
    busy.current = true;
    try {
      const performed = await perform(direction === 'undo' ? inverse(step) : step);
      if (performed === undefined) return;
      if (direction === 'undo') setHistory((current) => afterUndo(current, inverse(performed)));
      else setHistory((current) => afterRedo(current, performed));
    } catch (error) {
      notify.error(messageOf(error), {
        title: direction === 'undo' ? 'This could not be undone' : 'This could not be redone',
      });
    } finally {
      busy.current = false;
      onStepDone();
    }
  }

  const dialogs = (
    <>
      {pending !== undefined && (
        <LaterChangesDialog cells={pending.cells} rows={pending.rows} onChoose={pending.onChoose} />
      )}
      {outcomes !== undefined && (
        <OutcomesDialog title="Not all rows were changed" outcomes={outcomes} onClose={() => setOutcomes(undefined)} />
      )}
    </>
  );
  return {
    history,
    record: (step: Step) => setHistory((current) => addStep(current, step)),
    undo: () => run('undo'),
    redo: () => run('redo'),
    dialogs,
  };
}

const refusedOutcome = ({ id, key }: { id: number; key: string }, message: string): Outcome => ({
  id,
  label: key,
  outcome: 'refused',
  message,
});

/** Returns the written rows with their new revisions, and adds the refused rows to `refused`. */
function writtenRows(rows: readonly StepRow[], results: readonly InstanceOutcome[], refused: Outcome[]): StepRow[] {
  const byId = new Map(results.map((result) => [result.id, result]));
  return rows.flatMap((row) => {
    const result = byId.get(row.id);
    if (result?.outcome === 'done') return [{ ...row, revision: result.revision ?? row.revision }];
    refused.push(refusedOutcome(row, result?.message ?? 'This row no longer exists'));
    return [];
  });
}
