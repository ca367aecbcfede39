/** The sheet: users type into the cells of a data set, and fill, copy and paste cells. */
import type { InstanceView } from '@rdm/contracts/data-sets/instances';
import { useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { CellAddress } from '../../../components/data-grid/index.ts';
import { useWindowKey } from '../../../lib/shortcuts/index.ts';
import type { CellField } from '../components/cells.ts';
import { cellWrites } from './cell-writes.ts';
import { useClipboard } from './clipboard/useClipboard.tsx';
import { Cursor } from './cursor.ts';
import { cursorMoves } from './cursor-moves.ts';
import { onSheetPointerDown } from './drag-selection.ts';
import { useEdits } from './edits/useEdits.ts';
import { boxAt } from './ranges.ts';
import type { Grid } from './sheet-grid.ts';
import { onSheetKey } from './sheet-keys.ts';
import type { Step } from './undo/history.ts';
import { useSteps } from './undo/useSteps.tsx';
import { useCellEditing } from './useCellEditing.tsx';
import { useCellLayer } from './useCellLayer.tsx';
import { useKeyChange } from './useKeyChange.tsx';
import { type LoadRows, useRangeLoading } from './useRangeLoading.tsx';

export interface SheetOptions {
  dataSetId: number;
  /**
   * The fields, key fields first. After a rename of a field, the page mounts the sheet again, because edits are stored
   * by field name.
   */
  fields: readonly (CellField & { fieldId: number })[];
  rows: readonly InstanceView[];
  /** Loads the rows in a range of indexes. */
  load: LoadRows;
  /** Why the sheet is read-only; undefined if the user can edit the cells. */
  readOnlyReason: string | undefined;
  /** Called after a paste or a change of a key was written. */
  onBulk: (step: Step) => void;
  /** Called when the user double-clicks a row of a read-only sheet. */
  onOpen: (row: InstanceView) => void;
}

export function useSheet({ dataSetId, fields, rows, load, readOnlyReason, onBulk, onOpen }: SheetOptions) {
  const { edits, save } = useEdits(dataSetId, fields, rows);
  const steps = useSteps({ dataSetId, fields, edits, save, rows, onStepDone: refocus });
  const [cursor] = useState(() => new Cursor());
  const isEditing = useSyncExternalStore(cursor.subscribe, cursor.isEditing);
  const [message, showMessage] = useState<string>();
  const grid = useRef<Grid>(undefined);
  const byName = new Map(fields.map((field) => [field.name, field]));
  const { withLoadedRows, dialog: loadingDialog } = useRangeLoading(load, showMessage);
  const { record } = steps;
  const { cellLockReason, textOf, textAt, write, writableCells, withCells, clear, fill } = cellWrites({
    ...{ edits, byName, readOnlyReason, record, withLoadedRows, showMessage },
  });
  const { moveByKey, moveByTab } = cursorMoves(cursor);

  const recordBulkStep = (step: Step) => {
    record(step);
    onBulk(step);
  };
  const keyChange = useKeyChange({ dataSetId, fields, save, onChanged: recordBulkStep });
  const editing = useCellEditing({
    changeKey: keyChange.confirmKeyChange,
    cursor,
    edits,
    byName,
    textOf,
    cellLockReason,
    write,
    writableCells,
    withCells,
    showMessage,
    moveByKey,
    moveByTab,
  });
  const clipboard = useClipboard({
    dataSetId,
    fields,
    cursor,
    grid,
    readOnlyReason,
    textAt,
    withLoadedRows,
    clear,
    write: (position, text, shownGrid) =>
      write(
        writableCells(boxAt(position), shownGrid, () => text),
        'pasted',
      ),
    save,
    showMessage,
    onPasted: recordBulkStep,
  });

  function onDoubleClick({ index, columnId }: CellAddress, shownGrid: Grid): void {
    const row = shownGrid.rowAt(index);
    if (readOnlyReason === undefined)
      editing.beginEdit({ row: index, column: shownGrid.columns.indexOf(columnId) }, shownGrid);
    else if (row !== undefined) onOpen(row);
  }

  /** The last position of the row with the cursor. If the row moves in the list, the cursor moves with the row. */
  const lastPosition = useRef<{ row: number; id: number | undefined }>(undefined);
  function onShow(shownGrid: Grid): void {
    grid.current = shownGrid;
    const { active } = cursor;
    if (active === undefined) return;
    const before = lastPosition.current;
    lastPosition.current = { row: active.row, id: shownGrid.rowAt(active.row)?.id };
    if (before?.id === undefined || before.row !== active.row || before.id === lastPosition.current.id) return;
    const newPosition = rowsAround(active.row, shownGrid).find((row) => shownGrid.rowAt(row)?.id === before.id);
    if (newPosition === undefined) {
      // The edited row was deleted or moved far away: end the edit and store the entered text. If no row is loaded at
      // the position, the edited row may still be there.
      const isGone = shownGrid.rowAt(active.row) !== undefined || active.row >= shownGrid.count;
      if (isGone && cursor.editing?.row.id === before.id) editing.leave();
      return;
    }
    lastPosition.current = { row: newPosition, id: before.id };
    cursor.go({ row: newPosition, column: active.column });
    if (document.activeElement?.matches('[data-row]')) shownGrid.goTo(newPosition);
  }

  const { beginEdit, editor } = editing;
  const cells = useCellLayer(
    { cursor, edits, grid },
    {
      ...{ byName, textOf, cellLockReason, editor, onDoubleClick, onShow },
      onKeyDown: (event, shownGrid) =>
        onSheetKey(event, shownGrid, {
          ...{ cursor, moveByKey, moveByTab, beginEdit, clear, fill, showMessage },
          isReadOnly: readOnlyReason !== undefined,
        }),
      onPointerDown: (event, cell, shownGrid) =>
        onSheetPointerDown(event, cell, shownGrid, { cursor, currentGrid: () => grid.current, fill, showMessage }),
    },
  );
  const leave = useRef(editing.leave);
  leave.current = editing.leave;

  /** Focuses the grid after an undo or a redo if a removed element or the undo bar had the focus. */
  function refocus(): void {
    const shownGrid = grid.current;
    const focused = document.activeElement;
    const isFocusLost = focused === null || focused === document.body || focused.closest('[data-undo]') !== null;
    if (isFocusLost) shownGrid?.goTo(shownGrid.index);
  }

  useWindowKey((event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.defaultPrevented) return;
    if ((event.target as HTMLElement).closest('input, textarea, select, [role="dialog"], [role="alertdialog"]')) return;
    const key = event.key.toLowerCase();
    if (key === 'z' && !event.shiftKey) void steps.undo();
    else if (key === 'z' || key === 'y') void steps.redo();
    else return;
    event.preventDefault();
  });
  useEffect(() => clipboard.listen(), [clipboard.listen]);
  // A layout effect, because the last text must be stored before the edits lose their listeners.
  useLayoutEffect(() => () => leave.current(true), []);

  /** Describes the active cell for screen readers. */
  function describe(): string {
    const { active } = cursor;
    const row = active && grid.current?.rowAt(active.row);
    const name = active && grid.current?.columns[active.column];
    if (active === undefined || row === undefined || name === undefined || !byName.has(name)) return '';
    return `${row.key}, ${name}: ${textOf(row, name) || 'no value'}`;
  }

  return {
    cells,
    cursor,
    describe,
    edits,
    save,
    steps,
    message,
    isEditing,
    pasteRows: clipboard.pasteRows,
    dialogs: (
      <>
        {steps.dialogs}
        {loadingDialog}
        {keyChange.dialog}
        {clipboard.dialog}
      </>
    ),
  };
}

/** The search for a moved row covers this number of rows before and after its last position. Few rows move further. */
const SEARCH_DISTANCE = 200;

function rowsAround(row: number, { count }: Grid): number[] {
  const from = Math.max(0, row - SEARCH_DISTANCE);
  return Array.from({ length: Math.min(count, row + SEARCH_DISTANCE) - from }, (_, offset) => from + offset);
}
