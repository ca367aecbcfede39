/** Handles the keys of the sheet. */
import type { KeyboardEvent } from 'react';
import type { Cursor } from './cursor.ts';
import { type Box, boxAt, fillDownBoxes, type Place } from './ranges.ts';
import type { Grid } from './sheet-grid.ts';

export interface SheetKeysOptions {
  cursor: Cursor;
  isReadOnly: boolean;
  press: (key: string, grid: Grid, far?: boolean, extend?: boolean) => boolean;
  tab: (back: boolean, grid: Grid) => boolean;
  /** Opens the editor of a cell; returns whether it is open. */
  begin: (place: Place, grid: Grid, typed?: string) => boolean;
  clear: (box: Box, grid: Grid) => void;
  fill: (source: Box, target: Box, grid: Grid) => void;
  showMessage: (message: string | undefined) => void;
}

/** Returns whether the key was handled, so that the default of the browser is prevented. */
export function onSheetKey(
  event: KeyboardEvent,
  grid: Grid,
  { cursor, isReadOnly, press, tab, begin, clear, fill, showMessage }: SheetKeysOptions,
): boolean {
  if (!(event.target as HTMLElement).matches('[data-row]')) return false;
  const command = event.ctrlKey || event.metaKey;
  const { key } = event;
  const { box } = cursor;
  const active = cursor.active ?? { row: grid.index, column: 0 };
  if (key === ' ' && event.shiftKey) return false;
  if (command && key.toLowerCase() === 'd' && box !== undefined) {
    const boxes = fillDownBoxes(box);
    if (boxes !== undefined) fill(boxes.source, boxes.target, grid);
    return true;
  }
  if (command && key.toLowerCase() === 'a') {
    cursor.selectBox({ top: 0, left: 0, bottom: grid.count - 1, right: grid.columns.length - 1 });
    return true;
  }
  if (key === 'Tab') return tab(event.shiftKey, grid);
  if (!event.altKey && press(key, grid, command, event.shiftKey)) {
    showMessage(undefined);
    return true;
  }
  if (command || event.altKey) return false;
  if (key === 'Enter' || key === 'F2') return !isReadOnly && (begin(active, grid) || true);
  if (isReadOnly) return false;
  if (key === 'Delete' || key === 'Backspace') {
    clear(box ?? boxAt(active), grid);
    return true;
  }
  if (key === 'Escape') cursor.go(active);
  else if (key.length === 1 || key === 'Process' || key === 'Dead') {
    // The letter must be no shortcut of the page. The browser's default is not prevented: it inserts the letter into the
    // editor that opens.
    event.stopPropagation();
    return !begin(active, grid, key);
  } else return false;
  return true;
}
