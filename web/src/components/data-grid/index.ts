/** The data grid as pages use it. */
export { DataGrid, type DataGridProps } from './data-grid.tsx';
export { usePagedLocally } from './paged-locally.ts';
export type { BulkAction, FrozenSelection, GridColumn, ListResult, RowAction, Selection } from './types.ts';
