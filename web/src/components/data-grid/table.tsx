/** The scrolling part of a list: sticky header, virtualised rows, and the keyboard. */
import {
  columnVisibilityFeature,
  createColumnHelper,
  type RowData,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp, ArrowUpDown } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { actsAsShortcut, isTyping, useWindowKey } from '../../lib/shortcuts/index.ts';
import type { ListState } from '../../lib/url-state/list-state.ts';
import { Checkbox } from '../ui/checkbox.tsx';
import { cn } from '../ui/cn.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { DENSITIES, useDensity } from './density.ts';
import { GridRow, keyColumnBesideCheckboxClasses, keyColumnClasses } from './row.tsx';
import type { SelectionState } from './selection.ts';
import { SideScroll } from './side-scroll.tsx';
import type { GridColumn, RowAction } from './types.ts';

/** Fewer rows than this are all rendered: measuring would cost more than it saves. */
const VIRTUAL_FROM = 100;
const DEFAULT_MIN_WIDTH = 120;
const SKELETON_ROWS = 8;
const ROW_MENU_WIDTH = 40;
const INLINE_ACTION_WIDTH = 30;
const INTERACTIVE = 'a, button, input, textarea, select, label';

const features = tableFeatures({ columnVisibilityFeature });

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
  const { state, columns, visible, rows, idOf, selectable, selection, rowActions, onOpen } = props;
  const viewport = useRef<HTMLDivElement>(null);
  const focused = useRef(0);
  const [{ index: activeIndex, focus }, setActive] = useState({ index: 0, focus: 0 });
  const [menuRow, setMenuRow] = useState<string>();
  const rowHeight = DENSITIES[useDensity()];
  const active = Math.min(activeIndex, Math.max(0, rows.length - 1));

  const definitions = useMemo(() => {
    const helper = createColumnHelper<typeof features, Row>();
    return helper.columns(columns.map((column) => helper.display({ id: column.id, header: column.header })));
  }, [columns]);
  const columnVisibility = useMemo(
    () => Object.fromEntries(columns.map((column) => [column.id, visible.has(column.id)])),
    [columns, visible],
  );
  const table = useTable({
    features,
    columns: definitions,
    data: rows as Row[],
    getRowId: idOf,
    state: { columnVisibility },
  });
  const byId = useMemo(() => new Map(columns.map((column) => [column.id, column])), [columns]);
  const tableRows = table.getRowModel().rows;

  const virtual = rows.length >= VIRTUAL_FROM;
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => viewport.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => tableRows[index]?.id ?? index,
    overscan: 8,
    enabled: virtual,
  });
  const items = virtual ? virtualizer.getVirtualItems() : [];
  const indexes = virtual ? items.map((item) => item.index) : tableRows.map((_, index) => index);
  const before = items[0]?.start ?? 0;
  const after = virtual ? virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0) : 0;

  // Without dependencies: a row far away exists only some renders after it was scrolled to.
  useEffect(() => {
    if (focused.current === focus) return;
    const element = viewport.current?.querySelector<HTMLElement>(`[data-row="${active}"]`);
    if (element === null || element === undefined) return;
    focused.current = focus;
    element.focus();
    element.scrollIntoView({ block: 'nearest' });
  });

  const shownColumns = columns.filter((column) => visible.has(column.id));
  const hasActions = rowActions !== undefined;
  const actionsWidth = ROW_MENU_WIDTH + props.inlineActions * INLINE_ACTION_WIDTH;
  const columnCount = shownColumns.length + (selectable ? 1 : 0) + (hasActions ? 1 : 0);
  const minWidth =
    shownColumns.reduce((sum, column) => sum + (column.width ?? column.minWidth ?? DEFAULT_MIN_WIDTH), 0) +
    (selectable ? 36 : 0) +
    (hasActions ? actionsWidth : 0);

  function moveTo(index: number, extend: boolean) {
    const target = Math.max(0, Math.min(rows.length - 1, index));
    if (extend && selectable)
      selection.toggle(rows.slice(Math.min(active, target), Math.max(active, target) + 1), true);
    if (virtual) virtualizer.scrollToIndex(target);
    setActive((known) => ({ index: target, focus: known.focus + 1 }));
    props.onGuard(target);
  }

  function toggleRange(index: number, extend: boolean) {
    const [start, end] = extend ? [Math.min(active, index), Math.max(active, index)] : [index, index];
    selection.toggle(rows.slice(start, end + 1), extend ? true : undefined);
    setActive((known) => ({ ...known, index }));
  }

  /** Letters act wherever the focus is, unless somebody types; arrows only on a row. */
  function letter(key: string, extend: boolean): boolean {
    const row = rows[active];
    if (row === undefined) return false;
    const inside = viewport.current?.contains(document.activeElement) ?? false;
    switch (key.toLowerCase()) {
      case 'j':
        moveTo(inside ? active + 1 : active, extend);
        return true;
      case 'k':
        moveTo(inside ? active - 1 : active, extend);
        return true;
      case 'x':
        if (!selectable) return false;
        selection.toggle([row]);
        return true;
      default:
        return false;
    }
  }

  useWindowKey((event) => {
    if (!actsAsShortcut(event)) return;
    const focused = document.activeElement;
    // Whoever just chose the tab of a list means its rows.
    const here =
      focused === document.body ||
      viewport.current?.contains(focused) ||
      focused?.matches('[role="tab"][aria-selected="true"]');
    if (here && letter(event.key, event.shiftKey)) event.preventDefault();
  });

  function onRowKey(event: KeyboardEvent) {
    const onRow = (event.target as HTMLElement).matches('[data-row]');
    const row = rows[active];
    if (row === undefined || isTyping(event.target)) return;
    if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) {
      event.preventDefault();
      if (hasActions) setMenuRow(idOf(row));
      return;
    }
    if (!onRow || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor((viewport.current?.clientHeight ?? 0) / rowHeight) - 1);
    const moves: Record<string, number> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      Home: 0,
      End: rows.length - 1,
      PageDown: active + page,
      PageUp: active - page,
    };
    const target = moves[event.key];
    if (target !== undefined) moveTo(target, event.shiftKey);
    else if (event.key === 'Enter' && onOpen !== undefined) onOpen(row);
    else if (event.key === ' ' && selectable) selection.toggle([row]);
    else return;
    event.preventDefault();
  }

  const pageSelected = rows.filter((row) => selection.has(idOf(row))).length;

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
          onKeyDown={onRowKey}
          onDoubleClick={(event) => {
            const target = event.target as HTMLElement;
            const row = rows[Number(target.closest<HTMLElement>('[data-row]')?.dataset['row'])];
            // Two clicks on a button of the row are for the button.
            if (row !== undefined && target.closest(INTERACTIVE) === null) onOpen?.(row);
          }}
          onPointerLeave={() => props.onGuard(undefined)}
          onPointerOver={(event) => {
            const index = (event.target as HTMLElement).closest<HTMLElement>('[data-row]')?.dataset['row'];
            if (index !== undefined) props.onGuard(Number(index));
          }}
          onFocus={(event) => {
            const index = event.target.closest<HTMLElement>('[data-row]')?.dataset['row'];
            if (index !== undefined) setActive((known) => ({ ...known, index: Number(index) }));
          }}
          onBlur={(event) => {
            if (!event.currentTarget.contains(event.relatedTarget)) props.onGuard(undefined);
          }}
        >
          <thead>
            <tr aria-rowindex={1}>
              {selectable && (
                <th scope="col" className={cn(headClasses, 'w-9', keyColumnClasses, 'z-[3] md:z-[3]')}>
                  <Checkbox
                    aria-label="Select all rows on this page"
                    checked={pageSelected === 0 ? false : pageSelected === rows.length ? true : 'indeterminate'}
                    onCheckedChange={(checked) => selection.toggle(rows, checked === true)}
                  />
                </th>
              )}
              {shownColumns.map((column, position) => (
                <th
                  key={column.id}
                  scope="col"
                  aria-sort={ariaSort(state, column)}
                  style={{ width: column.width }}
                  className={cn(
                    headClasses,
                    column.numeric && 'text-right',
                    position === 0 && [
                      selectable ? keyColumnBesideCheckboxClasses : keyColumnClasses,
                      'z-[3] md:z-[3]',
                    ],
                  )}
                >
                  {column.sortable ? <SortButton state={state} column={column} /> : column.header}
                </th>
              ))}
              {hasActions && (
                <th scope="col" className={cn(headClasses, 'right-0')} style={{ width: actionsWidth }}>
                  <span className={props.inlineActions > 0 ? '' : 'sr-only'}>Actions</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {props.loading && <SkeletonRows columns={columnCount} height={rowHeight} />}
            {before > 0 && <Spacer height={before} />}
            {!props.loading &&
              props.instead === undefined &&
              indexes.map((index) => {
                const row = tableRows[index];
                if (row === undefined) return null;
                return (
                  <GridRow
                    key={row.id}
                    row={row.original}
                    id={row.id}
                    index={index}
                    ordinal={(state.params.page - 1) * state.params.pageSize + index + 1}
                    columns={row.getVisibleCells().flatMap((cell) => {
                      const column = byId.get(cell.column.id);
                      return column === undefined ? [] : [{ column, render: () => column.cell(row.original) }];
                    })}
                    selectable={selectable}
                    selected={selection.has(row.id)}
                    active={index === active}
                    actions={hasActions ? rowActions(row.original) : undefined}
                    inlineActions={props.inlineActions}
                    menuOpen={menuRow === row.id}
                    onMenuOpenChange={(open) => setMenuRow(open ? row.id : undefined)}
                    onSelectedChange={(extend) => toggleRange(index, extend)}
                    flashAs={props.flashAs}
                    rowHeight={rowHeight}
                    measure={virtual ? virtualizer.measureElement : undefined}
                  />
                );
              })}
            {after > 0 && <Spacer height={after} />}
          </tbody>
        </table>
        {!props.loading && props.instead !== undefined && <div className="sticky left-0">{props.instead}</div>}
      </div>
    </SideScroll>
  );
}

