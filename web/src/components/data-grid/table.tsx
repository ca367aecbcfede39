/** The scrolling part of a list: its head, the rows in sight, and who is told of keyboard and pointer. */
import type { RowData } from '@tanstack/react-table';
import { type ReactNode, useCallback, useRef, useState } from 'react';
import type { ListState } from '../../lib/url-state/list-state.ts';
import { DENSITIES, useDensity } from './density.ts';
import { GridHead } from './head.tsx';
import { useGridKeys } from './keyboard.ts';
import { SkeletonRows, Spacer } from './placeholders.tsx';
import { GridRow } from './row.tsx';
import { useRowWindow } from './row-window.ts';
import type { SelectionState } from './selection.ts';
import { useShownColumns, widthOf } from './shown-columns.ts';
import { SideScroll } from './side-scroll.tsx';
import type { GridColumn, RowAction } from './types.ts';

const CHECKBOX_WIDTH = 36;
const ROW_MENU_WIDTH = 40;
const INLINE_ACTION_WIDTH = 30;
const INTERACTIVE = 'a, button, input, textarea, select, label';

export interface GridTableProps<Row extends RowData> {
  label: string;
  state: ListState;
  columns: readonly GridColumn<Row>[];
  visible: ReadonlySet<string>;
  rows: readonly Row[];
  total: number | undefined;
  loading: boolean;
  idOf: (row: Row) => string;
  selectable: boolean;
  selection: SelectionState<Row>;
  rowActions: ((row: Row) => readonly RowAction<Row>[]) | undefined;
  inlineActions: number;
  onOpen: ((row: Row) => void) | undefined;
  onGuard: (index: number | undefined) => void;
  flashAs: string | undefined;
  /** Shown in place of rows: nothing here, or an error. */
  instead: ReactNode;
}

export function GridTable<Row extends RowData>(props: GridTableProps<Row>) {
  const { state, rows, idOf, selectable, selection, rowActions, onOpen, onGuard } = props;
  const viewport = useRef<HTMLDivElement>(null);
  const [menuRow, setMenuRow] = useState<string>();
  const rowHeight = DENSITIES[useDensity()];
  const columns = useShownColumns(props.columns, props.visible);
  const keyOf = useCallback(
    (index: number) => {
      const row = rows[index];
      return row === undefined ? index : idOf(row);
    },
    [rows, idOf],
  );
  const rowWindow = useRowWindow(viewport, rows.length, rowHeight, keyOf);
  const keys = useGridKeys({
    viewport,
    rows,
    rowHeight,
    selectable,
    selection,
    scrollTo: rowWindow.scrollTo,
    onOpen,
    onMenu: (row) => rowActions !== undefined && setMenuRow(idOf(row)),
    onMove: onGuard,
  });

  const actionsWidth =
    rowActions === undefined ? undefined : ROW_MENU_WIDTH + props.inlineActions * INLINE_ACTION_WIDTH;
  const columnCount = columns.length + (selectable ? 1 : 0) + (actionsWidth === undefined ? 0 : 1);
  const minWidth =
    columns.reduce((sum, column) => sum + widthOf(column), 0) + (selectable ? CHECKBOX_WIDTH : 0) + (actionsWidth ?? 0);

  return (
    <SideScroll viewport={viewport}>
      <div ref={viewport} data-scrolls className="max-h-full min-h-0 overflow-auto">
        <table
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table whose rows take the focus is a grid
          role="grid"
          aria-label={props.label}
          aria-rowcount={props.total === undefined ? -1 : props.total + 1}
          aria-multiselectable={selectable || undefined}
          aria-busy={props.loading}
          className="w-full table-fixed border-separate border-spacing-0 text-sm"
          style={{ minWidth }}
          onKeyDown={keys.onKeyDown}
          onDoubleClick={(event) => {
            const row = rows[rowIndexOf(event.target) ?? -1];
            // Two clicks on a button of the row are for the button.
            if (row !== undefined && (event.target as HTMLElement).closest(INTERACTIVE) === null) onOpen?.(row);
          }}
          onPointerLeave={() => onGuard(undefined)}
          onPointerOver={(event) => {
            const index = rowIndexOf(event.target);
            if (index !== undefined) onGuard(index);
          }}
          onFocus={(event) => {
            const index = rowIndexOf(event.target);
            if (index !== undefined) keys.focusedAt(index);
          }}
          onBlur={(event) => {
            if (!event.currentTarget.contains(event.relatedTarget)) onGuard(undefined);
          }}
        >
          <GridHead
            state={state}
            columns={columns}
            rows={rows}
            idOf={idOf}
            selection={selectable ? selection : undefined}
            actionsWidth={actionsWidth}
            inlineActions={props.inlineActions}
          />
          <tbody>
            {props.loading && <SkeletonRows columns={columnCount} height={rowHeight} />}
            {rowWindow.before > 0 && <Spacer height={rowWindow.before} />}
            {!props.loading &&
              props.instead === undefined &&
              rowWindow.indexes.map((index) => {
                const row = rows[index];
                if (row === undefined) return null;
                const id = idOf(row);
                return (
                  <GridRow
                    key={id}
                    row={row}
                    id={id}
                    index={index}
                    ordinal={(state.params.page - 1) * state.params.pageSize + index + 1}
                    columns={columns}
                    selectable={selectable}
                    selected={selection.has(id)}
                    active={index === keys.active}
                    actions={rowActions?.(row)}
                    inlineActions={props.inlineActions}
                    menuOpen={menuRow === id}
                    onMenuOpenChange={(open) => setMenuRow(open ? id : undefined)}
                    onSelectedChange={(extend) => keys.toggle(index, extend)}
                    flashAs={props.flashAs}
                    rowHeight={rowHeight}
                    measure={rowWindow.measure}
                  />
                );
              })}
            {rowWindow.after > 0 && <Spacer height={rowWindow.after} />}
          </tbody>
        </table>
        {!props.loading && props.instead !== undefined && <div className="sticky left-0">{props.instead}</div>}
      </div>
    </SideScroll>
  );
}

function rowIndexOf(target: EventTarget): number | undefined {
  const index = (target as HTMLElement).closest<HTMLElement>('[data-row]')?.dataset['row'];
  return index === undefined ? undefined : Number(index);
}
