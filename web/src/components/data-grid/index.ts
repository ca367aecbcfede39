/** The exports of the data grid. */
export type { CellAddress, CellLayer, CellOverlay, GridPosition } from './cell-layer.ts';
export { columnsOf, linkClasses, muted, NONE } from './columns/column-builders.tsx';
export { DataGrid, type DataGridProps } from './data-grid.tsx';
export { exportCsv } from './export.ts';
export { useLocalPaging } from './local-paging.ts';
export { useLongList } from './scrolling/long-list.ts';
export { useStableCallback } from './stable-callback.ts';
export type { BulkAction, FrozenSelection, GridColumn, ListResult, RowAction, Selection } from './types.ts';
