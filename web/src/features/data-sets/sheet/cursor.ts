/** The cell cursor of the sheet: the selected range, and the edited cell with its text. */
import type { ReadRow } from './edits/edits.ts';
import { type Box, boxOf, type CellPosition, type CellSelection, isIn } from './ranges.ts';

export interface EditedCell {
  /** The row as it was when the edit started. */
  row: ReadRow;
  field: string;
  text: string;
  /** The text of the stored or pending value when the edit started. */
  before: string;
  /** The typed character that started the edit, if any. Arrow keys end such an edit, except for a boolean. */
  firstCharacter: string | undefined;
  problem: string | undefined;
}

export class Cursor {
  #selection: CellSelection | undefined;
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

  get active(): CellPosition | undefined {
    return this.#selection?.focus;
  }

  get box(): Box | undefined {
    return this.#selection && boxOf(this.#selection);
  }

  /** The displayed selection, including a fill that the user is dragging. */
  get displayedBox(): Box | undefined {
    return this.#filling ?? this.box;
  }

  get editing(): EditedCell | undefined {
    return this.#editing;
  }

  isEditing = (): boolean => this.#editing !== undefined;

  /** Moves to a cell; with `extend`, extends the selected range to the cell. */
  go(position: CellPosition, extend = false): void {
    this.#selection = {
      anchor: extend && this.#selection !== undefined ? this.#selection.anchor : position,
      focus: position,
    };
    this.#notifyListeners();
  }

  selectBox({ top, left, bottom, right }: Box): void {
    this.#selection = { anchor: { row: bottom, column: right }, focus: { row: top, column: left } };
    this.#notifyListeners();
  }

  edit(editing: EditedCell | undefined): void {
    this.#editing = editing;
    this.#notifyListeners();
  }

  /** Displays the range that a drag of the fill handle would fill; undefined after the drag. */
  fillTo(box: Box | undefined): void {
    this.#filling = box;
    this.#notifyListeners();
  }

  /** A text that changes whenever the row at this index must re-render. Each row subscribes to its own text. */
  renderKey(row: number, id: number): string {
    const range = this.displayedBox;
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
