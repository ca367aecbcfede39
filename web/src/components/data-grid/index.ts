/** The data grid as pages use it. */
export type { CellAddress, CellDress, CellLayer, GridPlace } from './cells.ts';
export { DataGrid, type DataGridProps } from './data-grid.tsx';
export { exportCsv } from './export.ts';
export { useLongList } from './long-list.ts';
export { usePagedLocally } from './paged-locally.ts';
export { useStable } from './stable.ts';
export type { BulkAction, FrozenSelection, GridColumn, ListResult, RowAction, Selection } from './types.ts';
