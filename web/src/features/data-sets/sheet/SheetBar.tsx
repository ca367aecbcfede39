/** The status bar of the sheet: whether edits are saved, failed or in conflict. Opens dialogs for unsaved edits. */
import { Check, CloudUpload, Keyboard, RotateCcw, TriangleAlert } from 'lucide-react';
import { memo, useEffect, useState, useSyncExternalStore } from 'react';
import { useBlocker } from 'react-router-dom';
import { ConflictDialog } from '../../../components/conflict/index.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Confirm } from '../../../components/ui/dialog.tsx';
import { formatNumber } from '../../../lib/number-format.ts';
import type { Cursor } from './cursor.ts';
import type { Edits, RowEdit } from './edits/edits.ts';
import { UnsavedDialog } from './edits/UnsavedDialog.tsx';

export interface SheetBarProps {
  edits: Edits;
  fields: readonly { name: string }[];
  /** Whether the input line for a new row contains text. */
  isDirty: boolean;
  /** A message about the last action in the sheet. */
  message: string | undefined;
  /** Whether no editor is open, so that a dialog may take the focus. */
  isIdle: boolean;
}

export const SheetBar = memo(function SheetBar({ edits, fields, isDirty, message, isIdle }: SheetBarProps) {
  useSyncExternalStore(edits.subscribe, edits.version);
  const [isListOpen, setIsListOpen] = useState(false);
  const [postponedIds, setPostponedIds] = useState<ReadonlySet<number>>(new Set());
  const [openedId, setOpenedId] = useState<number>();
  const rows = edits.unsaved();
  const hasOnlyNewRow = isDirty && rows.length + edits.invalidTexts().length === 0;
  const hasUnsaved = isDirty || rows.length + edits.invalidTexts().length > 0;
  const conflicts = rows.filter(({ conflict }) => conflict !== undefined);
  const failedCount = rows.filter(({ failure }) => failure !== undefined).length + edits.invalidTexts().length;
  const waitingCount = rows.length - conflicts.length - rows.filter(({ failure }) => failure !== undefined).length;

  const openConflict: RowEdit | undefined =
    conflicts.find(({ id }) => id === openedId) ??
    (isIdle ? conflicts.find(({ id }) => !postponedIds.has(id)) : undefined);

  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => hasUnsaved && currentLocation.pathname !== nextLocation.pathname,
  );
  useEffect(() => {
    if (!hasUnsaved) return;
    const preventUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', preventUnload);
    return () => window.removeEventListener('beforeunload', preventUnload);
  }, [hasUnsaved]);

  return (
    <div data-screen-only className="flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1 px-1 pt-1 text-muted text-xs">
      <p role="status" className="flex items-center gap-1.5 [&_svg]:size-3.5">
        {failedCount > 0 || conflicts.length > 0 ? (
          <>
            <TriangleAlert aria-hidden="true" className="text-danger-text" />
            <span className="text-danger-text">{problemsText(failedCount, conflicts.length)}</span>
          </>
        ) : waitingCount > 0 ? (
          <>
            <CloudUpload aria-hidden="true" />
            Saving…
          </>
        ) : (
          <>
            <Check aria-hidden="true" />
            Everything is saved
          </>
        )}
      </p>
      {conflicts.length > 0 && (
        <Button size="sm" onClick={() => setOpenedId(conflicts[0]?.id)}>
          Resolve the conflict
        </Button>
      )}
      {failedCount > 0 && (
        <>
          <Button size="sm" onClick={() => edits.retry()}>
            <RotateCcw />
            Try again
          </Button>
          <Button size="sm" variant="ghost" onClick={() => setIsListOpen(true)}>
            Show unsaved edits
          </Button>
        </>
      )}
      <p role="status" className="min-w-0 flex-1 truncate">
        {message}
      </p>
      <p className="flex items-center gap-1.5 touch:hidden max-lg:hidden [&_svg]:size-3.5">
        <Keyboard aria-hidden="true" />
        Enter: edit · Ctrl+C, Ctrl+V: copy, paste · Ctrl+D: fill down · Ctrl+Z: undo
      </p>

      {openConflict?.conflict !== undefined && (
        <ConflictDialog
          key={openConflict.id}
          subject={`Row ${openConflict.key}`}
          overlaps={openConflict.conflict.overlaps}
          labels={Object.fromEntries(fields.map(({ name }) => [name, name]))}
          onCancel={() => {
            setOpenedId(undefined);
            setPostponedIds(new Set([...postponedIds, openConflict.id]));
          }}
          onResolve={(mine) => {
            setOpenedId(undefined);
            edits.resolve(openConflict.id, mine);
          }}
        />
      )}
      {isListOpen && <UnsavedDialog edits={edits} onClose={() => setIsListOpen(false)} />}
      <Confirm
        open={blocker.state === 'blocked'}
        onOpenChange={(open) => !open && blocker.reset?.()}
        title={hasOnlyNewRow ? 'Leave with an incomplete new row?' : 'Leave with unsaved edits?'}
        description={
          hasOnlyNewRow
            ? 'The new row is incomplete and will be lost. All other edits are saved.'
            : 'Unsaved edits stay in this browser tab and are saved when you return to this data set. An incomplete new row will be lost.'
        }
        confirm="Leave"
        cancel="Stay"
        onConfirm={() => blocker.proceed?.()}
      />
    </div>
  );
});

export interface ActiveCellProps {
  cursor: Cursor;
  /** The active cell as text, for screen readers. */
  describe: () => string;
}

/**
 * Describes the active cell for screen readers. This is a separate component, so that a cursor move does not re-render
 * the page.
 */
export function ActiveCell({ cursor, describe }: ActiveCellProps) {
  const cell = useSyncExternalStore(cursor.subscribe, describe);
  return (
    <p role="status" className="sr-only">
      {cell}
    </p>
  );
}

function problemsText(failedCount: number, conflicts: number): string {
  const parts: string[] = [];
  if (failedCount > 0) parts.push(`${formatNumber(failedCount)} not saved`);
  if (conflicts > 0) parts.push(`${formatNumber(conflicts)} in conflict`);
  return parts.join(', ');
}
