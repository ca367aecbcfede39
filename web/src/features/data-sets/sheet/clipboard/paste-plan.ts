/** Plans a paste: into which columns and rows it writes, and which of its cells it omits. */
import { INSTANCES_PER_COMMAND } from '@rdm/contracts/constants';
import type { PastePreview } from '@rdm/contracts/data-sets/instance-paste';
import { formatNumber } from '../../../../lib/number-format.ts';
import type { CellField } from '../../components/cells.ts';
import type { Box } from '../ranges.ts';

export interface PasteTarget {
  /** The fields of the columns from the active cell to the right; undefined for a column without a field. */
  columns: readonly (string | undefined)[];
  /** Ids of the rows from the active cell down. */
  rows: readonly number[];
}

export interface PastePlan {
  request: PastePreview;
  /** For each row of the request, the number of its pasted line, counted from 1. */
  lines: number[];
  /** Texts about omitted cells and the reasons; displayed before anything is written. */
  omissions: string[];
}

export type PastePlanResult = { ok: true; plan: PastePlan } | { ok: false; reason: string };

const plural = (count: number, one: string, many: string) => `${formatNumber(count)} ${count === 1 ? one : many}`;

/** The columns of a range that have a field. System columns are not copied, because they cannot be pasted. */
export function fieldColumns(
  { left, right }: Pick<Box, 'left' | 'right'>,
  columns: readonly string[],
  fields: readonly CellField[],
): number[] {
  const names = new Set(fields.map(({ name }) => name));
  return columns.flatMap((id, at) => (at >= left && at <= right && names.has(id) ? [at] : []));
}

/** Returns the fields of the first line if it consists of field names: it then determines the columns and is not a row. */
export function headerOf(matrix: readonly (readonly string[])[], fields: readonly CellField[]): string[] | undefined {
  const [first] = matrix;
  if (first === undefined || first.length < 2 || matrix.length < 2) return undefined;
  const headerFields = first.map(
    (text) => fields.find(({ name }) => name.toLowerCase() === text.trim().toLowerCase())?.name,
  );
  if (headerFields.some((name) => name === undefined) || new Set(headerFields).size < headerFields.length)
    return undefined;
  return headerFields as string[];
}

/**
 * Plans a paste at a cell. If the paste contains the complete key, each line changes the row with its key, or adds a row.
 * Otherwise the lines fill the rows from the active cell down.
 */
export function planPaste(
  matrix: readonly (readonly string[])[],
  fields: readonly CellField[],
  target: PasteTarget,
  header: readonly string[] | undefined,
): PastePlanResult {
  const lines = header === undefined ? matrix : matrix.slice(1);
  const width = Math.max(...lines.map((line) => line.length));
  const omissions: string[] = [];
  const columns = header ?? target.columns.slice(0, width);
  const columnsWithoutField = Math.max(0, width - columns.length) + columns.filter((name) => name === undefined).length;
  if (columnsWithoutField > 0)
    omissions.push(`${plural(columnsWithoutField, 'column has', 'columns have')} no matching field`);
  const places = columns.flatMap((name, at) => (name === undefined ? [] : [{ name, at }]));
  if (places.length === 0) return { ok: false, reason: 'No field here accepts the copied cells' };

  const names = new Set(places.map(({ name }) => name));
  const keys = fields.filter((field) => field.isPrimaryKey).map(({ name }) => name);
  const isByKey = keys.every((name) => names.has(name));
  if (!isByKey && keys.some((name) => names.has(name))) {
    return { ok: false, reason: `The key of a row is ${keys.join(' and ')}: paste all of it, or none of it` };
  }
  const fittingLines = isByKey ? lines : lines.slice(0, target.rows.length);
  if (fittingLines.length < lines.length) {
    const below = plural(lines.length - fittingLines.length, 'line has', 'lines have');
    omissions.push(`${below} no row here: to add rows, paste from the column of the key on`);
  }
  if (fittingLines.length === 0)
    return { ok: false, reason: `A new row needs its key: paste from ${keys.join(' and ')} on` };
  if (fittingLines.length > INSTANCES_PER_COMMAND) {
    const most = formatNumber(INSTANCES_PER_COMMAND);
    return { ok: false, reason: `At most ${most} lines are pasted at once: import them as a file instead` };
  }
  const rows = fittingLines.map((line, index) => {
    const cells = places.flatMap(({ at }) => line[at] ?? []);
    const id = isByKey ? undefined : target.rows[index];
    return id === undefined ? { cells } : { id, cells };
  });
  const first = header === undefined ? 1 : 2;
  return {
    ok: true,
    plan: {
      request: { fields: places.map(({ name }) => name), rows },
      lines: rows.map((_, index) => index + first),
      omissions,
    },
  };
}

/** Repeats a single text for every selected cell, and a block of cells if the selection is a multiple of the block in size. */
export function tile(matrix: readonly (readonly string[])[], height: number, width: number): string[][] {
  const lines = matrix.length;
  const columns = matrix[0]?.length ?? 0;
  const fits = lines > 0 && columns > 0 && height % lines === 0 && width % columns === 0;
  if (!fits || height * width <= lines * columns) return matrix.map((line) => [...line]);
  return Array.from({ length: height }, (_, row) =>
    Array.from({ length: width }, (__, column) => matrix[row % lines]?.[column % columns] ?? ''),
  );
}
