/** Names the columns of a sheet whose header has merged cells. */
import type { Merge } from './sheet-reader.ts';

/** The first rows of a sheet, by number. */
export type HeadRows = ReadonlyMap<number, readonly string[]>;

const spansColumns = ({ left, right }: Merge): boolean => right > left;
const covers = ({ top, bottom, left, right }: Merge, row: number, column: number): boolean =>
  row >= top && row <= bottom && column >= left && column <= right;

/**
 * Returns the cells of a possible header. A cell that is merged with a cell above has the text of that cell. Returns no
 * cells for a row with cells merged across columns, because such a row names groups of columns.
 */
export function headerCells(rows: HeadRows, merges: readonly Merge[], row: number): readonly string[] {
  const cells = rows.get(row) ?? [];
  if (merges.some((merge) => merge.top === row && spansColumns(merge))) return [];
  const above = merges.filter((merge) => !spansColumns(merge) && merge.top < row && merge.bottom >= row);
  if (above.length === 0) return cells;
  const filled = Array.from(
    { length: Math.max(cells.length, ...above.map(({ left }) => left + 1)) },
    (_, column) => cells[column] ?? '',
  );
  for (const { top, left } of above) filled[left] = rows.get(top)?.[left] ?? '';
  return filled;
}

/** Returns the names of the columns. Below a cell "Price" that is merged across columns, "EUR" becomes "Price / EUR". */
export function headerNames(rows: HeadRows, merges: readonly Merge[], header: number): string[] {
  const names = [...headerCells(rows, merges, header)];
  const width = names.length;
  for (let row = header - 1; row > 0; row--) {
    const groups = merges.filter(
      (merge) => covers(merge, row, merge.left) && merge.bottom < header && spansColumns(merge),
    );
    // A cell that is merged across the whole table is a title, not a group.
    if (groups.length === 0 || groups.some(({ left, right }) => right - left + 1 >= width)) break;
    for (const merge of groups) {
      const group = rows.get(merge.top)?.[merge.left]?.trim() ?? '';
      for (let column = merge.left; column <= merge.right && column < width; column++) {
        if (group !== '' && merge.top === row) names[column] = [group, names[column]].filter(Boolean).join(' / ');
      }
    }
  }
  return names;
}
