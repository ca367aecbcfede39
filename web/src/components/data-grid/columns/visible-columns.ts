/** Determines the visible columns of a list, with the widths that the user has set. */
import {
  columnOrderingFeature,
  columnVisibilityFeature,
  createColumnHelper,
  type RowData,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { useMemo } from 'react';
import type { GridColumn } from '../types.ts';
import type { ColumnWidths } from './column-widths.ts';

const NO_ROWS: readonly never[] = [];

const features = tableFeatures({ columnVisibilityFeature, columnOrderingFeature });

/** Returns the visible columns in the order of `visible`. The array changes only if an argument does. */
export function useVisibleColumns<Row extends RowData>(
  columns: readonly GridColumn<Row>[],
  visible: ReadonlySet<string>,
  widths: ColumnWidths,
): readonly GridColumn<Row>[] {
  const definitions = useMemo(() => {
    const helper = createColumnHelper<typeof features, Row>();
    return helper.columns(columns.map((column) => helper.display({ id: column.id, header: column.header })));
  }, [columns]);
  const columnVisibility = useMemo(
    () => Object.fromEntries(columns.map((column) => [column.id, visible.has(column.id)])),
    [columns, visible],
  );
  const columnOrder = useMemo(() => [...visible], [visible]);
  const table = useTable({
    features,
    columns: definitions,
    data: NO_ROWS as unknown as Row[],
    state: { columnVisibility, columnOrder },
  });
  const byId = useMemo(() => new Map(columns.map((column) => [column.id, column])), [columns]);
  const shown = table.getVisibleLeafColumns();
  return useMemo(
    () =>
      shown.flatMap(({ id }) => {
        const column = byId.get(id);
        if (column === undefined) return [];
        const width = widths[id];
        return [width === undefined ? column : { ...column, width }];
      }),
    [shown, byId, widths],
  );
}
