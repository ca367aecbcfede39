/** The rows of the table. Scrolling re-renders only this component and new rows. */
import type { RowData } from '@tanstack/react-table';
import { memo, type RefObject, useEffect, useLayoutEffect } from 'react';
import { cn } from '../ui/cn.ts';
import type { CellLayer } from './cell-layer.ts';
import type { ColumnSlice } from './columns/column-window.ts';
import { SkeletonRows, Spacer } from './placeholders.tsx';
import { GridRow } from './row.tsx';
import type { RowStyles } from './row-styles.ts';
import type { Rows } from './rows.ts';
import { type LongRows, useRenderedRows } from './scrolling/long-window.ts';
import { useElements } from './scrolling/row-elements.ts';
import type { RowWindow } from './scrolling/row-window.ts';
import type { SelectionState } from './selection.ts';
import type { RowAction } from './types.ts';

export interface GridBodyProps<Row extends RowData> {
  ref: RefObject<HTMLTableSectionElement | null>;
  rows: Rows<Row>;
  idOf: (row: Row) => string;
  firstOrdinal: number;
  /** The rows to render: `longRows` for a long list, `paged` for one page. Both are undefined without rows. */
  longRows: LongRows | undefined;
  paged: RowWindow | undefined;
  /** The number of columns of the skeleton rows while the list is loading; otherwise 0. */
  skeletonColumns: number;
  /** The index of the row in the tab order. */
  active: number;
  focusInside: boolean;
  onRendered: () => void;
  /** Positions the pinned cells. */
  pin: () => void;
  slice: ColumnSlice<Row>;
  styles: RowStyles;
  selectable: boolean;
  selection: SelectionState<Row>;
  rowActions: ((row: Row) => readonly RowAction<Row>[]) | undefined;
  /** Returns the current actions of a row. The function is stable if actions are shown only in the menu. */
  actionsOf: ((row: Row) => readonly RowAction<Row>[]) | undefined;
  inlineActions: number;
  /** The id of the row whose menu is open. */
  menuRow: string | undefined;
  onMenuOpenChange: (id: string, open: boolean) => void;
  onSelectedChange: (index: number, extend: boolean) => void;
  flashAs: string | undefined;
  rowHeight: number;
  cells: CellLayer<Row> | undefined;
}

function Body<Row extends RowData>(props: GridBodyProps<Row>) {
  const { rows, idOf, longRows, paged, active, rowActions, rowHeight } = props;
  const long = useRenderedRows(longRows, rows.count, rowHeight);
  const { indexes: visibleIndexes, before, after } = paged ?? long;
  useLayoutEffect(props.pin);
  useEffect(props.onRendered);

  // In a long list, the focused row stays rendered outside the window: removing the row would lose the focus and
  // unsaved input.
  const last = visibleIndexes.at(-1) ?? -1;
  const first = visibleIndexes[0] ?? 0;
  const isActiveHidden =
    longRows !== undefined && props.focusInside && rows.count > 0 && (active < first || active > last);
  const indexes = !isActiveHidden
    ? visibleIndexes
    : active < first
      ? [active, ...visibleIndexes]
      : [...visibleIndexes, active];
  const elements = useElements(indexes, props.focusInside ? active : undefined);

  return (
    <tbody ref={props.ref} className={cn(props.styles.hasFixedHeight && 'relative')}>
      {props.skeletonColumns > 0 && <SkeletonRows columns={props.skeletonColumns} height={rowHeight} />}
      {before > 0 && <Spacer height={before} />}
      {indexes.map((index) => {
        const row = rows.at(index);
        const id = row === undefined ? '' : idOf(row);
        return (
          <GridRow
            // In a long list, a loaded row reuses the element of its skeleton, because that element may have the focus.
            key={props.styles.hasFixedHeight ? elements.get(index) : id}
            row={row}
            id={id}
            index={index}
            ordinal={props.firstOrdinal + index}
            slice={props.slice}
            styles={props.styles}
            selectable={props.selectable}
            selected={row !== undefined && props.selection.has(id)}
            active={index === active}
            actionsOf={props.actionsOf}
            hasActions={row !== undefined && (rowActions?.(row).length ?? 0) > 0}
            inlineActions={props.inlineActions}
            menuOpen={row !== undefined && props.menuRow === id}
            onMenuOpenChange={props.onMenuOpenChange}
            onSelectedChange={props.onSelectedChange}
            flashAs={props.flashAs}
            rowHeight={rowHeight}
            unseen={isActiveHidden && index === active}
            cells={props.cells}
            measure={paged?.measure}
          />
        );
      })}
      {after > 0 && <Spacer height={after} />}
    </tbody>
  );
}

export const GridBody = memo(Body) as typeof Body;
