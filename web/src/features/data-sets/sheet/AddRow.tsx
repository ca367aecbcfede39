/** The input line for new rows below the sheet. Enter saves the row and clears the line for the next row. */
import { useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { type ClipboardEvent, type FormEvent, memo, useEffect, useRef, useState } from 'react';
import { Button } from '../../../components/ui/button.tsx';
import { cn } from '../../../components/ui/cn.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { dataSetKey } from '../api/data-sets.ts';
import { addInstances, reloadInstances } from '../api/instances.ts';
import { type CellField, checkRow, keyWarning, type RowDraft } from '../components/cells.ts';
import { parseTsv } from './clipboard/tsv.ts';
import type { Step } from './undo/history.ts';

export interface AddRowProps {
  dataSetId: number;
  /** The fields of the type, key fields first. */
  fields: readonly CellField[];
  onAdded: (step: Step) => void;
  /**
   * Called with several pasted lines. Without a header line, the first cell of each line belongs to the field with the
   * index `field`.
   */
  onPaste: (lines: string[][], field: number) => void;
  /** Called when the line gets or loses text. */
  onDirty: (dirty: boolean) => void;
}

const controlClasses =
  'h-8 w-full rounded-sm border border-control bg-surface px-2 text-sm placeholder:text-muted aria-invalid:border-danger';

export const AddRow = memo(function AddRow({ dataSetId, fields, onAdded, onPaste, onDirty }: AddRowProps) {
  const queries = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const [draft, setDraft] = useState<RowDraft>({});
  const [problems, setProblems] = useState<Record<string, string>>({});
  const [busy, setBusy] = useState(false);
  const isDirty = Object.values(draft).some((text) => text !== '');
  useEffect(() => onDirty(isDirty), [isDirty, onDirty]);
  const keyNames = fields.filter((field) => field.isPrimaryKey).map(({ name }) => name);
  const [firstProblem] = Object.values(problems);
  const warning = keyWarning(fields, draft);

  async function add(event: FormEvent) {
    event.preventDefault();
    const { data, problems: newProblems } = checkRow(fields, draft);
    setProblems(newProblems);
    if (busy || Object.keys(newProblems).length > 0) return;
    setBusy(true);
    try {
      const [result] = await addInstances(dataSetId, [{ data }]);
      if (result?.outcome !== 'done') {
        setProblems({ [keyNames[0] ?? '']: result?.message ?? 'The row was not added' });
        return;
      }
      const key = keyNames.map((name) => draft[name]).join(' · ');
      const row = { id: result.id, key, revision: result.revision ?? 1, data };
      onAdded({ text: `${key} added`, cells: [], added: [row], deleted: [] });
      setDraft({});
      form.current?.querySelector<HTMLElement>('input')?.focus();
      await Promise.all([
        reloadInstances(queries, dataSetId),
        queries.invalidateQueries({ queryKey: dataSetKey(dataSetId) }),
      ]);
    } catch (error) {
      setProblems({ [keyNames[0] ?? '']: messageOf(error) });
    } finally {
      setBusy(false);
    }
  }

  /**
   * Pastes several lines as rows, or the cells of one line into the fields from `field` on. The browser pastes a
   * single cell.
   */
  function paste(event: ClipboardEvent, field: number) {
    const lines = parseTsv(event.clipboardData.getData('text/plain'));
    const [first = []] = lines;
    if (lines.length < 2 && first.length < 2) return;
    event.preventDefault();
    if (lines.length > 1) return onPaste(lines, field);
    setDraft({
      ...draft,
      ...Object.fromEntries(fields.slice(field).map(({ name }, index) => [name, first[index] ?? ''])),
    });
    setProblems({});
  }

  return (
    <form
      ref={form}
      aria-label="Add a row here"
      noValidate
      data-screen-only
      className="mt-1 flex flex-wrap items-center gap-1"
      onSubmit={(event) => void add(event)}
    >
      <div className="flex min-w-0 flex-1 gap-1 overflow-x-auto p-0.5">
        {fields.map(({ name, dataType, isPrimaryKey }, index) => {
          const shared = {
            'aria-label': `New row: ${name}`,
            'aria-invalid': problems[name] !== undefined,
            title: problems[name],
            value: draft[name] ?? '',
            className: cn(controlClasses, (isPrimaryKey || dataType !== 'string') && 'font-mono'),
            onChange: ({ target }: { target: { value: string } }) => {
              setDraft({ ...draft, [name]: target.value });
              setProblems({});
            },
            onPaste: (event: ClipboardEvent) => paste(event, index),
          };
          return (
            <div
              key={name}
              className={cn(
                'shrink-0',
                dataType === 'string' ? 'w-30 grow md:w-44' : dataType === 'date' ? 'w-44' : 'w-32',
              )}
            >
              {dataType === 'boolean' ? (
                <select {...shared}>
                  <option value="">{name}</option>
                  <option value="true">true</option>
                  <option value="false">false</option>
                </select>
              ) : (
                <input
                  {...shared}
                  type="text"
                  inputMode={dataType === 'number' ? 'decimal' : undefined}
                  placeholder={isPrimaryKey ? `New ${name}…` : dataType === 'date' ? `${name} (YYYY-MM-DD)` : name}
                  autoComplete="off"
                  spellCheck={dataType === 'string' && !isPrimaryKey}
                />
              )}
            </div>
          );
        })}
      </div>
      <Button type="submit" size="sm" disabled={busy || !isDirty} aria-busy={busy}>
        <Plus />
        Add
      </Button>
      {firstProblem !== undefined ? (
        <p role="alert" className="basis-full px-1 text-danger-text text-xs">
          {firstProblem}
        </p>
      ) : (
        <p role="status" className="basis-full whitespace-pre-wrap px-1 text-pending-text text-xs empty:hidden">
          {warning}
        </p>
      )}
    </form>
  );
});
