/** The dialog that adds or edits a row. If another user changed the row, the user resolves each conflicting field. */

import type { InstanceView } from '@rdm/contracts/data-sets/instances';
import { displayKey } from '@rdm/contracts/text/rows';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { CellInput } from '../../../components/cell-input/index.tsx';
import { ConflictDialog } from '../../../components/conflict/index.tsx';
import { FormDialog } from '../../../components/form-dialog/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Field } from '../../../components/ui/input.tsx';
import { ApiError } from '../../../lib/api/index.ts';
import { type Merge, mergeEdits } from '../../../lib/conflict/index.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { dataSetKey } from '../api/data-sets.ts';
import { addInstance, changeInstance, currentInstance, type RowData, reloadInstances } from '../api/instances.ts';
import { changedCells, checkRow, draftOf, keyWarning } from './cells.ts';
import type { RowField } from './instance-columns.tsx';

const FORM_ID = 'row';

export interface RowDialogProps {
  dataSetId: number;
  /** The fields of the type, key fields first. */
  fields: readonly RowField[];
  /** Undefined for a new row. */
  row?: InstanceView | undefined;
  onClose: () => void;
}

/** The cells of a row, with null for missing fields, so that two versions can be compared. */
const allCells = (fields: RowDialogProps['fields'], stored: RowData): RowData =>
  Object.fromEntries(fields.map(({ name }) => [name, stored[name] ?? null]));

/** Focuses the first input that the user can change, instead of the first element of the dialog. */
function focusFirstInput(event: Event): void {
  const input = (event.currentTarget as HTMLElement).querySelector<HTMLElement>(
    'form input:not([readonly]), form [role="combobox"]:not(:disabled)',
  );
  if (input === null) return;
  event.preventDefault();
  input.focus();
}

export function RowDialog({ dataSetId, fields, row, onClose }: RowDialogProps) {
  const queries = useQueryClient();
  const [initialDraft] = useState(() => draftOf(fields, row?.data));
  const [draft, setDraft] = useState(initialDraft);
  const [showsProblems, setShowsProblems] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [conflict, setConflict] = useState<{ theirs: InstanceView; mine: RowData; merge: Merge<RowData> }>();
  const [busy, setBusy] = useState(false);
  const { data, problems } = checkRow(fields, draft);
  const keyText = displayKey(fields.filter((field) => field.isPrimaryKey).map(({ name }) => data[name] ?? null));

  const warning = row === undefined ? keyWarning(fields, data) : undefined;

  const isChanged = fields.some(({ name }) => draft[name] !== initialDraft[name]);

  const cellsOf = (cells: RowData) => allCells(fields, cells);

  async function reportSuccess(title: string) {
    notify.success(title);
    await Promise.all([
      reloadInstances(queries, dataSetId),
      queries.invalidateQueries({ queryKey: dataSetKey(dataSetId) }),
    ]);
  }

  async function add() {
    await addInstance(dataSetId, data);
    await reportSuccess('Row added');
    onClose();
  }

  async function change(expected: InstanceView, after: RowData): Promise<void> {
    const cells = changedCells(cellsOf(expected.data), after);
    if (Object.keys(cells).length === 0) return onClose();
    const [result] = (await changeInstance(dataSetId, expected, cells)).results;
    if (result?.code === 'STALE') return mergeWithStored(after);
    if (result?.outcome !== 'done') {
      setProblem(result?.message ?? 'The row was not saved');
      return;
    }
    await reportSuccess('Row saved');
    onClose();
  }

  /** Merges the edits with the stored version of the row. Saves the result, or opens the dialog for conflicts. */
  async function mergeWithStored(mine: RowData): Promise<void> {
    if (row === undefined) return;
    const theirs = await currentInstance(dataSetId, row.id);
    if (theirs === undefined) {
      setProblem('This row was deleted in the meantime.');
      return;
    }
    const merge = mergeEdits(cellsOf(row.data), mine, cellsOf(theirs.data));
    if (merge.overlaps.length > 0) setConflict({ theirs, mine, merge });
    else await change(theirs, merge.merged);
  }

  async function attempt(save: () => Promise<void>) {
    setProblem(undefined);
    setBusy(true);
    try {
      await save();
    } catch (error) {
      setProblem(
        error instanceof ApiError && error.code === 'DUPLICATE_KEY'
          ? `A row with the key ${keyText} exists already.`
          : messageOf(error),
      );
    } finally {
      setBusy(false);
    }
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    setShowsProblems(true);
    if (Object.keys(problems).length > 0) return;
    void attempt(() => (row === undefined ? add() : change(row, data)));
  }

  if (conflict !== undefined) {
    return (
      <ConflictDialog
        overlaps={conflict.merge.overlaps}
        labels={Object.fromEntries(fields.map(({ name }) => [name, name]))}
        onCancel={() => setConflict(undefined)}
        onResolve={(ownFields) => {
          const resolvedCells = { ...conflict.merge.merged };
          for (const name of ownFields) resolvedCells[name] = conflict.mine[name] ?? null;
          setConflict(undefined);
          void attempt(() => change(conflict.theirs, resolvedCells));
        }}
      />
    );
  }
  return (
    <FormDialog
      dirty={isChanged && !busy}
      onClose={onClose}
      title={row === undefined ? 'Add a row' : <>Edit {<span className="font-mono">{row.key}</span>}</>}
      description={
        row === undefined ? 'Texts are stored exactly as typed, including leading zeros.' : `Version ${row.revision}`
      }
      onOpenAutoFocus={focusFirstInput}
      footer={(leave) => (
        <>
          <Button onClick={leave}>Cancel</Button>
          <Button variant="primary" type="submit" form={FORM_ID} disabled={busy} aria-busy={busy}>
            {row === undefined ? 'Add row' : 'Save row'}
          </Button>
        </>
      )}
    >
      <form id={FORM_ID} noValidate className="flex flex-col gap-4" onSubmit={submit}>
        {problem !== undefined && <Alert tone="error">{problem}</Alert>}
        {warning !== undefined && <Alert tone="warning">{warning}</Alert>}
        {fields.map(({ name, dataType, isPrimaryKey }) => (
          <Field
            key={name}
            label={
              <>
                <span className="font-mono">{name}</span>
                <span className="ml-2 font-normal text-muted text-xs">{dataType}</span>
              </>
            }
            required={isPrimaryKey}
            hint={
              isPrimaryKey && row !== undefined
                ? 'The key cannot be changed in this dialog: change it in the list, or add a new row.'
                : undefined
            }
            error={showsProblems ? problems[name] : undefined}
          >
            {(control) => (
              <CellInput
                control={control}
                dataType={dataType}
                readOnly={isPrimaryKey && row !== undefined}
                value={draft[name] ?? ''}
                onChange={(text) => setDraft({ ...draft, [name]: text })}
              />
            )}
          </Field>
        ))}
      </form>
    </FormDialog>
  );
}
