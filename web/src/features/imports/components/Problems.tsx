/** The problems of a checked draft, in groups with possible fixes, and a dialog that edits the cells with problems. */
import type { DraftProblemRecord, ImportDraft } from '@rdm/contracts/imports/drafts';
import type { Fix, ProblemGroup } from '@rdm/contracts/imports/problems';
import type { ResolvedColumn, ResolvedDraft } from '@rdm/contracts/imports/resolve-draft';
import { SHOWN_CHARACTERS } from '@rdm/contracts/text/text';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Check, Undo2 } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { ErrorState } from '../../../components/empty-state/index.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Dialog } from '../../../components/ui/dialog.tsx';
import { Input } from '../../../components/ui/input.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { formatNumber } from '../../../lib/number-format.ts';
import { problemRecordsQuery, problemsQuery } from '../api/drafts.ts';
import { fixLabel } from './fix-labels.ts';
import { misfitReason } from './Preview.tsx';
import type { ChangeOfDraft } from './use-draft.ts';

const ALL = 'all';
const GROUPS_SHOWN = 20;
const FIXES_SHOWN = 3;

export interface ProblemsProps {
  draft: ImportDraft;
  /** The version of the draft that was checked last. */
  checked: ImportDraft;
  resolved: ResolvedDraft;
  change: ChangeOfDraft;
  /** Called when a fix has removed the focused button and no button remains. The caller moves the focus. */
  onFixed: () => void;
}

export function Problems({ draft, checked, resolved, change, onFixed }: ProblemsProps) {
  const { data, error, refetch } = useQuery({ ...problemsQuery(checked), placeholderData: keepPreviousData });
  const list = useRef<HTMLUListElement>(null);
  const previousData = useRef(data);
  useEffect(() => {
    const isRefreshed = previousData.current !== undefined && previousData.current !== data;
    previousData.current = data;
    // The fix has removed the focused button, so the focus moves to the remaining problems.
    if (!isRefreshed || document.activeElement !== document.body) return;
    const nextButton = list.current?.querySelector('button');
    if (nextButton) nextButton.focus();
    else onFixed();
  }, [data]);

  const [editing, setEditing] = useState<{ draft: ImportDraft; group: string }>();
  const [shownCount, setShownCount] = useState(GROUPS_SHOWN);
  const groups = data?.groups ?? [];
  const names = resolved.columns.map(({ name }) => name);
  const hasCells = groups.some(({ column, severity }) => column !== null && severity === 'error');
  // Loaded in advance, so that users can type immediately after they open the dialog.
  useQuery({ ...problemRecordsQuery(checked, ALL), enabled: hasCells });

  function addFix(fix: Fix) {
    const isApplied = draft.fixes.some((applied) => JSON.stringify(applied) === JSON.stringify(fix));
    if (!isApplied) void change({ fixes: [...draft.fixes, fix] });
  }
  if (error !== null && data === undefined) {
    return <ErrorState title="The problems could not be loaded" error={error} onRetry={() => void refetch()} />;
  }
  return (
    <section aria-label="Problems" className="flex flex-col gap-2">
      {(data?.records ?? 0) > 0 && (
        <div className="flex flex-wrap items-center justify-between gap-2">
          <h3 className="font-medium">
            {formatNumber(data?.records ?? 0)} {data?.records === 1 ? 'row has' : 'rows have'} problems
          </h3>
          {hasCells && (
            <Button variant="primary" onClick={() => setEditing({ draft: checked, group: ALL })}>
              Edit cells
            </Button>
          )}
        </div>
      )}
      {groups.length > 0 && (
        <ul ref={list} className="divide-y divide-hairline rounded-md border border-hairline">
          {groups.slice(0, shownCount).map((group) => (
            <GroupRow
              key={group.id}
              group={group}
              names={names}
              onFix={addFix}
              onEdit={() => setEditing({ draft: checked, group: group.id })}
            />
          ))}
        </ul>
      )}
      {groups.length > shownCount && (
        <Button className="self-start" onClick={() => setShownCount(groups.length)}>
          Show all {formatNumber(groups.length)} groups
        </Button>
      )}
      {draft.fixes.length > 0 && (
        <AppliedFixes
          fixes={draft.fixes}
          names={names}
          onRemove={(removed) => void change({ fixes: draft.fixes.filter((_, index) => index !== removed) })}
          onRemoveAll={() => void change({ fixes: [] })}
        />
      )}
      {editing && (
        <ProblemCellsDialog
          draft={editing.draft}
          group={editing.group}
          columns={resolved.columns}
          onClose={() => setEditing(undefined)}
          onDone={(edits) => {
            setEditing(undefined);
            if (edits.length === 0) return;
            const editedCells = new Set(edits.map(({ record, column }) => `${record}:${column}`));
            const otherFixes = draft.fixes.filter(
              (fix) => fix.kind !== 'setCell' || !editedCells.has(`${fix.record}:${fix.column}`),
            );
            void change({ fixes: [...otherFixes, ...edits] });
          }}
        />
      )}
    </section>
  );
}

