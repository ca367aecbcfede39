/** Plans a paste: the columns and rows to write, and the cells to omit. */
import { INSTANCES_PER_COMMAND } from '@rdm/contracts/constants';
import type { PastePreview } from '@rdm/contracts/data-sets/instance-paste';
import { formatNumber } from '../../../../lib/number-format.ts';
import type { CellField } from '../../components/cells.ts';
import type { Box } from '../ranges.ts';

export interface PasteTarget {
  /** The fields of the columns from the first selected cell to the right; undefined for a column without a field. */
  columns: readonly (string | undefined)[];
  /** Ids of the rows from the first selected cell down. */
  rows: readonly number[];
}

export interface PastePlan {
  request: PastePreview;
  /** The pasted line of each row of the request, counted from 1. */
  lines: number[];
  /** Reasons why cells are omitted, which the page displays before the paste is written. */
  omissions: string[];
}

export type PastePlanResult = { ok: true; plan: PastePlan } | { ok: false; reason: string };

const countText = (count: number, singular: string, plural: string) =>
  `${formatNumber(count)} ${count === 1 ? singular : plural}`;

/** Returns the indexes of the columns in a range that have a field. Omits system columns, which cannot be pasted. */
export function fieldColumns(
  { left, right }: Pick<Box, 'left' | 'right'>,
  columns: readonly string[],
  fields: readonly CellField[],
): number[] {
  const names = new Set(fields.map(({ name }) => name));
  return columns.flatMap((id, index) => (index >= left && index <= right && names.has(id) ? [index] : []));
}

/**
 * Returns the fields of the header line; undefined without a header line. The first of several lines is a header line
 * if its cells are the names of two or more different fields.
 */
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
 * Plans a paste at a cell. If the columns include all key fields, the lines change or add the rows with these keys. If
 * they include no key field, the lines fill the rows of `target`. Otherwise, the paste is refused.
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
    omissions.push(`${countText(columnsWithoutField, 'column has', 'columns have')} no matching field`);
  const pastedColumns = columns.flatMap((name, index) => (name === undefined ? [] : [{ name, index }]));
  if (pastedColumns.length === 0) return { ok: false, reason: 'No field here accepts the copied cells' };

  const names = new Set(pastedColumns.map(({ name }) => name));
  const keyNames = fields.filter((field) => field.isPrimaryKey).map(({ name }) => name);
  const isByKey = keyNames.every((name) => names.has(name));
  if (!isByKey && keyNames.some((name) => names.has(name))) {
    return { ok: false, reason: `The key of a row is ${keyNames.join(' and ')}: paste all key fields, or none` };
  }
  const fittingLines = isByKey ? lines : lines.slice(0, target.rows.length);
  if (fittingLines.length < lines.length) {
    const excessText = countText(lines.length - fittingLines.length, 'line is', 'lines are');
    omissions.push(`${excessText} below the last row: to add rows, start the paste in the key column`);
  }
  if (fittingLines.length === 0)
    return { ok: false, reason: `A new row needs its key: start the paste in ${keyNames.join(' and ')}` };
  if (fittingLines.length > INSTANCES_PER_COMMAND) {
    const maximum = formatNumber(INSTANCES_PER_COMMAND);
    return { ok: false, reason: `At most ${maximum} lines are pasted at once: import them as a file instead` };
  }
  const rows = fittingLines.map((line, index) => {
    const cells = pastedColumns.flatMap(({ index: column }) => line[column] ?? []);
    const id = isByKey ? undefined : target.rows[index];
    return id === undefined ? { cells } : { id, cells };
  });
  const firstLine = header === undefined ? 1 : 2;
  return {
    ok: true,
    plan: {
      request: { fields: pastedColumns.map(({ name }) => name), rows },
      lines: rows.map((_, index) => index + firstLine),
      omissions,
    },
  };
}

/**
 * Repeats the pasted cells over a selection whose height and width are multiples of the height and width of the paste.
 * Otherwise, returns the pasted cells once.
 */
export function tile(matrix: readonly (readonly string[])[], height: number, width: number): string[][] {
  const lines = matrix.length;
  const columns = matrix[0]?.length ?? 0;
  const fits = lines > 0 && columns > 0 && height % lines === 0 && width % columns === 0;
  if (!fits || height * width <= lines * columns) return matrix.map((line) => [...line]);
  return Array.from({ length: height }, (_, row) =>
    Array.from({ length: width }, (__, column) => matrix[row % lines]?.[column % columns] ?? ''),
  );
}
