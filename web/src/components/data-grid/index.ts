/** The exports of the data grid. */
export type { CellAddress, CellDress, CellLayer, GridPlace } from './cell-layer.ts';
export { DataGrid, type DataGridProps } from './data-grid.tsx';
export { exportCsv } from './export.ts';
export { usePagedLocally } from './local-paging.ts';
export { useLongList } from './scrolling/long-list.ts';
export { useStable } from './stable-callback.ts';
export type { BulkAction, FrozenSelection, GridColumn, ListResult, RowAction, Selection } from './types.ts';
