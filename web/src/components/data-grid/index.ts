/** The exports of the data grid. */
export type { CellAddress, CellLayer, CellOverlay as CellDress, GridPosition as GridPlace } from './cell-layer.ts';
export { DataGrid, type DataGridProps } from './data-grid.tsx';
export { exportCsv } from './export.ts';
export { useLocalPaging as usePagedLocally } from './local-paging.ts';
export { useLongList } from './scrolling/long-list.ts';
export { useStableCallback as useStable } from './stable-callback.ts';
export type { BulkAction, FrozenSelection, GridColumn, ListResult, RowAction, Selection } from './types.ts';