function GroupRow({
  group,
  names,
  onFix,
  onEdit,
}: {
  group: ProblemGroup;
  names: readonly string[];
  onFix: (fix: Fix) => void;
  onEdit: () => void;
}) {
  const messageId = useId();
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1.5 px-3 py-2">
      <p id={messageId} className="line-clamp-3 min-w-0 flex-1 basis-72 break-words" title={group.message}>
        {group.severity === 'warning' && <span className="text-pending-text">Warning: </span>}
        {group.message}
      </p>
      <div className="flex flex-wrap gap-2">
        {group.fixes.slice(0, FIXES_SHOWN).map((fix) => (
          <Button
            key={JSON.stringify(fix)}
            size="sm"
            aria-describedby={messageId}
            onClick={() => onFix(fix)}
            className="h-auto min-h-7 max-w-full whitespace-normal break-words text-left"
          >
            {fixLabel(fix, names)}
          </Button>
        ))}
        {group.column !== null && (
          <Button size="sm" variant="ghost" aria-describedby={messageId} onClick={onEdit}>
            Edit cells
          </Button>
        )}
      </div>
    </li>
  );
}

function AppliedFixes({
  fixes,
  names,
  onRemove,
  onRemoveAll,
}: {
  fixes: readonly Fix[];
  names: readonly string[];
  onRemove: (index: number) => void;
  onRemoveAll: () => void;
}) {
  return (
    <details className="rounded-md border border-hairline">
      <summary className="cursor-pointer px-3 py-2">
        {formatNumber(fixes.length)} {fixes.length === 1 ? 'applied fix' : 'applied fixes'}
      </summary>
      <ul className="max-h-64 divide-y divide-hairline overflow-y-auto border-hairline border-t">
        {fixes.map((fix, index) => (
          <li key={JSON.stringify(fix)} className="flex items-center justify-between gap-3 px-3 py-1">
            <span className="min-w-0 break-words">{fixLabel(fix, names)}</span>
            <Button
              size="sm"
              variant="ghost"
              aria-label={`Remove the fix “${fixLabel(fix, names)}”`}
              onClick={() => onRemove(index)}
            >
              <Undo2 />
              Remove
            </Button>
          </li>
        ))}
      </ul>
      <div className="border-hairline border-t p-2">
        <Button size="sm" variant="ghost" onClick={onRemoveAll}>
          Remove all fixes
        </Button>
      </div>
    </details>
  );
}

/** Selects the text of a cell, so that typing replaces it. */
function startTyping(input: HTMLInputElement | null | undefined): void {
  input?.focus();
  input?.select();
}

type CellEdit = Extract<Fix, { kind: 'setCell' }>;

interface ProblemCell {
  key: string;
  record: DraftProblemRecord;
  column: number;
  value: string;
  reason: string;
}

/** Returns the cells with problems. A cell with several problems has the reason of the first problem. */
const cellsOf = (records: readonly DraftProblemRecord[]): ProblemCell[] =>
  records.flatMap((record) => {
    const byColumn = new Map<number, ProblemCell>();
    for (const { column, reason } of record.problems) {
      if (column === null || byColumn.has(column)) continue;
      const value = record.cells[column] ?? '';
      byColumn.set(column, { key: `${record.record}:${column}`, record, column, value, reason });
    }
    return [...byColumn.values()];
  });

