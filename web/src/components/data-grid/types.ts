/** What a list tells the data grid about its columns, rows and actions. */
import type { Page } from '@rdm/contracts/lists/filter';
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

export interface GridColumn<Row> {
  /** Names the column in the link, and the sort sent to the server. */
  id: string;
  header: string;
  /** Plain text is best returned as a string: then the cell needs no elements of its own. */
  cell: (row: Row) => ReactNode;
  /** Its text is a code: drawn with letters of one width. */
  code?: boolean;
  /** Spaces in its text are shown as they are. */
  spaced?: boolean;
  /** Plain value for exports and for lists sorted in the browser; without it the column is not exported. */
  value?: (row: Row) => unknown;
  sortable?: boolean;
  /** Numbers stand to the right. */
  numeric?: boolean;
  /** Pixels until the content is measured: for short content, which stays whole. Columns without it share what is left. */
  width?: number;
  /** Pixels below which the text of a column without a width is not cut. */
  minWidth?: number;
  /** Shown only when chosen. */
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
  /** Greys the action and says why. */
  unavailable?: string | undefined;
  destructive?: boolean;
}

/** Rows chosen one by one, or all that match the filter, frozen by the server under `selectionId`. */
export interface Selection<Row> {
  rows: readonly Row[];
  selectionId: string | undefined;
  /** How many rows an action will touch. */
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

/** The part of a query result the grid reads; `useQuery` of a `Page` fits. */
export interface ListResult<Row> {
  data: Pick<Page<Row>, 'items' | 'total'> | undefined;
  isPending: boolean;
  isFetching: boolean;
  /** When `data` was last read, in milliseconds since 1970, also where nothing was different. */
  dataUpdatedAt?: number | undefined;
  /** `data` is that of the view before, until that of this view is read. */
  isPlaceholderData?: boolean | undefined;
  error: Error | null;
  refetch: () => unknown;
}

/** A whole list, read in chunks as it is scrolled through: what `useLongList` answers. */
export interface LongList<Row> extends ListResult<Row> {
  long: {
    /** Rows as far as is known; grows while the total is only a floor. */
    count: number;
    /** Names what `data.items` holds: other rows of the list, another sort, another filter. */
    shape: string;
    /** Names search, filter and sort: with others the list begins anew. */
    view: string;
    /** The chunks that `data.items` holds, counted from 1, one behind the other. */
    chunks: readonly number[];
    chunkSize: number;
    /** These rows are in sight: they are read, and then those around them. */
    show: (first: number, last: number) => void;
    /** Reads the rows from one place to another. */
    load: (from: number, to: number) => Promise<Row[]>;
  };
}
