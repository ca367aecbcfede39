/** Selects cells with a mouse or a pen. Dragging the handle of the selection fills further cells. */
import type { PointerEvent } from 'react';
import type { CellAddress } from '../../../components/data-grid/index.ts';
import type { Cursor } from './cursor.ts';
import { type Box, type CellPosition, draggedBox } from './ranges.ts';
import type { Grid } from './sheet-grid.ts';

const INTERACTIVE = 'a, button, input, textarea, select, label, [role="checkbox"]';

export interface DragOptions {
  cursor: Cursor;
  /** Returns the current grid. The grid changes when rows are loaded during a drag. */
  currentGrid: () => Grid | undefined;
  fill: (source: Box, target: Box, grid: Grid) => void;
  showMessage: (message: string | undefined) => void;
}

export function onSheetPointerDown(
  event: PointerEvent,
  cell: CellAddress,
  grid: Grid,
  { cursor, currentGrid, fill, showMessage }: DragOptions,
): void {
  const target = event.target as HTMLElement;
  if (event.button !== 0 || target.closest(INTERACTIVE) !== null) return;
  const column = grid.columns.indexOf(cell.columnId);
  const isFillDrag = target.closest('[data-handle]') !== null;
  const from = cursor.box;
  if (!isFillDrag) {
    showMessage(undefined);
    cursor.go({ row: cell.index, column }, event.shiftKey);
  }
  // A touch selects only the touched cell, because dragging by touch scrolls the list.
  if (event.pointerType === 'touch') return;
  const dragEnded = new AbortController();
  let to: CellPosition = { row: cell.index, column };
  const follow = (moving: globalThis.PointerEvent) => {
    const grid = currentGrid();
    const position = grid && positionUnder(moving, grid);
    if (position === undefined || (position.row === to.row && position.column === to.column)) return;
    to = position;
    if (!isFillDrag) cursor.go(position, true);
    else if (from !== undefined) cursor.fillTo(draggedBox(from, position));
  };
  const end = () => {
    dragEnded.abort();
    const grid = currentGrid();
    if (!isFillDrag || from === undefined || grid === undefined) return;
    cursor.fillTo(undefined);
    const filledBox = draggedBox(from, to);
    fill(from, filledBox, grid);
    cursor.selectBox(filledBox);
  };
  window.addEventListener('pointermove', follow, { signal: dragEnded.signal });
  window.addEventListener('pointerup', end, { signal: dragEnded.signal });
  const cancel = () => {
    dragEnded.abort();
    if (isFillDrag) cursor.fillTo(undefined);
  };
  window.addEventListener('pointercancel', cancel, { signal: dragEnded.signal });
}

function positionUnder({ clientX, clientY }: globalThis.PointerEvent, { columns }: Grid): CellPosition | undefined {
  const cell = document.elementFromPoint(clientX, clientY)?.closest<HTMLElement>('td[data-column]');
  const row = cell?.closest<HTMLElement>('[data-row]')?.dataset['row'];
  const column = columns.indexOf(cell?.dataset['column'] ?? '');
  return row === undefined || column < 0 ? undefined : { row: Number(row), column };
}
