/** The cell cursor of the sheet: the selected range, and the edited cell with its text. Each row subscribes to its own changes. */
import type { ReadRow } from './edits/edits.ts';
import { type Box, boxOf, isIn, type Place, type Range } from './ranges.ts';

/** An edited cell, with the row as it was when the edit started. */
export interface EditedCell {
  row: ReadRow;
  field: string;
  text: string;
  /** The text of the cell before the edit: if the text is the same at the end, nothing changes. */
  before: string;
  /** The typed character that started the edit, if one did: arrow keys then end the edit, as in a spreadsheet. */
  begunWith: string | undefined;
  problem: string | undefined;
}

export class Cursor {
  #range: Range | undefined;
  #editing: EditedCell | undefined;
  #filling: Box | undefined;
  readonly #listeners = new Set<() => void>();

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #notifyListeners(): void {
    for (const listener of this.#listeners) listener();
  }

  get active(): Place | undefined {
    return this.#range?.focus;
  }

  get box(): Box | undefined {
    return this.#range && boxOf(this.#range);
  }

  /** The displayed selection, including a fill that the user is dragging. */
  get displayedRange(): Box | undefined {
    return this.#filling ?? this.box;
  }

  get editing(): EditedCell | undefined {
    return this.#editing;
  }

  isEditing = (): boolean => this.#editing !== undefined;

  /** Moves to a cell; with `extend`, extends the selected range to the cell. */
  go(place: Place, extend = false): void {
    this.#range = { anchor: extend && this.#range !== undefined ? this.#range.anchor : place, focus: place };
    this.#notifyListeners();
  }

  selectBox({ top, left, bottom, right }: Box): void {
    this.#range = { anchor: { row: bottom, column: right }, focus: { row: top, column: left } };
    this.#notifyListeners();
  }

  edit(editing: EditedCell | undefined): void {
    this.#editing = editing;
    this.#notifyListeners();
  }

  fillTo(box: Box | undefined): void {
    this.#filling = box;
    this.#notifyListeners();
  }

  /** A text that changes whenever the row at this index must re-render. */
  stamp(row: number, id: number): string {
    const range = this.displayedRange;
    const parts: (string | number | undefined)[] = [];
    if (this.active?.row === row) parts.push('at', this.active.column);
    if (range !== undefined && isIn(range, { row, column: range.left })) {
      parts.push(range.left, range.right, Number(row === range.bottom), Number(range.top === range.bottom));
    }
    if (this.#editing?.row.id === id) {
      const { field, text, problem } = this.#editing;
      parts.push(field, text, problem);
    }
    return parts.join('\n');
  }
}
