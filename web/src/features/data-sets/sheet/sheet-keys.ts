/** Handles key presses in the sheet. */
import type { KeyboardEvent } from 'react';
import type { Cursor } from './cursor.ts';
import { type Box, boxAt, type CellPosition, fillDownBoxes } from './ranges.ts';
import type { Grid } from './sheet-grid.ts';

export interface SheetKeysOptions {
  cursor: Cursor;
  isReadOnly: boolean;
  moveByKey: (key: string, grid: Grid, toEdge?: boolean, extend?: boolean) => boolean;
  moveByTab: (isBackward: boolean, grid: Grid) => boolean;
  /** Opens the editor of a cell. Returns whether the browser should insert the typed character into the editor. */
  beginEdit: (position: CellPosition, grid: Grid, typed?: string) => boolean;
  clear: (box: Box, grid: Grid) => void;
  fill: (source: Box, target: Box, grid: Grid) => void;
  showMessage: (message: string | undefined) => void;
}

/**
 * Returns whether the sheet handled the key; `typed` if the browser must insert the character into the opened editor.
 */
export function onSheetKey(
  event: KeyboardEvent,
  grid: Grid,
  { cursor, isReadOnly, moveByKey, moveByTab, beginEdit, clear, fill, showMessage }: SheetKeysOptions,
): boolean | 'typed' {
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
  if (key === 'Tab') return moveByTab(event.shiftKey, grid);
  if (!event.altKey && moveByKey(key, grid, command, event.shiftKey)) {
    showMessage(undefined);
    return true;
  }
  if (command || event.altKey) return false;
  if (key === 'Enter' || key === 'F2') return !isReadOnly && (beginEdit(active, grid) || true);
  if (isReadOnly) return false;
  if (key === 'Delete' || key === 'Backspace') {
    clear(box ?? boxAt(active), grid);
    return true;
  }
  if (key === 'Escape') cursor.go(active);
  else if (key.length === 1 || key === 'Process' || key === 'Dead') {
    // The character must not trigger a shortcut of the page.
    event.stopPropagation();
    return beginEdit(active, grid, key) ? 'typed' : true;
  } else return false;
  return true;
}
