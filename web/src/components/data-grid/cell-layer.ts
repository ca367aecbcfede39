/**
 * The layer that a page can put over the cells of its rows: a cursor, a range, marks, editors. Pass a stable `cells` to
 * `DataGrid`. Rows subscribe to the changes of the layer with the hook `useRow`, so that only affected rows re-render.
 * Every cell has the attribute `data-column` with the id of its column. Every row has the attribute `data-row` with its
 * index in the list.
 */
import type { KeyboardEvent, PointerEvent, ReactNode } from 'react';

export interface CellLayer<Row> {
  /** The class of every cell. */
  className?: string;
  /**
   * A hook that each rendered row calls; the hook may subscribe to changes. The row is undefined while it is loading.
   * If the returned function returns undefined for a column, the cell shows what the column renders.
   */
  useRow: (row: Row | undefined, index: number) => (columnId: string) => CellOverlay | undefined;
  /** Whether the row has edits that the list does not show yet. */
  isEdited: (row: Row) => boolean;
  /**
   * Handles keys on the list before the grid does. Returns whether it handled the key; `typed` lets the browser insert
   * the character.
   */
  onKeyDown?: (event: KeyboardEvent, grid: GridPosition<Row>) => boolean | 'typed';
  /** Called on pointerdown on a cell. */
  onPointerDown?: (event: PointerEvent, cell: CellAddress, grid: GridPosition<Row>) => void;
  /** Called on a double click on a cell. If omitted, a double click opens the row. */
  onDoubleClick?: (cell: CellAddress, grid: GridPosition<Row>) => void;
  /** Called after each render with the rows and columns that the grid displays. */
  onShow?: (grid: GridPosition<Row>) => void;
}

export interface CellOverlay {
  className?: string;
  /** Attributes such as `aria-selected` and `data-…`. */
  attributes?: { readonly [name: `aria-${string}` | `data-${string}`]: string | number | boolean | undefined };
  /** Replaces what the column renders in the cell, for example by an editor. */
  content?: ReactNode;
}

export interface CellAddress {
  index: number;
  columnId: string;
}

/** The focused row, the rows and displayed columns, and functions that move the focus or scroll. */
export interface GridPosition<Row> {
  /** The index of the focused row. */
  index: number;
  count: number;
  /** Returns the row at an index; undefined while it is loading. */
  rowAt: (index: number) => Row | undefined;
  /** Ids of the visible columns, in their order. */
  columns: readonly string[];
  /** Scrolls to the row and focuses it. */
  goTo: (index: number) => void;
  /** Scrolls to the column. */
  reveal: (columnId: string) => void;
}
