/**
 * Edits one cell of the sheet. An edit starts by typing, Enter, F2 or a double click. The entered text is lost only if
 * the user cancels, or leaves a key cell with an invalid key.
 */
import type { InstanceView } from '@rdm/contracts/data-sets/instances';
import { booleanByPrefix, type CellValue, checkCell } from '@rdm/contracts/text/rows';
import type { ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { sessionExists } from '../../../lib/api/index.ts';
import { type CellField, cellText, parseCellText } from '../components/cells.ts';
import { CellEditor, type CommitAction } from './CellEditor.tsx';
import type { Cursor, EditedCell } from './cursor.ts';
import { type Edits, readRowOf } from './edits/edits.ts';
import type { Box, CellPosition } from './ranges.ts';
import type { CellText, Grid } from './sheet-grid.ts';

export interface EditingOptions {
  cursor: Cursor;
  edits: Edits;
  byName: ReadonlyMap<string, CellField>;
  textOf: (row: InstanceView, name: string) => string;
  /** Returns why a cell cannot be edited; undefined if the cell can be edited. */
  cellLockReason: (field: CellField | undefined) => string | undefined;
  /** Opens the confirmation for a new key of a row. */
  changeKey: (change: { id: number; key: string; field: string; before: string; value: CellValue }) => void;
  write: (changes: readonly CellText[], verb: string) => void;
  writableCells: (box: Box, grid: Grid, textFor: (position: CellPosition) => string) => CellText[];
  withCells: (box: Box, grid: Grid, then: (grid: Grid) => void) => void;
  showMessage: (text: string | undefined) => void;
  /** Moves the cursor after an edit. */
  moveByKey: (key: string, grid: Grid) => boolean;
  moveByTab: (isBackward: boolean, grid: Grid) => boolean;
}

const ARROW_KEYS: Partial<Record<CommitAction, string>> = { down: 'ArrowDown', up: 'ArrowUp' };

/** Whether the stored value does not match the type of its field. Committing the same text then converts the value. */
const isTypeMismatch = ({ row, field: name }: EditedCell, { dataType }: CellField): boolean =>
  !checkCell(row.data[name], dataType).ok;

/** Whether the text is unchanged, apart from line breaks, which text areas normalise. */
const isUnchanged = (text: string, before: string): boolean => text === before.replaceAll('\r\n', '\n');

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
    moveByKey,
    moveByTab,
  } = options;

  /**
   * Opens the editor of a cell, with the typed character `key` if there is one. Returns whether the browser should
   * insert the character; false if no editor opens or the field is boolean.
   */
  function beginEdit(position: CellPosition, grid: Grid, key?: string): boolean {
    const row = grid.rowAt(position.row);
    const field = byName.get(grid.columns[position.column] ?? '');
    if (row === undefined) {
      showMessage('This row is still loading');
      return false;
    }
    const lockReason = cellLockReason(field);
    showMessage(lockReason);
    if (lockReason !== undefined || field === undefined) return false;
    const before = cellText(edits.value(row, field.name));
    const editedText = textOf(row, field.name);
    // For a boolean, the typed character selects a value. A character that matches no value changes nothing.
    const selectsValue = field.dataType === 'boolean';
    leave();
    // Renders the editor synchronously, so that the browser inserts the character into it.
    flushSync(() => {
      cursor.go(position);
      const text = key === undefined ? editedText : selectsValue ? String(booleanByPrefix(key) ?? editedText) : '';
      cursor.edit({
        row: readRowOf(edits.withSavedEdits(row)),
        field: field.name,
        text,
        before,
        firstCharacter: key,
        problem: undefined,
      });
    });
    return !selectsValue;
  }

  /**
   * Saves the text and moves the cursor; `fill` saves it in the selected cells and does not move the cursor. If the
   * text is invalid, the editor stays open and shows the problem.
   */
  function commit(action: CommitAction, grid: Grid): void {
    const { editing, box } = cursor;
    const field = editing && byName.get(editing.field);
    if (editing === undefined || field === undefined) return;
    const parsed = parseCellText(editing.text, field.dataType);
    if (!parsed.ok) {
      cursor.edit({ ...editing, problem: parsed.reason });
      return;
    }
    if (field.isPrimaryKey && parsed.value === null) {
      cursor.edit({ ...editing, problem: 'A row needs its key' });
      return;
    }
    cursor.edit(undefined);
    if (action === 'fill' && box !== undefined) {
      withCells(box, grid, (loadedGrid) =>
        write(
          writableCells(box, loadedGrid, () => editing.text),
          'filled',
        ),
      );
    } else store(editing, field, isTypeMismatch(editing, field));
    const key = ARROW_KEYS[action];
    const hasMoved = key !== undefined ? moveByKey(key, grid) : action !== 'fill' && moveByTab(action === 'left', grid);
    if (!hasMoved && cursor.active !== undefined) grid.goTo(cursor.active.row);
  }

  /**
   * Ends an edit when the focus moves or the user leaves the page (`isPageGone`). Saves a changed text as a value or as
   * invalid text; a new key needs a confirmation.
   */
  function leave(isPageGone = false): void {
    const { editing } = cursor;
    const field = editing && byName.get(editing.field);
    if (editing === undefined || field === undefined) return;
    cursor.edit(undefined);
    // A key change needs a confirmation on the page, and saving needs a session.
    const isInterrupted = isPageGone && (field.isPrimaryKey || !sessionExists());
    if (!isInterrupted) store(editing, field, false);
    else if (!isUnchanged(editing.text, editing.before)) {
      const reason = field.isPrimaryKey
        ? 'You left the page while changing this key: open the cell and press Enter to continue'
        : 'The session ended while you were typing: open the cell and press Enter to continue';
      edits.keepInvalidText({ row: editing.row, field: field.name, text: editing.text, reason });
    }
  }

  /**
   * Writes the value, or opens the confirmation of a new key. Writes an unchanged text only to replace an invalid text
   * or, with `writesUnchanged`, to convert the value. Never writes an unchanged key.
   */
  function store(editing: EditedCell, field: CellField, writesUnchanged: boolean): void {
    const hasInvalidText = edits.invalidText(editing.row.id, field.name) !== undefined;
    if (!writesUnchanged && !hasInvalidText && isUnchanged(editing.text, editing.before)) return;
    if (!field.isPrimaryKey) {
      write([rowText(editing, field)], 'changed');
      return;
    }
    const { id, key } = editing.row;
    edits.dropInvalidText(id, field.name);
    if (isUnchanged(editing.text, editing.before)) return;
    const parsed = parseCellText(editing.text, field.dataType);
    if (!parsed.ok) showMessage(`The key was not changed: ${parsed.reason}`);
    else if (parsed.value === null) showMessage('The key was not changed: a row needs its key');
    else changeKey({ id, key, field: field.name, before: editing.before, value: parsed.value });
  }

  /** Returns the editor if the user is editing this cell; undefined otherwise. */
  function editor(row: InstanceView, field: CellField, grid: Grid | undefined): ReactNode | undefined {
    const { editing } = cursor;
    if (grid === undefined || editing === undefined) return undefined;
    if (editing.field !== field.name || editing.row.id !== row.id) return undefined;
    const currentText = cellText(row.data[field.name]);
    // Includes the user's own saved edits, so that they do not count as changes of another user.
    const editedRow = edits.withSavedEdits(editing.row);
    const isChanged = row.revision > editedRow.revision && currentText !== cellText(editedRow.data[field.name]);
    return (
      <CellEditor
        // DOM elements are reused for other rows. The key prevents these rows from showing the edited text.
        key={`${row.id} ${field.name}`}
        field={field}
        text={editing.text}
        firstCharacter={editing.firstCharacter}
        problem={editing.problem}
        newerText={isChanged ? currentText : undefined}
        onText={(text) => cursor.edit({ ...editing, text, problem: undefined })}
        onCommit={(action) => commit(action, grid)}
        onCancel={() => {
          cursor.edit(undefined);
          if (cursor.active !== undefined) grid.goTo(cursor.active.row);
        }}
        onLeave={() => leave()}
      />
    );
  }

  return { beginEdit, editor, leave };
}

/** The text with the row as of the start of the edit, so that the server detects later changes. */
const rowText = ({ row, text }: EditedCell, field: CellField): CellText => ({
  row: { ...row, createdAt: '', updatedAt: '', updatedBy: null },
  field,
  text,
});
