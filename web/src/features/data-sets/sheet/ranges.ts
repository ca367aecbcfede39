/** Cursor movement and cell ranges: positions are the displayed row and column indexes. */

export interface Place {
  row: number;
  column: number;
}

/** The start of a selection and its current end. */
export interface Range {
  anchor: Place;
  focus: Place;
}

export interface Box {
  top: number;
  left: number;
  bottom: number;
  right: number;
}

export interface Shape {
  rows: number;
  columns: number;
  /** The number of rows that Page Up and Page Down move. */
  page: number;
}

export const boxOf = ({ anchor, focus }: Range): Box => ({
  top: Math.min(anchor.row, focus.row),
  left: Math.min(anchor.column, focus.column),
  bottom: Math.max(anchor.row, focus.row),
  right: Math.max(anchor.column, focus.column),
});

export const boxAt = ({ row, column }: Place): Box => ({ top: row, left: column, bottom: row, right: column });

/** The smallest range that contains both ranges. */
export const boxAround = (one: Box, other: Box): Box => ({
  top: Math.min(one.top, other.top),
  left: Math.min(one.left, other.left),
  bottom: Math.max(one.bottom, other.bottom),
  right: Math.max(one.right, other.right),
});

export const isIn = ({ top, left, bottom, right }: Box, { row, column }: Place): boolean =>
  row >= top && row <= bottom && column >= left && column <= right;

export const cellsIn = ({ top, left, bottom, right }: Box): number => (bottom - top + 1) * (right - left + 1);

const clamp = (value: number, most: number): number => Math.max(0, Math.min(most, value));

export const clampPlace = ({ row, column }: Place, { rows, columns }: Shape): Place => ({
  row: clamp(row, rows - 1),
  column: clamp(column, columns - 1),
});

/** The position after a key press; undefined for keys that do not move the cursor. */
export function moveBy(from: Place, key: string, far: boolean, shape: Shape): Place | undefined {
  const last = { row: shape.rows - 1, column: shape.columns - 1 };
  const { row, column } = from;
  const moves: Record<string, Place> = {
    ArrowUp: { row: far ? 0 : row - 1, column },
    ArrowDown: { row: far ? last.row : row + 1, column },
    ArrowLeft: { row, column: far ? 0 : column - 1 },
    ArrowRight: { row, column: far ? last.column : column + 1 },
    Home: { row: far ? 0 : row, column: 0 },
    End: { row: far ? last.row : row, column: last.column },
    PageUp: { row: row - shape.page, column },
    PageDown: { row: row + shape.page, column },
  };
  const to = moves[key];
  return to === undefined ? undefined : clampPlace(to, shape);
}

/** The next cell in reading order: along the row, then the first of the next row; undefined after the last cell. */
export function nextCell({ row, column }: Place, back: boolean, { rows, columns }: Shape): Place | undefined {
  const at = row * columns + column + (back ? -1 : 1);
  if (at < 0 || at >= rows * columns) return undefined;
  return { row: Math.floor(at / columns), column: at % columns };
}

/**
 * The values that fill `target` by repeating `source`; cells of the source keep their values. The rows and columns of the result
 * are those of the target.
 */
export function fillValues<Value>(
  source: Box,
  target: Box,
  valueAt: (place: Place) => Value,
): { place: Place; value: Value }[] {
  const height = source.bottom - source.top + 1;
  const width = source.right - source.left + 1;
  const cells: { place: Place; value: Value }[] = [];
  for (let row = target.top; row <= target.bottom; row++) {
    for (let column = target.left; column <= target.right; column++) {
      const place = { row, column };
      if (isIn(source, place)) continue;
      const from = {
        row: source.top + ((((row - source.top) % height) + height) % height),
        column: source.left + ((((column - source.left) % width) + width) % width),
      };
      cells.push({ place, value: valueAt(from) });
    }
  }
  return cells;
}

/** Ctrl+D copies the first row of the range down; for a single row, the row above. Undefined if there is no row above. */
export function fillDownBoxes(box: Box): { source: Box; target: Box } | undefined {
  if (box.bottom > box.top) return { source: { ...box, bottom: box.top }, target: box };
  if (box.top === 0) return undefined;
  const above = box.top - 1;
  return { source: { ...box, top: above, bottom: above }, target: box };
}

/** The range extended to the place of a dragged handle, along the axis with the longer distance. */
export function draggedBox(box: Box, to: Place): Box {
  const rowDistance = Math.max(0, to.row - box.bottom, box.top - to.row);
  const columnDistance = Math.max(0, to.column - box.right, box.left - to.column);
  if (rowDistance === 0 && columnDistance === 0) return box;
  if (rowDistance >= columnDistance)
    return { ...box, top: Math.min(box.top, to.row), bottom: Math.max(box.bottom, to.row) };
  return { ...box, left: Math.min(box.left, to.column), right: Math.max(box.right, to.column) };
}