const headClasses =
  'sticky top-0 z-[2] h-8 border-hairline border-b bg-canvas px-2 text-left font-medium text-muted text-xs whitespace-nowrap';

function ariaSort<Row>(state: ListState, column: GridColumn<Row>): 'ascending' | 'descending' | undefined {
  if (state.params.sort !== column.id) return undefined;
  return state.params.order === 'DESC' ? 'descending' : 'ascending';
}

function SortButton<Row>({ state, column }: { state: ListState; column: GridColumn<Row> }) {
  const sorted = ariaSort(state, column);
  const Icon = sorted === undefined ? ArrowUpDown : sorted === 'ascending' ? ArrowUp : ArrowDown;
  return (
    <button
      type="button"
      onClick={() => state.toggleSort(column.id)}
      className={cn(
        'group/sort inline-flex items-center gap-1 align-middle hover:text-ink',
        column.numeric && 'flex-row-reverse',
      )}
    >
      {column.header}
      <Icon
        aria-hidden="true"
        className={cn(
          'size-3',
          sorted === undefined && 'opacity-0 group-hover/sort:opacity-100 group-focus-visible/sort:opacity-100',
        )}
      />
    </button>
  );
}

/** Stands for the rows above or below that are not rendered. */
function Spacer({ height }: { height: number }) {
  // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a row without tabindex never takes the focus
  return <tr aria-hidden="true" style={{ height }} />;
}

const SKELETON_WIDTHS = ['w-3/4', 'w-1/2', 'w-2/3', 'w-1/3'];

function SkeletonRows({ columns, height }: { columns: number; height: number }) {
  return Array.from({ length: SKELETON_ROWS }, (_, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity
    <tr key={row}>
      {Array.from({ length: columns }, (_, column) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity
        <td key={column} className="border-hairline border-b px-2" style={{ height }}>
          <Skeleton className={SKELETON_WIDTHS[(row + column) % SKELETON_WIDTHS.length] ?? 'w-1/2'} />
        </td>
      ))}
    </tr>
  ));
}
