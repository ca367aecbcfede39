/** Writes texts into cells, for typing, clearing and filling. */
import type { InstanceView } from '@rdm/contracts/data-sets/instances';
import { type CellField, cellText, parseCellText } from '../components/cells.ts';
import { type Edits, type ReadRow, readRowOf } from './edits/edits.ts';
import { type Box, boxAround, type CellPosition, cellsIn, fillValues } from './ranges.ts';
import type { CellText, Grid } from './sheet-grid.ts';
import { type ChangedCells, cellsText, type Step } from './undo/history.ts';

/** Larger changes need find and replace, a paste or an import, which have a preview and a result for each row. */
const CELLS_MAX = 10_000;

export interface CellWritesOptions {
  edits: Edits;
  byName: ReadonlyMap<string, CellField>;
  /** Why the sheet is read-only; undefined if the user can change it. */
  readOnlyReason: string | undefined;
  record: (step: Step) => void;
  /** Runs an action after all rows of a range are loaded. */
  withLoadedRows: (box: Box, grid: Grid, then: (grid: Grid) => void) => void;
  showMessage: (message: string | undefined) => void;
}

export function cellWrites({ edits, byName, readOnlyReason, record, withLoadedRows, showMessage }: CellWritesOptions) {
  /** Why a cell cannot be written as part of a range; undefined if it can. */
  function rangeLockReason(field: CellField | undefined): string | undefined {
    if (readOnlyReason !== undefined) return readOnlyReason;
    if (field === undefined) return 'The system maintains this column';
    return field.isPrimaryKey ? 'Keys can be changed only one at a time: edit a single key' : undefined;
  }
  /** Why a single cell cannot be edited; undefined if it can. A single key can be edited, unlike a key in a range. */
  const cellLockReason = (field: CellField | undefined): string | undefined =>
    field?.isPrimaryKey && readOnlyReason === undefined ? undefined : rangeLockReason(field);

  const textOf = (row: InstanceView, name: string): string =>
    edits.invalidText(row.id, name)?.text ?? cellText(edits.value(row, name));

  function textAt({ row, column }: CellPosition, grid: Grid): string {
    const loadedRow = grid.rowAt(row);
    const name = grid.columns[column];
    return loadedRow === undefined || name === undefined || !byName.has(name) ? '' : textOf(loadedRow, name);
  }

  /** Writes texts into cells as one undoable step. A text that is not a valid value is kept as text and not saved. */
  function write(changes: readonly CellText[], verb: string): void {
    const byRow = new Map<number, { row: ReadRow; cells: ReadRow['data'] }>();
    const changed = new Map<number, ChangedCells>();
    for (const { row, field, text } of changes) {
      const cell = parseCellText(text, field.dataType);
      if (!cell.ok) {
        edits.keepInvalidText({ row: readRowOf(row), field: field.name, text, reason: cell.reason });
        continue;
      }
      const before = edits.value(row, field.name);
      const change = byRow.get(row.id) ?? { row: readRowOf(row), cells: {} };
      change.cells[field.name] = cell.value;
      byRow.set(row.id, change);
      if (before === cell.value) continue;
      const changedCells = changed.get(row.id) ?? { id: row.id, key: row.key, before: {}, after: {} };
      changedCells.before[field.name] = before;
      changedCells.after[field.name] = cell.value;
      changed.set(row.id, changedCells);
    }
    if (byRow.size > 0) edits.edit(...byRow.values());
    const cells = [...changed.values()];
    const count = cells.reduce((sum, { after }) => sum + Object.keys(after).length, 0);
    if (count > 0) record({ text: `${cellsText(count)} ${verb}`, cells, added: [], deleted: [] });
  }

  /** Runs an action on a range after all rows are loaded. Shows a message instead if the range has too many cells. */
  function withCells(box: Box, grid: Grid, then: (grid: Grid) => void): void {
    if (cellsIn(box) <= CELLS_MAX) withLoadedRows(box, grid, then);
    else showMessage(`At most ${cellsText(CELLS_MAX)} can be changed at once: use Find and replace, or import a file`);
  }

  /** Returns the writable cells of a range with their new texts. A message gives the reason for unwritable cells. */
  function writableCells(box: Box, grid: Grid, textFor: (position: CellPosition) => string | undefined): CellText[] {
    const changes: CellText[] = [];
    let firstReason: string | undefined;
    let skippedCount = 0;
    for (let row = box.top; row <= box.bottom; row++) {
      const loadedRow = grid.rowAt(row);
      for (let column = box.left; column <= box.right && loadedRow !== undefined; column++) {
        const field = byName.get(grid.columns[column] ?? '');
        const reason = rangeLockReason(field);
        const text = textFor({ row, column });
        if (reason !== undefined || field === undefined) {
          firstReason ??= reason;
          skippedCount += 1;
        } else if (text !== undefined) changes.push({ row: loadedRow, field, text });
      }
    }
    showMessage(
      firstReason === undefined || changes.length === 0
        ? firstReason
        : `${cellsText(skippedCount)} left unchanged: ${firstReason}`,
    );
    return changes;
  }

  const clear = (box: Box, grid: Grid) =>
    withCells(box, grid, (loadedGrid) =>
      write(
        writableCells(box, loadedGrid, () => ''),
        'emptied',
      ),
    );

  function fill(source: Box, target: Box, grid: Grid) {
    const filledBox = boxAround(source, target);
    withCells(filledBox, grid, (loadedGrid) => {
      const texts = new Map(
        fillValues(source, target, (position) => textAt(position, loadedGrid)).map(({ position, value }) => [
          `${position.row} ${position.column}`,
          value,
        ]),
      );
      write(
        writableCells(target, loadedGrid, ({ row, column }) => texts.get(`${row} ${column}`)),
        'filled',
      );
    });
  }

  return { cellLockReason, textOf, textAt, write, writableCells, withCells, clear, fill };
}
