/** The types that pages pass to the data grid: columns, rows and actions. */
import type { Page } from '@rdm/contracts/lists/filter';
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

export interface GridColumn<Row> {
  /** The id of the column in the URL, and of the sort sent to the server. */
  id: string;
  header: string;
  /** Returns the content of the cell. Plain text should be a string, so that the cell needs no further elements. */
  cell: (row: Row) => ReactNode;
  /** Whether the text is a code, shown in a monospaced font. */
  code?: boolean;
  /** Preserves spaces in the text. */
  spaced?: boolean;
  /** The plain value for exports. A column without it is not exported. */
  value?: (row: Row) => unknown;
  sortable?: boolean;
  /** Numbers are right-aligned. */
  numeric?: boolean;
  /**
   * The width in pixels of a column with short content, until the content is measured. Columns without `width` share
   * the remaining width.
   */
  width?: number;
  /** The minimum width of a text column without a width. */
  minWidth?: number;
  /** Hidden by default. */
  hidden?: boolean;
  /** Cannot be hidden. */
  required?: boolean;
  /** Long text wraps instead of being cut. */
  wrap?: boolean;
}

export interface RowAction<Row> {
  label: string;
  icon?: LucideIcon;
  onSelect: (row: Row) => void;
  /** Disables the action and shows the reason. On a page of the past, the action is omitted instead. */
  unavailable?: string | undefined;
  destructive?: boolean;
}

/** Rows selected individually, or all rows that match the filter, which the server stores under `selectionId`. */
export interface Selection<Row> {
  rows: readonly Row[];
  selectionId: string | undefined;
  /** The number of rows that an action affects. */
  count: number;
  clear: () => void;
}

export interface BulkAction<Row> {
  label: string;
  icon?: LucideIcon;
  onSelect: (selection: Selection<Row>) => void;
  unavailable?: (selection: Selection<Row>) => string | undefined;
  destructive?: boolean;
}

export interface FrozenSelection {
  selectionId: string;
  count: number;
}

/** The part of a query result that the grid uses, such as the result of `useQuery` for a `Page`. */
export interface ListResult<Row> {
  data: Pick<Page<Row>, 'items' | 'total'> | undefined;
  isPending: boolean;
  isFetching: boolean;
  /** The time when `data` was last read, in milliseconds since 1970, even if nothing changed. */
  dataUpdatedAt?: number | undefined;
  /** Whether `data` still belongs to the previous view, because the data of this view is not loaded yet. */
  isPlaceholderData?: boolean | undefined;
  error: Error | null;
  refetch: () => unknown;
}

/** The result of `useLongList`: a list that reads its rows in chunks while the user scrolls. */
export interface LongList<Row> extends ListResult<Row> {
  long: {
    /** The number of rows to scroll through, with one more chunk if the length of the list is unknown. */
    count: number;
    /** Identifies the content of `data.items`: its view and its chunks. */
    contentKey: string;
    /** Identifies the search, filter and sort. When this value changes, the list scrolls to the page in the URL. */
    view: string;
    /** The numbers of the chunks in `data.items`, counted from 1, in the order of their rows. */
    chunks: readonly number[];
    chunkSize: number;
    /** Reports the visible rows, which are read first. */
    show: (first: number, last: number) => void;
    /** Reads the rows in a range of indexes. */
    load: (from: number, to: number) => Promise<Row[]>;
  };
}
