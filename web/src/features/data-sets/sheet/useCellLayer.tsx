/** Shows the cursor and the edits in the grid, and passes keys and pointer events to the sheet. */
import type { InstanceView } from '@rdm/contracts/data-sets/instances';
import { type KeyboardEvent, type PointerEvent, type RefObject, useRef, useState, useSyncExternalStore } from 'react';
import type { CellAddress, CellLayer } from '../../../components/data-grid/index.ts';
import type { CellField } from '../components/cells.ts';
import { typeMismatch } from '../components/instance-columns.tsx';
import { cellStyle } from './cell-style.tsx';
import type { Cursor } from './cursor.ts';
import type { Edits } from './edits/edits.ts';
import type { Grid } from './sheet-grid.ts';
import type { useCellEditing } from './useCellEditing.tsx';

/** The handlers may change at each render. The cell layer does not change, so that the rows do not re-render. */
export interface CellHandlers {
  byName: ReadonlyMap<string, CellField>;
  textOf: (row: InstanceView, name: string) => string;
  cellLockReason: (field: CellField | undefined) => string | undefined;
  editor: ReturnType<typeof useCellEditing>['editor'];
  onKeyDown: (event: KeyboardEvent, grid: Grid) => boolean | 'typed';
  onPointerDown: (event: PointerEvent, cell: CellAddress, grid: Grid) => void;
  onDoubleClick: (cell: CellAddress, grid: Grid) => void;
  onShow: (grid: Grid) => void;
}

export function useCellLayer(
  { cursor, edits, grid }: { cursor: Cursor; edits: Edits; grid: RefObject<Grid | undefined> },
  handlers: CellHandlers,
): CellLayer<InstanceView> {
  const latest = useRef(handlers);
  latest.current = handlers;
  const [cells] = useState(
    (): CellLayer<InstanceView> => ({
      className: 'cursor-cell select-none',
      isEdited: (row) => edits.hasEdits(row.id),
      useRow(row, index) {
        const cursorKey = useSyncExternalStore(cursor.subscribe, () =>
          row === undefined ? '' : cursor.renderKey(index, row.id),
        );
        useSyncExternalStore(edits.subscribe, () => row && edits.rowVersion(row.id));
        // Most rows have neither the cursor nor edits, so their cells need no overlay.
        if (row === undefined || (cursorKey === '' && !edits.hasEdits(row.id))) return noOverlay;
        return (columnId) => {
          const { byName, cellLockReason, textOf, editor } = latest.current;
          const field = byName.get(columnId);
          const column = grid.current?.columns.indexOf(columnId) ?? -1;
          const mark = field && edits.mark(row.id, field.name);
          return cellStyle({
            row,
            field,
            position: { row: index, column },
            cursor,
            mark,
            text: field === undefined ? '' : textOf(row, field.name),
            // The mark of an edited cell already contains the problem of the edit, so only stored values are checked.
            problem: mark === undefined && field ? typeMismatch(row.data[field.name], field.dataType) : undefined,
            isLocked: cellLockReason(field) !== undefined,
            editor: field && editor(row, field, grid.current),
          });
        };
      },
      onKeyDown: (event, grid) => latest.current.onKeyDown(event, grid),
      onPointerDown: (event, cell, grid) => latest.current.onPointerDown(event, cell, grid),
      onDoubleClick: (cell, grid) => latest.current.onDoubleClick(cell, grid),
      onShow: (grid) => latest.current.onShow(grid),
    }),
  );
  return cells;
}

const noOverlay = () => undefined;
