/** Handles clicks, taps, double clicks and the focus on the rows of a list. */
import { type FocusEvent, type MouseEvent, type PointerEvent, useRef, useState } from 'react';
import type { CellAddress, CellLayer } from './cell-layer.ts';
import type { GridKeys } from './keyboard.ts';
import type { Rows } from './rows.ts';

const INTERACTIVE = 'a, button, input, textarea, select, label';

interface RowEventsOptions<Row> {
  rows: Rows<Row>;
  cells: CellLayer<Row> | undefined;
  opensOnClick: boolean;
  onOpen: ((row: Row) => void) | undefined;
  /**
   * Reports the row under the pointer, so that updates do not move it; undefined when the pointer or the focus leaves
   * the table.
   */
  onGuard: (index: number | undefined) => void;
  keys: Pick<GridKeys<Row>, 'position' | 'focusedAt'>;
}

/** Returns the handlers of the table, and whether the focus is in the table. */
export function useRowEvents<Row>({ rows, cells, opensOnClick, onOpen, onGuard, keys }: RowEventsOptions<Row>) {
  const isTouched = useRef(false);
  const [focusInside, setFocusInside] = useState(false);
  return {
    focusInside,
    onPointerDown(event: PointerEvent) {
      isTouched.current = event.pointerType === 'touch';
      const cell = cellOf(event.target);
      if (cell !== undefined) cells?.onPointerDown?.(event, cell, keys.position());
    },
    onClick(event: MouseEvent) {
      const row = rows.at(rowIndexOf(event.target) ?? -1);
      // A tap opens the row; a click opens the row if `opensOnClick` is set. With a cell layer, `onPointerDown` has
      // selected the cell instead.
      if ((!isTouched.current && !opensOnClick) || cells !== undefined || row === undefined) return;
      // A click that ends the selection of a text opens nothing.
      if (window.getSelection()?.isCollapsed === false) return;
      if (cellOf(event.target) !== undefined && !isForControl(event.target)) onOpen?.(row);
    },
    onDoubleClick(event: MouseEvent) {
      const row = rows.at(rowIndexOf(event.target) ?? -1);
      const cell = cellOf(event.target);
      if (row === undefined || isForControl(event.target)) return;
      if (cells?.onDoubleClick !== undefined && cell !== undefined) cells.onDoubleClick(cell, keys.position());
      else onOpen?.(row);
    },
    onPointerLeave: () => onGuard(undefined),
    onPointerOver(event: PointerEvent) {
      const index = rowIndexOf(event.target);
      if (index !== undefined) onGuard(index);
    },
    onFocus(event: FocusEvent) {
      setFocusInside(true);
      const index = rowIndexOf(event.target);
      if (index !== undefined) keys.focusedAt(index);
    },
    onBlur(event: FocusEvent) {
      if (event.currentTarget.contains(event.relatedTarget)) return;
      setFocusInside(false);
      onGuard(undefined);
    },
  };
}

function cellOf(target: EventTarget): CellAddress | undefined {
  const index = rowIndexOf(target);
  const columnId = (target as HTMLElement).closest<HTMLElement>('td[data-column]')?.dataset['column'];
  return index === undefined || columnId === undefined ? undefined : { index, columnId };
}

const isForControl = (target: EventTarget): boolean => (target as HTMLElement).closest(INTERACTIVE) !== null;

function rowIndexOf(target: EventTarget): number | undefined {
  const index = (target as HTMLElement).closest<HTMLElement>('[data-row]')?.dataset['row'];
  return index === undefined ? undefined : Number(index);
}
