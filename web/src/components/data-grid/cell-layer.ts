/**
 * What a page may lay over the cells of its rows: a cursor, a range, marks, editors. Give `DataGrid` a `cells` that is
 * stable; whatever changes in it, rows learn through the hook `useRow`, so that only those concerned render anew.
 * Every cell names itself by `data-column`, every row by `data-row`, its place in the list.
 */
import type { KeyboardEvent, PointerEvent, ReactNode } from 'react';

export interface CellLayer<Row> {
  /** Of every cell. */
  className?: string;
  /**
   * A hook, called by each row on screen: it may subscribe. The row is undefined while it is being read: nothing of
   * it is dressed then. Undefined leaves the cell as its column draws it.
   */
  useRow: (row: Row | undefined, index: number) => (columnId: string) => CellDress | undefined;
  /** Does the list not show yet what was typed into this row? */
  isEdited: (row: Row) => boolean;
  /** Keys on the list, before the grid's own; answers whether they meant something. */
  onKeyDown?: (event: KeyboardEvent, grid: GridPlace<Row>) => boolean;
  /** A pointer went down on a cell. */
  onPointerDown?: (event: PointerEvent, cell: CellAddress, grid: GridPlace<Row>) => void;
  /** Two clicks on a cell; without it they open its row. */
  onDoubleClick?: (cell: CellAddress, grid: GridPlace<Row>) => void;
  /** After each rendering: the grid shows these rows and columns now. */
  onShow?: (grid: GridPlace<Row>) => void;
}

export interface CellDress {
  className?: string;
  /** `aria-selected`, `data-…` and the like. */
  attributes?: { readonly [name: `aria-${string}` | `data-${string}`]: string | number | boolean | undefined };
  /** In place of what the column draws: an editor, say. */
  content?: ReactNode;
}

export interface CellAddress {
  index: number;
  columnId: string;
}

/** Where the grid stands, and how it is moved. */
export interface GridPlace<Row> {
  /** The row in focus. */
  index: number;
  count: number;
  /** Undefined: not read yet. */
  rowAt: (index: number) => Row | undefined;
  /** Ids of the columns shown, in their order. */
  columns: readonly string[];
  /** Brings the row into sight and gives it the focus. */
  goTo: (index: number) => void;
  /** Brings the column into sight. */
  reveal: (columnId: string) => void;
}
