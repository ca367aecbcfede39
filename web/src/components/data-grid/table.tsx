/** The scrolling part of a list: its header and its visible rows, with keyboard and pointer handling. */
import type { RowData } from '@tanstack/react-table';
import {
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { ListState } from '../../lib/url-state/list-state.ts';
import { cn } from '../ui/cn.ts';
import { GridBody } from './body.tsx';
import type { CellLayer } from './cell-layer.ts';
import { widthOf } from './columns/column-fit.ts';
import { useColumnWidths } from './columns/column-widths.ts';
import { useColumnWindow } from './columns/column-window.ts';
import { useFittedColumns } from './columns/fitted-columns.ts';
import { useHorizontalScroll } from './columns/pinned-columns.ts';
import { useVisibleColumns } from './columns/visible-columns.ts';
import { DENSITIES, useDensity } from './density.ts';
import { GridHead } from './head.tsx';
import { useGridKeys } from './keyboard.ts';
import { usePrintedRows } from './printed-rows.ts';
import { useRowEvents } from './row-events.ts';
import { rowStyles } from './row-styles.ts';
import type { Rows } from './rows.ts';
import { useLongWindow } from './scrolling/long-window.ts';
import { usePageSync } from './scrolling/page-sync.ts';
import { useRowWindow } from './scrolling/row-window.ts';
import { SideScroll } from './scrolling/side-scroll.tsx';
import type { SelectionState } from './selection.ts';
import { useStableCallback } from './stable-callback.ts';
import type { GridColumn, LongList, RowAction } from './types.ts';

const CHECKBOX_WIDTH = 36;
/** The height of a header with two lines. */
const HEAD_HEIGHT = 36;
const ROW_MENU_WIDTH = 40;
const INLINE_ACTION_WIDTH = 30;

export interface GridTableProps<Row extends RowData> {
  label: string;
  state: ListState;
  columns: readonly GridColumn<Row>[];
  visible: ReadonlySet<string>;
  rows: Rows<Row>;
  /** The position of the first row in the whole list, from 1. */
  firstOrdinal: number;
  /** Set if the list scrolls continuously instead of having pages. */
  long: LongList<Row>['long'] | undefined;
  /** The number of rows in the whole list; undefined if only a lower bound is known. */
  total: number | undefined;
  loading: boolean;
  idOf: (row: Row) => string;
  selection: SelectionState<Row>;
  /** Selects, deselects or, without `selected`, toggles the rows; undefined if rows are not selectable. */
  select: ((from: number, to: number, selected?: boolean) => void) | undefined;
  rowActions: ((row: Row) => readonly RowAction<Row>[]) | undefined;
  inlineActions: number;
  onOpen: ((row: Row) => void) | undefined;
  opensOnClick: boolean;
  /** Reports the row under the pointer or reached by a key; undefined when the pointer or focus leaves the table. */
  onGuard: (index: number | undefined) => void;
  flashAs: string | undefined;
  cells: CellLayer<Row> | undefined;
  /** Receives the function that scrolls to a row and focuses it. */
  goTo: RefObject<((index: number) => void) | undefined>;
  /** Shown instead of rows: the empty state or an error; undefined if there are rows. */
  placeholder: ReactNode;
}

export function GridTable<Row extends RowData>(props: GridTableProps<Row>) {
  const { state, rows, idOf, long, select, selection, rowActions, onOpen, opensOnClick, onGuard, cells } = props;
  const viewport = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLTableSectionElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const [menuRow, setMenuRow] = useState<string>();
  const rowHeight = DENSITIES[useDensity()];
  const selectable = select !== undefined;
  const actionsWidth =
    rowActions === undefined ? undefined : ROW_MENU_WIDTH + props.inlineActions * INLINE_ACTION_WIDTH;
  const selectWidth = selectable ? CHECKBOX_WIDTH : 0;
  const { columns, columnIds, setWidth, columnWindow, minWidth } = useGridColumns(
    props,
    viewport,
    selectWidth,
    actionsWidth ?? 0,
  );

  const keyOf = useCallback(
    (index: number) => {
      const row = rows.at(index);
      return row === undefined ? index : idOf(row);
    },
    [rows, idOf],
  );
  const paged = useRowWindow(viewport, long === undefined ? rows.count : 0, rowHeight, keyOf);
  const showsRows = !props.loading && props.placeholder === undefined;
  // Called before `useLongWindow`: on a scroll, it must read the layout before new rows change the layout.
  const pin = useHorizontalScroll(viewport, frame, long !== undefined && showsRows);
  const longWindow = useLongWindow({
    viewport,
    body,
    enabled: long !== undefined && showsRows,
    count: rows.count,
    rowHeight,
    headHeight: HEAD_HEIGHT,
    onShow: long?.show ?? noop,
    onRest: (first, atEnd) => handleRest(first, atEnd),
  });
  const handleRest = usePageSync(state, long, longWindow.startWith);

  const keys = useGridKeys({
    viewport,
    rows,
    rowHeight,
    select,
    scrollTo: long === undefined ? paged.scrollTo : longWindow.scrollTo,
    step: columnWindow.step,
    gridScrolls: long !== undefined,
    columns: columnIds,
    reveal: (columnId) => columnWindow.reveal(columnIds.indexOf(columnId)),
    cells,
    onOpen,
    onMenu: (row) => rowActions !== undefined && setMenuRow(idOf(row)),
    onMove: onGuard,
  });
  useImperativeHandle(props.goTo, () => (index: number) => keys.position().goTo(index));
  useEffect(() => cells?.onShow?.(keys.position()));
  usePrintedRows(viewport, props.total);
  const page = currentPageRange(state, rows, long !== undefined);
  const onMenuOpenChange = useStableCallback((id: string, open: boolean) => setMenuRow(open ? id : undefined));
  const onSelectedChange = useStableCallback(keys.toggle);
  const onSelectPage = useStableCallback((selected: boolean) => {
    select?.(page.from, page.to, selected);
  });
  // Pages create new actions with every render. Rows that show actions only in their menu get a stable function, so
  // that new actions do not re-render them.
  const stableRowActions = useStableCallback((row: Row) => rowActions?.(row) ?? []);
  const actionsOf = rowActions === undefined || props.inlineActions > 0 ? rowActions : stableRowActions;

  const { focusInside, ...events } = useRowEvents({ rows, cells, opensOnClick, onOpen, onGuard, keys });
  const columnCount = columns.length + (selectable ? 1 : 0) + (actionsWidth === undefined ? 0 : 1);

  const hasFixedHeight = long !== undefined;
  const { slice } = columnWindow;
  const hasActions = rowActions !== undefined;
  const styles = useMemo(
    () => rowStyles({ slice, selectable, hasActions, hasFixedHeight, layer: cells }),
    [slice, selectable, hasActions, hasFixedHeight, cells],
  );

  const table = (
    <table
      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table whose rows take the focus is a grid
      role="grid"
      aria-label={props.label}
      aria-rowcount={props.total === undefined ? -1 : props.total + 1}
      aria-colcount={columnWindow.slice.fixed ? columnCount : undefined}
      aria-multiselectable={selectable || undefined}
      aria-busy={props.loading}
      className={cn(
        'w-full table-fixed border-separate border-spacing-0 text-sm',
        opensOnClick && '[&_tbody_tr]:cursor-pointer',
      )}
      style={{ minWidth }}
      onKeyDown={keys.onKeyDown}
      {...events}
    >
      <GridHead
        state={state}
        slice={columnWindow.slice}
        selected={select && checkboxState(rows.among(page.from, page.to), page.to - page.from + 1, selection, idOf)}
        hasRows={rows.count > 0}
        onSelect={onSelectPage}
        setWidth={setWidth}
        actionsWidth={actionsWidth}
        inlineActions={props.inlineActions}
        isLong={long !== undefined && showsRows}
      />
      <GridBody
        ref={body}
        rows={rows}
        idOf={idOf}
        firstOrdinal={props.firstOrdinal}
        longRows={long !== undefined && showsRows ? longWindow.rows : undefined}
        paged={long === undefined && showsRows ? paged : undefined}
        skeletonColumns={props.loading ? columnCount : 0}
        active={keys.active}
        focusInside={focusInside}
        onRendered={keys.takeFocus}
        pin={pin}
        slice={slice}
        styles={styles}
        selectable={selectable}
        selection={selection}
        rowActions={rowActions}
        actionsOf={actionsOf}
        inlineActions={props.inlineActions}
        menuRow={menuRow}
        onMenuOpenChange={onMenuOpenChange}
        onSelectedChange={onSelectedChange}
        flashAs={props.flashAs}
        rowHeight={rowHeight}
        cells={cells}
      />
    </table>
  );

  return (
    <ScrollArea
      {...{ viewport, frame, minWidth }}
      label={props.label}
      long={long !== undefined && showsRows ? longWindow : undefined}
      placeholder={props.loading ? undefined : props.placeholder}
    >
      {table}
    </ScrollArea>
  );
}

/** The visible columns with their widths, and the columns that are currently scrolled into view. */
function useGridColumns<Row extends RowData>(
  { label, columns: allColumns, visible, long }: GridTableProps<Row>,
  viewport: RefObject<HTMLDivElement | null>,
  selectWidth: number,
  actionsWidth: number,
) {
  const { widths, setWidth } = useColumnWidths(`${window.location.pathname} ${label}`);
  const otherWidth = selectWidth + actionsWidth;
  const columns = useFittedColumns({
    viewport,
    columns: useVisibleColumns(allColumns, visible, widths),
    widths,
    otherWidth,
    isLong: long !== undefined,
  });
  const columnIds = useMemo(() => columns.map(({ id }) => id), [columns]);
  const columnWindow = useColumnWindow(viewport, columns, selectWidth, actionsWidth);
  const minWidth = columns.reduce((sum, column) => sum + widthOf(column), 0) + otherWidth;
  return { columns, columnIds, setWidth, columnWindow, minWidth };
}

interface ScrollAreaProps {
  viewport: RefObject<HTMLDivElement | null>;
  /** The visible part of a long list. The element does not scroll; its rows are moved instead. */
  frame: RefObject<HTMLDivElement | null>;
  label: string;
  minWidth: number;
  /** Set if the list scrolls continuously. */
  long: { height: number; clientHeight: number } | undefined;
  placeholder: ReactNode;
  children: ReactNode;
}

function ScrollArea({ viewport, frame, label, minWidth, long, placeholder, children }: ScrollAreaProps) {
  const isEmpty = placeholder !== undefined;
  return (
    <SideScroll viewport={viewport}>
      <div
        ref={viewport}
        data-scrolls
        className="max-h-full min-h-0 overflow-auto"
        // Without rows, the scroll area itself is focusable, so that the keyboard can scroll headers that are wider
        // than the page.
        {...(isEmpty && { role: 'group', 'aria-label': label, tabIndex: 0 })}
      >
        {long === undefined ? (
          children
        ) : (
          <div style={{ height: long.height, minWidth }}>
            <div
              ref={frame}
              className="sticky top-0 left-0 overflow-clip"
              style={{ height: long.clientHeight || undefined }}
            >
              {children}
            </div>
          </div>
        )}
        {isEmpty && <div className="sticky left-0">{placeholder}</div>}
      </div>
    </SideScroll>
  );
}

const noop = () => undefined;

/** The indexes of the rows of the current page; a long list also has a current page. */
function currentPageRange<Row>({ params }: ListState, rows: Rows<Row>, isLong: boolean): { from: number; to: number } {
  const from = isLong ? Math.min((params.page - 1) * params.pageSize, Math.max(0, rows.count - 1)) : 0;
  return { from, to: Math.min(rows.count, from + params.pageSize) - 1 };
}

/**
 * The state of the checkbox that selects `count` rows: true if all are loaded and selected, false if no loaded row is
 * selected. `rows` are the loaded rows.
 */
function checkboxState<Row>(
  rows: readonly Row[],
  count: number,
  selection: SelectionState<Row>,
  idOf: (row: Row) => string,
): boolean | 'indeterminate' {
  if (selection.isEmpty) return false;
  const selectedCount = rows.filter((row) => selection.has(idOf(row))).length;
  return selectedCount === 0 ? false : selectedCount === count ? true : 'indeterminate';
}
