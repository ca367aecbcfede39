/** Cursor movement and cell ranges. Positions are indexes of displayed rows and columns. */

/** The row and column index of a cell. */
export interface CellPosition {
  row: number;
  column: number;
}

/** A selection: the cell where it started, and the cell where it ends. */
export interface CellSelection {
  anchor: CellPosition;
  focus: CellPosition;
}

/** A range of cells: a rectangle that includes its last row and column. */
export interface Box {
  top: number;
  left: number;
  bottom: number;
  right: number;
}

/** The size of the sheet and of a page. */
export interface Shape {
  rows: number;
  columns: number;
  /** The number of rows by which Page Up and Page Down move the cursor. */
  page: number;
}

export const boxOf = ({ anchor, focus }: CellSelection): Box => ({
  top: Math.min(anchor.row, focus.row),
  left: Math.min(anchor.column, focus.column),
  bottom: Math.max(anchor.row, focus.row),
  right: Math.max(anchor.column, focus.column),
});

export const boxAt = ({ row, column }: CellPosition): Box => ({ top: row, left: column, bottom: row, right: column });

/** The smallest range that contains both ranges. */
export const boxAround = (one: Box, other: Box): Box => ({
  top: Math.min(one.top, other.top),
  left: Math.min(one.left, other.left),
  bottom: Math.max(one.bottom, other.bottom),
  right: Math.max(one.right, other.right),
});

export const isIn = ({ top, left, bottom, right }: Box, { row, column }: CellPosition): boolean =>
  row >= top && row <= bottom && column >= left && column <= right;

export const cellsIn = ({ top, left, bottom, right }: Box): number => (bottom - top + 1) * (right - left + 1);

const clamp = (value: number, max: number): number => Math.max(0, Math.min(max, value));

export const clampPosition = ({ row, column }: CellPosition, { rows, columns }: Shape): CellPosition => ({
  row: clamp(row, rows - 1),
  column: clamp(column, columns - 1),
});

/** The position after a key press; undefined for keys that do not move the cursor. */
export function moveBy(from: CellPosition, key: string, toEdge: boolean, shape: Shape): CellPosition | undefined {
  const last = { row: shape.rows - 1, column: shape.columns - 1 };
  const { row, column } = from;
  const moves: Record<string, CellPosition> = {
    ArrowUp: { row: toEdge ? 0 : row - 1, column },
    ArrowDown: { row: toEdge ? last.row : row + 1, column },
    ArrowLeft: { row, column: toEdge ? 0 : column - 1 },
    ArrowRight: { row, column: toEdge ? last.column : column + 1 },
    Home: { row: toEdge ? 0 : row, column: 0 },
    End: { row: toEdge ? last.row : row, column: last.column },
    PageUp: { row: row - shape.page, column },
    PageDown: { row: row + shape.page, column },
  };
  const to = moves[key];
  return to === undefined ? undefined : clampPosition(to, shape);
}

/** The next or previous cell in reading order; undefined after the last or before the first cell. */
export function nextCell(
  { row, column }: CellPosition,
  isBackward: boolean,
  { rows, columns }: Shape,
): CellPosition | undefined {
  const index = row * columns + column + (isBackward ? -1 : 1);
  if (index < 0 || index >= rows * columns) return undefined;
  return { row: Math.floor(index / columns), column: index % columns };
}

/** Repeats the values of `source` over `target`. Returns the new values by position, without the cells of `source`. */
export function fillValues<Value>(
  source: Box,
  target: Box,
  valueAt: (position: CellPosition) => Value,
): { position: CellPosition; value: Value }[] {
  const height = source.bottom - source.top + 1;
  const width = source.right - source.left + 1;
  const cells: { position: CellPosition; value: Value }[] = [];
  for (let row = target.top; row <= target.bottom; row++) {
    for (let column = target.left; column <= target.right; column++) {
      const position = { row, column };
      if (isIn(source, position)) continue;
      const from = {
        row: source.top + ((((row - source.top) % height) + height) % height),
        column: source.left + ((((column - source.left) % width) + width) % width),
      };
      cells.push({ position, value: valueAt(from) });
    }
  }
  return cells;
}

/**
 * The ranges of Ctrl+D: the first row fills the range, but a single row gets the values of the row above. Undefined if
 * the range is the first row of the sheet.
 */
export function fillDownBoxes(box: Box): { source: Box; target: Box } | undefined {
  if (box.bottom > box.top) return { source: { ...box, bottom: box.top }, target: box };
  if (box.top === 0) return undefined;
  const above = box.top - 1;
  return { source: { ...box, top: above, bottom: above }, target: box };
}

/** The range extended to the position of the dragged handle, along the axis with the longer distance. */
export function draggedBox(box: Box, to: CellPosition): Box {
  const rowDistance = Math.max(0, to.row - box.bottom, box.top - to.row);
  const columnDistance = Math.max(0, to.column - box.right, box.left - to.column);
  if (rowDistance === 0 && columnDistance === 0) return box;
  if (rowDistance >= columnDistance)
    return { ...box, top: Math.min(box.top, to.row), bottom: Math.max(box.bottom, to.row) };
  return { ...box, left: Math.min(box.left, to.column), right: Math.max(box.right, to.column) };
}
