/**
 * Edits one cell of the sheet: started by typing, Enter or a double click; typed text is never discarded without
 * confirmation.
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
  /** Why a cell cannot be edited. */
  lockedCell: (field: CellField | undefined) => string | undefined;
  /** Opens the confirmation for a new key of a row. */
  changeKey: (change: { id: number; key: string; field: string; before: string; value: CellValue }) => void;
  write: (changes: readonly CellText[], verb: string) => void;
  writable: (box: Box, on: Grid, textFor: (place: Place) => string) => CellText[];
  withCells: (box: Box, on: Grid, then: (on: Grid) => void) => void;
  showMessage: (text: string | undefined) => void;
  /** Moves the cursor after an edit. */
  press: (key: string, on: Grid) => boolean;
  tab: (back: boolean, on: Grid) => boolean;
}

const KEYS: Partial<Record<After, string>> = { down: 'ArrowDown', up: 'ArrowUp' };

/** The value does not match the new type of its field: entering the same text converts it. */
const isTypeMismatch = ({ row, field: name }: EditedCell, { dataType }: CellField): boolean =>
  !checkCell(row.data[name], dataType).ok;

/** Text areas normalise line breaks: that alone is no change. */
const isSame = (text: string, before: string): boolean => text === before.replaceAll('\r\n', '\n');

export function useCellEditing(options: EditingOptions) {
  const { cursor, edits, byName, textOf, lockedCell, changeKey, write, writable, withCells, showMessage, press, tab } =
    options;

  /**
   * Starts editing a cell, with the typed character if there is one. Returns whether the browser should insert the
   * character: not if the cell is read-only, which is reported, nor if it selected a value.
   */
  function begin(place: Place, on: Grid, key?: string): boolean {
    const row = on.rowAt(place.row);
    const field = byName.get(on.columns[place.column] ?? '');
    if (row === undefined) {
      showMessage('This row is still being read');
      return false;
    }
    const why = lockedCell(field);
    showMessage(why);
    if (why !== undefined || field === undefined) return false;
    const before = cellText(edits.value(row, field.name));
    const editedText = textOf(row, field.name);
    // A character that matches no value keeps the current one.
    const isChosen = field.dataType === 'boolean';
    leave();
    // Synchronous, so that the browser inserts the character into the editor.
    flushSync(() => {
      cursor.go(place);
      const text = key === undefined ? editedText : isChosen ? String(booleanBegunWith(key) ?? editedText) : '';
      cursor.edit({
        row: readRowOf(edits.since(row)),
        field: field.name,
        text,
        before,
        begunWith: key,
        problem: undefined,
      });
    });
    return !isChosen;
  }

  /** Saves the text and moves on; invalid text keeps the editor open and shows the problem. */
  function commit(after: After, on: Grid): void {
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
      withCells(box, on, (at) =>
        write(
          writable(box, at, () => editing.text),
          'filled',
        ),
      );
    } else store(editing, field, isTypeMismatch(editing, field));
    const key = KEYS[after];
    const moved = key !== undefined ? press(key, on) : after !== 'fill' && tab(after === 'left', on);
    if (!moved && cursor.active !== undefined) on.goTo(cursor.active.row);
  }

  /** The focus moved elsewhere, or the page is left: the text is kept, as a value or as text. */
  function leave(isPageGone = false): void {
    const { editing } = cursor;
    const field = editing && byName.get(editing.field);
    if (editing === undefined || field === undefined) return;
    cursor.edit(undefined);
    // A key change cannot be confirmed after the page is left; and a session that ended during typing confirms nothing.
    const isCut = isPageGone && (field.isPrimaryKey || !sessionExists());
    if (!isCut) store(editing, field, false);
    else if (!isSame(editing.text, editing.before)) {
      const reason = field.isPrimaryKey
        ? 'This key was being changed when the page was left: open its cell and press Enter to continue'
        : 'This was being typed when the session ended: open its cell and press Enter to continue';
      edits.keepUnreadable({ row: editing.row, field: field.name, text: editing.text, reason });
    }
  }

  /** A key change is confirmed first; any other value is written. An unchanged value is written only to convert it. */
  function store(editing: EditedCell, field: CellField, meant: boolean): void {
    const isKept = edits.unreadable(editing.row.id, field.name) !== undefined;
    if (!meant && !isKept && isSame(editing.text, editing.before)) return;
    if (!field.isPrimaryKey) {
      write([rowText(editing, field)], 'changed');
      return;
    }
    const { id, key } = editing.row;
    edits.forget(id, field.name);
    if (isSame(editing.text, editing.before)) return;
    const parsed = typedCell(editing.text, field.dataType);
    if (!parsed.ok) showMessage(`The key was not changed: ${parsed.reason}`);
    else if (parsed.value === null) showMessage('The key was not changed: a row needs its key');
    else changeKey({ id, key, field: field.name, before: editing.before, value: parsed.value });
  }

  /** The editor, rendered in the edited cell. */
  function editor(row: InstanceView, field: CellField, on: Grid | undefined): ReactNode | undefined {
    const { editing } = cursor;
    if (on === undefined || editing === undefined) return undefined;
    if (editing.field !== field.name || editing.row.id !== row.id) return undefined;
    const now = cellText(row.data[field.name]);
    // Own edits that were being sent when this one started are not changes of other users.
    const editedRow = edits.since(editing.row);
    const isChanged = row.revision > editedRow.revision && now !== cellText(editedRow.data[field.name]);
    return (
      <CellEditor
        // DOM elements are reused for other rows: the key prevents that the editor's text moves with them.
        key={`${row.id} ${field.name}`}
        field={field}
        text={editing.text}
        begunWith={editing.begunWith}
        problem={editing.problem}
        meanwhile={isChanged ? now : undefined}
        onText={(text) => cursor.edit({ ...editing, text, problem: undefined })}
        onCommit={(after) => commit(after, on)}
        onCancel={() => {
          cursor.edit(undefined);
          if (cursor.active !== undefined) on.goTo(cursor.active.row);
        }}
        onLeave={() => leave()}
      />
    );
  }

  return { begin, editor, leave };
}

/** The row as it was when the edit started: the server detects later changes. */
const rowText = ({ row, text }: EditedCell, field: CellField): CellText => ({
  row: { ...row, createdAt: '', updatedAt: '', updatedBy: null },
  field,
  text,
});