/** Edits the cells with problems. Enter moves to the next cell. In the last cell, Enter saves the edits. */
function ProblemCellsDialog({
  draft,
  group,
  columns,
  onClose,
  onDone,
}: {
  draft: ImportDraft;
  group: string;
  columns: readonly ResolvedColumn[];
  onClose: () => void;
  onDone: (edits: CellEdit[]) => void;
}) {
  const { data, error, refetch } = useQuery(problemRecordsQuery(draft, group));
  const [edits, setEdits] = useState<ReadonlyMap<string, CellEdit>>(new Map());
  const cells = cellsOf(data?.items ?? []);
  const keyColumns = columns.filter(({ isKey }) => isKey);
  const rowsWithoutCell = (data?.items ?? []).filter(({ problems }) => problems.every(({ column }) => column === null));

  const list = useRef<HTMLUListElement>(null);
  const isLoaded = data !== undefined;
  useEffect(() => {
    if (isLoaded) startTyping(list.current?.querySelector('input'));
  }, [isLoaded]);

  function edit({ key, record: { record }, column, value: before }: ProblemCell, value: string) {
    const newEdits = new Map(edits);
    if (value === before) newEdits.delete(key);
    else newEdits.set(key, { kind: 'setCell', record, column, value });
    setEdits(newEdits);
  }

  function goToNext(event: KeyboardEvent<HTMLInputElement>) {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    const inputs = [...(event.currentTarget.closest('ul')?.querySelectorAll('input') ?? [])];
    const nextInput = inputs[inputs.indexOf(event.currentTarget) + 1];
    if (nextInput) startTyping(nextInput);
    else onDone([...edits.values()]);
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Edit cells"
      description="The Enter key moves to the next cell. The file itself is not changed."
      className="xl:w-[60%]"
      onOpenAutoFocus={(event) => {
        event.preventDefault();
        // Until the cells are loaded, the dialog has the focus, so that Enter does not press the close button.
        (event.currentTarget as HTMLElement).focus();
        startTyping(list.current?.querySelector('input'));
      }}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" onClick={() => onDone([...edits.values()])}>
            {edits.size === 0 ? 'Done' : `Save ${formatNumber(edits.size)} ${edits.size === 1 ? 'cell' : 'cells'}`}
          </Button>
        </>
      }
    >
      {error !== null && data === undefined && (
        <ErrorState title="The cells could not be loaded" error={error} onRetry={() => void refetch()} />
      )}
      {data === undefined && error === null && <Skeleton className="w-1/2" />}
      <ul ref={list} className="divide-y divide-hairline">
        {cells.map((cell) => {
          const { key, record, column: index, value, reason } = cell;
          const column = columns[index];
          const currentText = edits.get(key)?.value ?? value;
          const isEdited = edits.has(key);
          const problem =
            isEdited && column ? (emptyKeyReason(currentText, column) ?? misfitReason(currentText, column)) : reason;
          const keyText = keyColumns.map((keyColumn) => record.cells[keyColumn.index] ?? '').join(' · ');
          return (
            <li key={key} className="grid items-center gap-x-3 gap-y-1 py-2 sm:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
              <div className="min-w-0 text-sm">
                <p className="truncate">
                  <span className="text-muted">{record.place}</span>
                  {keyText !== '' && !column?.isKey && ` · ${keyText}`}
                </p>
                <p className="truncate text-muted text-xs" title={record.cells.join(' · ')}>
                  {record.cells.filter((text) => text !== '').join(' · ')}
                </p>
              </div>
              <div className="min-w-0">
                <div className="flex items-center gap-2">
                  <span className="w-28 shrink-0 truncate font-medium text-sm" title={column?.name}>
                    {column?.name}
                  </span>
                  <Input
                    aria-label={`${column?.name ?? ''}, ${record.place}`}
                    value={currentText}
                    // A long value is truncated, so an edit would lose the rest of the value.
                    readOnly={value.length > SHOWN_CHARACTERS}
                    aria-invalid={problem !== undefined}
                    onChange={(event) => edit(cell, event.target.value)}
                    onKeyDown={goToNext}
                  />
                  {problem === undefined && (
                    <Check role="img" aria-label="No problem" className="size-4 text-approved-text" />
                  )}
                </div>
                {problem !== undefined && <p className="text-danger-text text-xs">{problem}</p>}
              </div>
            </li>
          );
        })}
      </ul>
      {(data?.total ?? 0) > (data?.items.length ?? 0) && (
        <p className="mt-2 text-muted text-sm">
          The first {formatNumber(data?.items.length ?? 0)} of {formatNumber(data?.total ?? 0)} rows are shown. Save the
          edited cells to see the next rows.
        </p>
      )}
      {rowsWithoutCell.length > 0 && (
        <p className="mt-2 text-muted text-sm">
          {rowsWithoutCell.map(({ place, problems }) => `${place}: ${problems[0]?.reason}`).join('; ')}. Skip these
          rows, or correct the file.
        </p>
      )}
    </Dialog>
  );
}

const emptyKeyReason = (text: string, { isKey, name }: ResolvedColumn): string | undefined =>
  isKey && text.trim() === '' ? `The key field "${name}" is empty` : undefined;
