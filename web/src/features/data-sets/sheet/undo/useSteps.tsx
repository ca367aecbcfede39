/** Undoes and redoes steps. If that would overwrite later changes, first lists them and requests confirmation. */
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

/** More rows than this are written in chunks with a result for each row; fewer are edited in the overlay, like typed cells. */
const OVERLAY_ROWS_MAX = 500;

interface PendingConfirmation {
  cells: LaterChange[];
  rows: StepRow[];
  answer: (choice: LaterChangesChoice) => void;
}

export interface UseStepsOptions {
  dataSetId: number;
  fields: readonly { name: string }[];
  edits: Edits;
  save: () => Promise<void>;
  rows: readonly InstanceView[];
  /** Called after an undo or redo; the caller returns the focus to the cursor, because the rows may have been reloaded. */
  onStepDone: () => void;
}

export function useSteps({ dataSetId, fields, edits, save, rows, onStepDone }: UseStepsOptions) {
  const queries = useQueryClient();
  const [steps, setSteps] = useState(EMPTY_HISTORY);
  const [pending, setPending] = useState<PendingConfirmation>();
  const [outcomes, setOutcomes] = useState<Outcome[]>();
  const busy = useRef(false);

  const confirmOverwrite = (cells: LaterChange[], changedRows: StepRow[]): Promise<LaterChangesChoice> =>
    new Promise((resolve) => {
      setPending({
        cells,
        rows: changedRows,
        answer: (choice) => {
          setPending(undefined);
          resolve(choice);
        },
      });
    });

  /** The current rows of a step: as displayed if they are loaded, otherwise as stored. */
  async function rowsOf(step: Step): Promise<Map<number, InstanceView>> {
    const ids = [...step.cells, ...step.added].map(({ id }) => id);
    const displayedRows = new Map(rows.map((row) => [row.id, row]));
    const known = new Map(
      ids.flatMap((id) => (displayedRows.has(id) ? [[id, displayedRows.get(id) as InstanceView]] : [])),
    );
    const otherIds = ids.filter((id) => !known.has(id));
    for (const [id, row] of await currentRows(dataSetId, fields, otherIds)) known.set(id, row);
    return known;
  }

  /**
   * Carries out a step: for a redo the step itself, for an undo its inverse. Returns the part that was carried out, with the new
   * revisions of the rows; undefined if the user cancelled.
   */
  async function perform(step: Step): Promise<Step | undefined> {
    if (step.added.length + step.deleted.length > 0 || step.cells.length > OVERLAY_ROWS_MAX) await save();
    const inverseStep = inverse(step);
    // The rows that the step adds do not exist now, so only the rows that it changes or deletes are read.
    const now = await rowsOf({ ...inverseStep, added: step.deleted });
    const valueNow = (id: number, field: string) => {
      const row = now.get(id);
      return row && edits.value(row, field);
    };
    const later = laterChanges(inverseStep.cells, valueNow);
    const changedRows = step.deleted.filter(({ id, data }) =>
      Object.entries(data).some(([field, value]) => now.has(id) && valueNow(id, field) !== value),
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
    const existingRows = cells.flatMap((each) => {
      const row = now.get(each.id);
      if (row === undefined) refused.push(refusedOutcome(each, 'This row was deleted in the meantime'));
      return row === undefined ? [] : [{ each, row }];
    });
    if (existingRows.length > OVERLAY_ROWS_MAX) {
      const toWrite = existingRows.map(({ each, row }) => ({
        id: row.id,
        revision: row.revision,
        key: row.key,
        data: each.after,
        before: each.before,
      }));
      const written = await writeChunks(dataSetId, chunksOf(toWrite), () => undefined);
      performed.cells.push(...written.step.cells);
      refused.push(...written.refused);
      for (const { rows: unsent } of written.unsent) {
        for (const row of unsent) refused.push(refusedOutcome({ id: row.id ?? 0, key: row.key }, written.why ?? ''));
      }
    } else if (existingRows.length > 0) {
      edits.edit(...existingRows.map(({ each, row }) => ({ row, cells: each.after })));
      performed.cells.push(...existingRows.map(({ each }) => each));
    }
    if (deleted.length > 0) {
      const rowsToDelete = deleted.flatMap(({ id }) => now.get(id) ?? []);
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
    const step = direction === 'undo' ? steps.past.at(-1) : steps.future.at(-1);
    if (step === undefined || busy.current) return;
    busy.current = true;
    try {
      const performed = await perform(direction === 'undo' ? inverse(step) : step);
      if (performed === undefined) return;
      if (direction === 'undo') setSteps((known) => afterUndo(known, inverse(performed)));
      else setSteps((known) => afterRedo(known, performed));
    } catch (error) {
      notify.error(messageOf(error), { title: direction === 'undo' ? 'This could not be undone' : 'Not done again' });
    } finally {
      busy.current = false;
      onStepDone();
    }
  }

  const dialogs = (
    <>
      {pending !== undefined && (
        <LaterChangesDialog cells={pending.cells} rows={pending.rows} onChoose={pending.answer} />
      )}
      {outcomes !== undefined && (
        <OutcomesDialog title="Not all rows were changed" outcomes={outcomes} onClose={() => setOutcomes(undefined)} />
      )}
    </>
  );
  return {
    steps,
    record: (step: Step) => setSteps((known) => addStep(known, step)),
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

/** The written rows with their new revisions; adds the refused rows to `refused`. */
function writtenRows(rows: readonly StepRow[], results: readonly InstanceOutcome[], refused: Outcome[]): StepRow[] {
  const byId = new Map(results.map((result) => [result.id, result]));
  return rows.flatMap((row) => {
    const result = byId.get(row.id);
    if (result?.outcome === 'done') return [{ ...row, revision: result.revision ?? row.revision }];
    refused.push(refusedOutcome(row, result?.message ?? 'This row no longer exists'));
    return [];
  });
}
