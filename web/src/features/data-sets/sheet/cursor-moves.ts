/** Moves the cursor by keys, and scrolls the grid to the cursor. */
import type { Cursor } from './cursor.ts';
import { type CellPosition, clampPosition, moveBy, nextCell } from './ranges.ts';
import type { Grid } from './sheet-grid.ts';

const shapeOf = ({ count, columns }: Grid) => ({ rows: count, columns: columns.length, page: pageRows() });

/** Returns how many rows Page Up and Page Down move: one less than are visible, but at least 1. */
function pageRows(): number {
  const row = document.activeElement?.closest<HTMLElement>('[data-row]');
  const viewport = row?.closest<HTMLElement>('[data-scrolls]');
  if (row === null || row === undefined || viewport === null || viewport === undefined) return 1;
  return Math.max(1, Math.floor(viewport.clientHeight / row.offsetHeight) - 1);
}

export function cursorMoves(cursor: Cursor) {
  function go(position: CellPosition | undefined, grid: Grid, extend = false): boolean {
    if (position === undefined) return false;
    cursor.go(position, extend);
    grid.goTo(position.row);
    const column = grid.columns[position.column];
    if (column !== undefined) grid.reveal(column);
    return true;
  }

  const moveByKey = (key: string, grid: Grid, toEdge = false, extend = false): boolean =>
    go(
      moveBy(clampPosition(cursor.active ?? { row: grid.index, column: 0 }, shapeOf(grid)), key, toEdge, shapeOf(grid)),
      grid,
      extend,
    );
  const moveByTab = (isBackward: boolean, grid: Grid): boolean =>
    cursor.active !== undefined && go(nextCell(cursor.active, isBackward, shapeOf(grid)), grid);

  return { moveByKey, moveByTab };
}
