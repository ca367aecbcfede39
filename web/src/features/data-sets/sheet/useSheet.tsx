/** The sheet: typing, filling, copying and pasting over the rows of a data set, with all edits saved or kept. */

import type { InstanceView } from '@rdm/contracts/data-sets/instances';
import {
  type KeyboardEvent,
  type PointerEvent,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import type { CellAddress, CellLayer } from '../../../components/data-grid/index.ts';
import { useWindowKey } from '../../../lib/shortcuts/index.ts';
import { type CellField, cellText, typedCell } from '../components/cells.ts';
import { typeMismatch } from '../components/instance-columns.tsx';
import { cellStyle } from './cell-style.tsx';
import { useClipboard } from './clipboard/useClipboard.tsx';
import { Cursor } from './cursor.ts';
import { type ReadRow, readRowOf } from './edits/edits.ts';
import { useEdits } from './edits/useEdits.ts';
import {
  type Box,
  boxAround,
  boxAt,
  cellsIn,
  clampPlace,
  draggedBox,
  fillDownBoxes,
  fillValues,
  moveBy,
  nextCell,
  type Place,
} from './ranges.ts';
import type { CellText, Grid } from './sheet-grid.ts';
import { type ChangedCells, cellsText, type Step } from './undo/history.ts';
import { useSteps } from './undo/useSteps.tsx';
import { useCellEditing } from './useCellEditing.tsx';
import { useKeyChange } from './useKeyChange.tsx';
import { type LoadRows, useRangeLoading } from './useRangeLoading.tsx';

/** Larger changes must use find and replace, a paste or an import, which have a preview and a result for each row. */
const CELLS_MAX = 10_000;
const INTERACTIVE = 'a, button, input, textarea, select, label, [role="checkbox"]';

export interface SheetOptions {
  dataSetId: number;
  /** The key first. After a rename the sheet is mounted again, because edits are stored by field name. */
  fields: readonly (CellField & { fieldId: number })[];
  /** The loaded rows. */
  rows: readonly InstanceView[];
  /** Reads rows by their indexes, including those that are not loaded. */
  load: LoadRows;
  /** Why the sheet is read-only. */
  readOnly: string | undefined;
  /** Many rows were written at once. */
  onBulk: (step: Step) => void;
  /** In a read-only sheet, a double click opens the row. */
  onOpen: (row: InstanceView) => void;
}

const shapeOf = ({ count, columns }: Grid) => ({ rows: count, columns: columns.length, page: pageRows() });

/** The number of rows that Page Up and Page Down move: one less than visible. */
function pageRows(): number {
  const row = document.activeElement?.closest<HTMLElement>('[data-row]');
  const viewport = row?.closest<HTMLElement>('[data-scrolls]');
  if (row === null || row === undefined || viewport === null || viewport === undefined) return 1;
  return Math.max(1, Math.floor(viewport.clientHeight / row.offsetHeight) - 1);
}

export function useSheet({ dataSetId, fields, rows, load, readOnly, onBulk, onOpen }: SheetOptions) {
  const { edits, save } = useEdits(dataSetId, fields, rows);
  const steps = useSteps({ dataSetId, fields, edits, save, rows, onTaken: refocus });
  const [cursor] = useState(() => new Cursor());
  const isEditing = useSyncExternalStore(cursor.subscribe, cursor.isEditing);
  const [message, showMessage] = useState<string>();
  const grid = useRef<Grid>(undefined);
  const byName = new Map(fields.map((field) => [field.name, field]));
  const { within, dialog: reading } = useRangeLoading(load, showMessage);

  /** Why the cell is read-only; undefined if it can be written. */
  function locked(field: CellField | undefined): string | undefined {
    if (readOnly !== undefined) return readOnly;
    if (field === undefined) return 'The system maintains this column';
    return field.isPrimaryKey ? 'Keys can be changed only one at a time: edit a single key' : undefined;
  }
  /** Why one cell cannot be edited: a key can, after a confirmation. */
  const lockedCell = (field: CellField | undefined): string | undefined =>
    field?.isPrimaryKey && readOnly === undefined ? undefined : locked(field);

  const textOf = (row: InstanceView, name: string): string =>
    edits.unreadable(row.id, name)?.text ?? cellText(edits.value(row, name));

  function textAt({ row, column }: Place, on: Grid): string {
    const at = on.rowAt(row);
    const name = on.columns[column];
    return at === undefined || name === undefined || !byName.has(name) ? '' : textOf(at, name);
  }

  /** Writes texts into cells as one undoable step; invalid text is kept as typed. */
  function write(changes: readonly CellText[], verb: string): void {
    const byRow = new Map<number, { row: ReadRow; cells: ReadRow['data'] }>();
    const changed = new Map<number, ChangedCells>();
    for (const { row, field, text } of changes) {
      const cell = typedCell(text, field.dataType);
      if (!cell.ok) {
        edits.keepUnreadable({ row: readRowOf(row), field: field.name, text, reason: cell.reason });
        continue;
      }
      const before = edits.value(row, field.name);
      const change = byRow.get(row.id) ?? { row: readRowOf(row), cells: {} };
      change.cells[field.name] = cell.value;
      byRow.set(row.id, change);
      if (before === cell.value) continue;
      const step = changed.get(row.id) ?? { id: row.id, key: row.key, before: {}, after: {} };
      step.before[field.name] = before;
      step.after[field.name] = cell.value;
      changed.set(row.id, step);
    }
    if (byRow.size > 0) edits.edit(...byRow.values());
    const cells = [...changed.values()];
    const count = cells.reduce((sum, { after }) => sum + Object.keys(after).length, 0);
    if (count > 0) steps.record({ text: `${cellsText(count)} ${verb}`, cells, added: [], deleted: [] });
  }

  /** Runs an action on a range once all its rows are loaded; reports if there are too many. */
  function withCells(box: Box, on: Grid, then: (on: Grid) => void): void {
    if (cellsIn(box) <= CELLS_MAX) within(box, on, then);
    else showMessage(`At most ${cellsText(CELLS_MAX)} are written at once: use Replace, or import a file`);
  }

  /** The writable cells of a range with their texts; reports the number of others, and why. */
  function writable(box: Box, on: Grid, textFor: (place: Place) => string | undefined): CellText[] {
    const changes: CellText[] = [];
    let why: string | undefined;
    let left = 0;
    for (let row = box.top; row <= box.bottom; row++) {
      const at = on.rowAt(row);
      for (let column = box.left; column <= box.right && at !== undefined; column++) {
        const field = byName.get(on.columns[column] ?? '');
        const refused = locked(field);
        const text = textFor({ row, column });
        if (refused !== undefined || field === undefined) {
          why ??= refused;
          left += 1;
        } else if (text !== undefined) changes.push({ row: at, field, text });
      }
    }
    showMessage(why === undefined || changes.length === 0 ? why : `${cellsText(left)} left as they are: ${why}`);
    return changes;
  }

  const clear = (box: Box, on: Grid) =>
    withCells(box, on, (at) =>
      write(
        writable(box, at, () => ''),
        'emptied',
      ),
    );

  function fill(source: Box, target: Box, on: Grid) {
    const filledBox = boxAround(source, target);
    withCells(filledBox, on, (at) => {
      const texts = new Map(
        fillValues(source, target, (place) => textAt(place, at)).map(({ place, value }) => [
          `${place.row} ${place.column}`,
          value,
        ]),
      );
      write(
        writable(target, at, ({ row, column }) => texts.get(`${row} ${column}`)),
        'filled',
      );
    });
  }

  /** Moves the cursor, and scrolls the grid to it. */
  function go(place: Place | undefined, on: Grid, extend = false): boolean {
    if (place === undefined) return false;
    cursor.go(place, extend);
    on.goTo(place.row);
    const column = on.columns[place.column];
    if (column !== undefined) on.reveal(column);
    return true;
  }

  const press = (key: string, on: Grid, far = false, extend = false): boolean =>
    go(
      moveBy(clampPlace(cursor.active ?? { row: on.index, column: 0 }, shapeOf(on)), key, far, shapeOf(on)),
      on,
      extend,
    );
  const tab = (back: boolean, on: Grid): boolean =>
    cursor.active !== undefined && go(nextCell(cursor.active, back, shapeOf(on)), on);

  const done = (step: Step) => {
    steps.record(step);
    onBulk(step);
  };
  const keyChange = useKeyChange({ dataSetId, save, onChanged: done });
  const editing = useCellEditing({
    changeKey: keyChange.confirmKeyChange,
    cursor,
    edits,
    byName,
    textOf,
    lockedCell,
    write,
    writable,
    withCells,
    showMessage,
    press,
    tab,
  });
  const clipboard = useClipboard({
    dataSetId,
    fields,
    cursor,
    grid,
    readOnly,
    textAt,
    within,
    clear,
    write: (place, text, on) =>
      write(
        writable(boxAt(place), on, () => text),
        'pasted',
      ),
    save,
    showMessage,
    onPasted: done,
  });

  /** Returns whether the key was handled; then the browser's default is prevented. */
  function onKeyDown(event: KeyboardEvent, on: Grid): boolean {
    if (!(event.target as HTMLElement).matches('[data-row]')) return false;
    const command = event.ctrlKey || event.metaKey;
    const { key } = event;
    const { box } = cursor;
    const active = cursor.active ?? { row: on.index, column: 0 };
    if (key === ' ' && event.shiftKey) return false;
    if (command && key.toLowerCase() === 'd' && box !== undefined) {
      const boxes = fillDownBoxes(box);
      if (boxes !== undefined) fill(boxes.source, boxes.target, on);
      return true;
    }
    if (command && key.toLowerCase() === 'a') {
      cursor.choose({ top: 0, left: 0, bottom: on.count - 1, right: on.columns.length - 1 });
      return true;
    }
    if (key === 'Tab') return tab(event.shiftKey, on);
    if (!event.altKey && press(key, on, command, event.shiftKey)) {
      showMessage(undefined);
      return true;
    }
    if (command || event.altKey) return false;
    if (key === 'Enter' || key === 'F2') return readOnly === undefined && (editing.begin(active, on) || true);
    if (readOnly !== undefined) return false;
    if (key === 'Delete' || key === 'Backspace') {
      clear(box ?? boxAt(active), on);
      return true;
    }
    if (key === 'Escape') cursor.go(active);
    else if (key.length === 1 || key === 'Process' || key === 'Dead') {
      // Not a shortcut of the page, and not prevented: the browser inserts it into the editor that opens here.
      event.stopPropagation();
      return !editing.begin(active, on, key);
    } else return false;
    return true;
  }

  function onPointerDown(event: PointerEvent, cell: CellAddress, on: Grid): void {
    const target = event.target as HTMLElement;
    if (event.button !== 0 || target.closest(INTERACTIVE) !== null) return;
    const column = on.columns.indexOf(cell.columnId);
    const isFill = target.closest('[data-handle]') !== null;
    const from = cursor.box;
    if (!isFill) {
      showMessage(undefined);
      cursor.go({ row: cell.index, column }, event.shiftKey);
    }
    // Touch scrolls: only a mouse or a pen selects.
    if (event.pointerType === 'touch') return;
    const dragEnded = new AbortController();
    let to: Place = { row: cell.index, column };
    const follow = (moving: globalThis.PointerEvent) => {
      const now = grid.current;
      const place = now && placeUnder(moving, now);
      if (place === undefined || (place.row === to.row && place.column === to.column)) return;
      to = place;
      if (!isFill) cursor.go(place, true);
      else if (from !== undefined) cursor.fillTo(draggedBox(from, place));
    };
    const end = () => {
      dragEnded.abort();
      if (!isFill || from === undefined || grid.current === undefined) return;
      cursor.fillTo(undefined);
      const reached = draggedBox(from, to);
      fill(from, reached, grid.current);
      cursor.choose(reached);
    };
    window.addEventListener('pointermove', follow, { signal: dragEnded.signal });
    window.addEventListener('pointerup', end, { signal: dragEnded.signal });
    window.addEventListener('pointercancel', () => dragEnded.abort(), { signal: dragEnded.signal });
  }

  function onDoubleClick({ index, columnId }: CellAddress, on: Grid): void {
    const row = on.rowAt(index);
    if (readOnly === undefined) editing.begin({ row: index, column: on.columns.indexOf(columnId) }, on);
    else if (row !== undefined) onOpen(row);
  }

  /** The cursor follows its row when rows move. */
  const lastPosition = useRef<{ row: number; id: number | undefined }>(undefined);
  function onShow(on: Grid): void {
    grid.current = on;
    const { active } = cursor;
    if (active === undefined) return;
    const before = lastPosition.current;
    lastPosition.current = { row: active.row, id: on.rowAt(active.row)?.id };
    if (before?.id === undefined || before.row !== active.row || before.id === lastPosition.current.id) return;
    const now = placesAround(active.row, on).find((row) => on.rowAt(row)?.id === before.id);
    if (now === undefined) {
      // The edited row was deleted, not only unloaded: the typed text is kept.
      const isGone = on.rowAt(active.row) !== undefined || active.row >= on.count;
      if (isGone && cursor.editing?.row.id === before.id) editing.leave();
      return;
    }
    lastPosition.current = { row: now, id: before.id };
    cursor.go({ row: now, column: active.column });
    if (document.activeElement?.matches('[data-row]')) on.goTo(now);
  }

  const { editor, leave } = editing;
  const handlers = { leave, onKeyDown, onPointerDown, onDoubleClick, onShow, editor, lockedCell, textOf, byName };
  const latest = useRef(handlers);
  latest.current = handlers;
  const [cells] = useState(
    (): CellLayer<InstanceView> => ({
      className: 'cursor-cell select-none',
      isEdited: (row) => edits.holds(row.id),
      useRow(row, index) {
        const cursorStamp = useSyncExternalStore(cursor.subscribe, () =>
          row === undefined ? '' : cursor.stamp(index, row.id),
        );
        useSyncExternalStore(edits.subscribe, () => row && edits.stamp(row.id));
        // Most rows have neither the cursor nor edits: their columns render them.
        if (row === undefined || (cursorStamp === '' && !edits.holds(row.id))) return plain;
        return (columnId) => {
          const { byName: fieldsNow, lockedCell: isLocked, textOf: text, editor } = latest.current;
          const field = fieldsNow.get(columnId);
          const column = grid.current?.columns.indexOf(columnId) ?? -1;
          const mark = field && edits.mark(row.id, field.name);
          return cellStyle({
            row,
            field,
            place: { row: index, column },
            cursor,
            mark,
            text: field === undefined ? '' : text(row, field.name),
            // The replacement text has been validated.
            wrong: mark === undefined && field ? typeMismatch(row.data[field.name], field.dataType) : undefined,
            isLocked: isLocked(field) !== undefined,
            editor: field && editor(row, field, grid.current),
          });
        };
      },
      onKeyDown: (event, on) => latest.current.onKeyDown(event, on),
      onPointerDown: (event, cell, on) => latest.current.onPointerDown(event, cell, on),
      onDoubleClick: (cell, on) => latest.current.onDoubleClick(cell, on),
      onShow: (on) => latest.current.onShow(on),
    }),
  );

  /** After an undo the focus returns to the grid, even if its rows were reloaded or the button is gone. */
  function refocus(): void {
    const on = grid.current;
    const focused = document.activeElement;
    const isLost = focused === null || focused === document.body || focused.closest('[data-undo]') !== null;
    if (isLost) on?.goTo(on.index);
  }

  useWindowKey((event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.defaultPrevented) return;
    if ((event.target as HTMLElement).closest('input, textarea, select, [role="dialog"], [role="alertdialog"]')) return;
    const key = event.key.toLowerCase();
    if (key === 'z' && !event.shiftKey) void steps.undo();
    else if (key === 'z' || key === 'y') void steps.redo();
    else return;
    event.preventDefault();
  });
  useEffect(() => clipboard.listen(), [clipboard.listen]);
  // Before the edits lose their listeners.
  useLayoutEffect(() => () => latest.current.leave(true), []);

  /** The active cell as text. */
  function describe(): string {
    const { active } = cursor;
    const row = active && grid.current?.rowAt(active.row);
    const name = active && grid.current?.columns[active.column];
    if (active === undefined || row === undefined || name === undefined || !byName.has(name)) return '';
    return `${row.key}, ${name}: ${textOf(row, name) || 'no value'}`;
  }

  return {
    cells,
    cursor,
    describe,
    edits,
    save,
    steps,
    message,
    isEditing,
    pasteRows: clipboard.pasteRows,
    dialogs: (
      <>
        {steps.dialogs}
        {reading}
        {keyChange.dialog}
        {clipboard.dialog}
      </>
    ),
  };
}

const plain = () => undefined;

/** A row moves only by the number of rows added or removed around it. */
const NEAR = 200;

function placesAround(row: number, { count }: Grid): number[] {
  const from = Math.max(0, row - NEAR);
  return Array.from({ length: Math.min(count, row + NEAR) - from }, (_, offset) => from + offset);
}

function placeUnder({ clientX, clientY }: globalThis.PointerEvent, { columns }: Grid): Place | undefined {
  const cell = document.elementFromPoint(clientX, clientY)?.closest<HTMLElement>('td[data-column]');
  const row = cell?.closest<HTMLElement>('[data-row]')?.dataset['row'];
  const column = columns.indexOf(cell?.dataset['column'] ?? '');
  return row === undefined || column < 0 ? undefined : { row: Number(row), column };
}
