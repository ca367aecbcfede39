/**
 * Edits one cell of the sheet. An edit starts by typing, Enter or a double click. Typed text is never discarded unless the user
 * confirms it.
 */
import type { InstanceView } from '@rdm/contracts/data-sets/instances';
import { booleanBegunWith, type CellValue, checkCell } from '@rdm/contracts/text/rows';
import type { ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { sessionExists } from '../../../lib/api/index.ts';
import { type CellField, cellText, typedCell } from '../components/cells.ts';
import { type After, CellEditor } from './CellEditor.tsx';
import type { Cursor, EditedCell } from './cursor.ts';
import { type Edits, readRowOf } from './edits/edits.ts';
import type { Box, Place } from './ranges.ts';
import type { CellText, Grid } from './sheet-grid.ts';

export interface EditingOptions {
  cursor: Cursor;
  edits: Edits;
  byName: ReadonlyMap<string, CellField>;
  textOf: (row: InstanceView, name: string) => string;
  /** Returns why a cell cannot be edited; undefined if it can. */
  cellLockReason: (field: CellField | undefined) => string | undefined;
  /** Opens the confirmation for a new key of a row. */
  changeKey: (change: { id: number; key: string; field: string; before: string; value: CellValue }) => void;
  write: (changes: readonly CellText[], verb: string) => void;
  writableCells: (box: Box, grid: Grid, textFor: (place: Place) => string) => CellText[];
  withCells: (box: Box, grid: Grid, then: (grid: Grid) => void) => void;
  showMessage: (text: string | undefined) => void;
  /** Moves the cursor after an edit. */
  press: (key: string, grid: Grid) => boolean;
  tab: (back: boolean, grid: Grid) => boolean;
}

const KEYS: Partial<Record<After, string>> = { down: 'ArrowDown', up: 'ArrowUp' };

/** Whether the stored value does not match the type of its field, which was changed: entering the same text converts the value. */
const isTypeMismatch = ({ row, field: name }: EditedCell, { dataType }: CellField): boolean =>
  !checkCell(row.data[name], dataType).ok;

/** Whether the text is unchanged. Text areas normalise line breaks, which alone is no change. */
const isSame = (text: string, before: string): boolean => text === before.replaceAll('\r\n', '\n');

export function useCellEditing(options: EditingOptions) {
  const {
    cursor,
    edits,
    byName,
    textOf,
    cellLockReason,
    changeKey,
    write,
    writableCells,
    withCells,
    showMessage,
    press,
    tab,
  } = options;

  /**
   * Starts editing a cell, with the typed character if there is one. Returns whether the browser should insert the character.
   * It should not if the cell is read-only, which is reported, or if the character has selected a boolean.
   */
  function begin(place: Place, grid: Grid, key?: string): boolean {
    const row = grid.rowAt(place.row);
    const field = byName.get(grid.columns[place.column] ?? '');
    if (row === undefined) {
      showMessage('This row is still loading');
      return false;
    }
    const why = cellLockReason(field);
    showMessage(why);
    if (why !== undefined || field === undefined) return false;
    const before = cellText(edits.value(row, field.name));
    const editedText = textOf(row, field.name);
    // For a boolean, the typed character selects a value; a character that matches none does not change the value.
    const selectsValue = field.dataType === 'boolean';
    leave();
    // Renders the editor synchronously, so that the browser inserts the character into it.
    flushSync(() => {
      cursor.go(place);
      const text = key === undefined ? editedText : selectsValue ? String(booleanBegunWith(key) ?? editedText) : '';
      cursor.edit({
        row: readRowOf(edits.withSavedEdits(row)),
        field: field.name,
        text,
        before,
        begunWith: key,
        problem: undefined,
      });
    });
    return !selectsValue;
  }

  /** Saves the text and moves the cursor. If the text is invalid, the editor stays open and shows the problem. */
  function commit(after: After, grid: Grid): void {
    const { editing, box } = cursor;
    const field = editing && byName.get(editing.field);
    if (editing === undefined || field === undefined) return;
    const parsed = typedCell(editing.text, field.dataType);
    if (!parsed.ok) {
      cursor.edit({ ...editing, problem: parsed.reason });
      return;
    }
    if (field.isPrimaryKey && parsed.value === null) {
      cursor.edit({ ...editing, problem: 'A row needs its key' });
      return;
    }
    cursor.edit(undefined);
    if (after === 'fill' && box !== undefined) {
      withCells(box, grid, (loadedGrid) =>
        write(
          writableCells(box, loadedGrid, () => editing.text),
          'filled',
        ),
      );
    } else store(editing, field, isTypeMismatch(editing, field));
    const key = KEYS[after];
    const hasMoved = key !== undefined ? press(key, grid) : after !== 'fill' && tab(after === 'left', grid);
    if (!hasMoved && cursor.active !== undefined) grid.goTo(cursor.active.row);
  }

  /** Ends an edit when the focus moves elsewhere or the page is left. The text is saved as a value, or kept as text. */
  function leave(isPageGone = false): void {
    const { editing } = cursor;
    const field = editing && byName.get(editing.field);
    if (editing === undefined || field === undefined) return;
    cursor.edit(undefined);
    // After the page is left, a change of a key can no longer be confirmed, and after the session has ended nothing can be saved.
    const isInterrupted = isPageGone && (field.isPrimaryKey || !sessionExists());
    if (!isInterrupted) store(editing, field, false);
    else if (!isSame(editing.text, editing.before)) {
      const reason = field.isPrimaryKey
        ? 'This key was being changed when the page was left: open its cell and press Enter to continue'
        : 'This was being typed when the session ended: open its cell and press Enter to continue';
      edits.keepUnreadable({ row: editing.row, field: field.name, text: editing.text, reason });
    }
  }

  /**
   * Writes the value; for a key, first opens the confirmation. With `writesUnchanged`, also writes an unchanged text, to
   * convert the value.
   */
  function store(editing: EditedCell, field: CellField, writesUnchanged: boolean): void {
    const isKept = edits.unreadable(editing.row.id, field.name) !== undefined;
    if (!writesUnchanged && !isKept && isSame(editing.text, editing.before)) return;
    if (!field.isPrimaryKey) {
      write([rowText(editing, field)], 'changed');
      return;
    }
    const { id, key } = editing.row;
    edits.dropUnreadable(id, field.name);
    if (isSame(editing.text, editing.before)) return;
    const parsed = typedCell(editing.text, field.dataType);
    if (!parsed.ok) showMessage(`The key was not changed: ${parsed.reason}`);
    else if (parsed.value === null) showMessage('The key was not changed: a row needs its key');
    else changeKey({ id, key, field: field.name, before: editing.before, value: parsed.value });
  }

  /** The editor, rendered in the edited cell. */
  function editor(row: InstanceView, field: CellField, grid: Grid | undefined): ReactNode | undefined {
    const { editing } = cursor;
    if (grid === undefined || editing === undefined) return undefined;
    if (editing.field !== field.name || editing.row.id !== row.id) return undefined;
    const currentText = cellText(row.data[field.name]);
    // The user's own edits that were being sent when this edit started are no changes of other users.
    const editedRow = edits.withSavedEdits(editing.row);
    const isChanged = row.revision > editedRow.revision && currentText !== cellText(editedRow.data[field.name]);
    return (
      <CellEditor
        // DOM elements are reused for other rows: the key prevents that the text of the editor appears in another row.
        key={`${row.id} ${field.name}`}
        field={field}
        text={editing.text}
        begunWith={editing.begunWith}
        problem={editing.problem}
        newerText={isChanged ? currentText : undefined}
        onText={(text) => cursor.edit({ ...editing, text, problem: undefined })}
        onCommit={(after) => commit(after, grid)}
        onCancel={() => {
          cursor.edit(undefined);
          if (cursor.active !== undefined) grid.goTo(cursor.active.row);
        }}
        onLeave={() => leave()}
      />
    );
  }

  return { begin, editor, leave };
}

/** The text with the row as it was when the edit started, so that the server detects later changes. */
const rowText = ({ row, text }: EditedCell, field: CellField): CellText => ({
  row: { ...row, createdAt: '', updatedAt: '', updatedBy: null },
  field,
  text,
});
