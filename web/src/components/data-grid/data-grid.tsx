/** The data grid. `web/README.md` describes how pages use it. */
import { PAGE_SIZE_MAX } from '@rdm/contracts/constants';
import type { FilterField } from '@rdm/contracts/lists/filter';
import type { ListKey } from '@rdm/contracts/lists/lists';
import type { RowData } from '@tanstack/react-table';
import { type ReactNode, useCallback, useEffect, useMemo, useRef } from 'react';
import type { LiveUpdates } from '../../lib/live/index.tsx';
import { messageOf } from '../../lib/messages/index.ts';
import { formatNumber } from '../../lib/number-format.ts';
import { useIsPast } from '../../lib/past/index.ts';
import type { ListParams, ListState } from '../../lib/url-state/list-state.ts';
import { EmptyState } from '../empty-state/index.tsx';
import { notify } from '../toast/index.ts';
import { Alert } from '../ui/alert.tsx';
import { Button } from '../ui/button.tsx';
import { cn } from '../ui/cn.ts';
import type { CellLayer } from './cell-layer.ts';
import { exportCsv } from './export.ts';
import { FailedList } from './failed-list.tsx';
import { Pager } from './pager.tsx';
import { type PendingReason, useRowOrder } from './row-order.ts';
import { rowsOf, rowsOfChunks } from './rows.ts';
import { type SelectionState, useSelection } from './selection.ts';
import { SelectionBar } from './selection-bar.tsx';
import { useStableCallback } from './stable-callback.ts';
import { GridTable } from './table.tsx';
import { Toolbar } from './toolbar.tsx';
import type { BulkAction, FrozenSelection, GridColumn, ListResult, LongList, RowAction, Selection } from './types.ts';

export interface DataGridProps<Row extends RowData> {
  /** The name of the list for screen readers and exports. */
  label: string;
  /** The list's key in `@rdm/contracts/lists/lists`: enables saved filters and filter configurations. */
  entity?: ListKey;
  state: ListState;
  /** One page of the list, or the result of `useLongList` for a list that scrolls continuously. */
  result: ListResult<Row> | LongList<Row>;
  columns: readonly GridColumn<Row>[];
  rowId: (row: Row) => string | number;
  /** Opens a row: on Enter, a double click, or a tap on a touch screen. */
  onOpen?: (row: Row) => void;
  /** Whether a single click opens a row too, for lists without a selection. */
  opensOnClick?: boolean;
  rowActions?: (row: Row) => readonly RowAction<Row>[];
  /** The number of row actions shown as buttons beside the `⋮` menu. */
  inlineActions?: number;
  /** Makes rows selectable. */
  bulkActions?: readonly BulkAction<Row>[];
  /** Called with the selection of rows whenever it changes. */
  onSelection?: (selection: Selection<Row>) => void;
  /**
   * Identifies the part of the list that is shown, such as a tab. When this value changes, the selection is cleared.
   */
  selectionOf?: string;
  /** Stores the ids of all matching rows as a selection on the server (POST /api/selections). */
  selectAll?: (params: ListParams) => Promise<FrozenSelection>;
  filterFields?: readonly FilterField[];
  searchable?: boolean;
  /** Menu items that export more than the displayed rows. */
  exports?: ReactNode;
  /** Page actions at the right of the toolbar. */
  actions?: ReactNode;
  /** The empty state of the list. */
  empty: { title: string; description?: ReactNode; action?: ReactNode };
  /** Shown if no row matches: the fields that the search covers, and an action to search elsewhere. */
  emptySearch?: { description: string; action: ReactNode } | undefined;
  errorTitle?: string;
  /** The keyboard shortcuts of the list, shown in its footer. */
  hint?: string | undefined;
  /** The entity whose live changes highlight rows. */
  flashAs?: string;
  /** The result of `useLive`: rows keep their place under the cursor while other users change the list. */
  live?: LiveUpdates;
  /** The layer over the cells: a cursor, marks, editors. */
  cells?: CellLayer<Row>;
}

export function DataGrid<Row extends RowData>(props: DataGridProps<Row>) {
  const { label, state, result, columns, rowId, bulkActions = [], filterFields = [], searchable = true } = props;
  const { params } = state;
  const idOf = useCallback((row: Row) => String(rowId(row)), [rowId]);
  const visible = useMemo(() => visibleColumns(columns, state.columns), [columns, state.columns]);
  const scope = `${params.q ?? ''} ${params.filter ?? ''} ${props.selectionOf ?? ''}`;
  const selection = useSelection<Row>(scope, idOf, props.onSelection);
  const { long, rowOrder, rows, countDifference } = useGridRows(props, idOf);
  useDeselectRemoved(long === undefined ? rowOrder.rows : NO_ROWS, JSON.stringify(params), idOf, selection);

  const goTo = useRef<(index: number) => void>(undefined);
  const goToRow = useCallback((index: number) => goTo.current?.(index), []);
  const onExport = useStableCallback(() => {
    void exportCsv(
      props.exports === undefined ? label : `${label} (on screen)`,
      [...visible].flatMap((id) => columns.find((column) => column.id === id) ?? []),
      rowOrder.rows,
    );
  });

  const isPast = useIsPast();
  const serverTotal = result.data?.total ?? 0;
  const total = typeof serverTotal === 'number' ? serverTotal + countDifference : serverTotal;
  const isFiltered = params.q !== undefined || params.filter !== undefined;
  const hasFailed = result.error !== null && result.data === undefined;
  const { selectAll } = props;
  const isSelecting = bulkActions.length > 0 && selection.selection.count > 0;

  return (
    <div className={cn('flex min-h-0 flex-1 flex-col', isSelecting && 'max-sm:pb-24')}>
      {/* On a phone, the selection bar is below the list. Elsewhere it covers the toolbar, so that no row moves. */}
      <div className="relative">
        <div className={cn(isSelecting && 'sm:invisible')}>
          <Toolbar
            label={label}
            entity={props.entity}
            exports={props.exports}
            state={state}
            columns={columns}
            visible={visible}
            searchable={searchable}
            filterFields={filterFields}
            onExport={onExport}
          >
            {props.actions}
          </Toolbar>
        </div>
        {isSelecting && (
          <SelectionBar
            selection={selection.selection}
            actions={bulkActions}
            total={total}
            selectAll={selectAll === undefined ? undefined : () => selectAll(params)}
            onFrozen={selection.freeze}
          />
        )}
      </div>
      {rowOrder.pendingCount > 0 && (
        <Button
          variant="ghost"
          className="mb-2 w-full bg-accent-soft"
          onClick={rowOrder.showPending}
          onPointerLeave={() => rowOrder.guard.current === undefined && rowOrder.showPending()}
        >
          {PENDING_TEXTS[rowOrder.reason](rowOrder.pendingCount)}
        </Button>
      )}
      {result.error !== null && result.data !== undefined && long !== undefined && (
        <Alert tone="error" className="mb-2" title="Some rows could not be loaded">
          {messageOf(result.error)}{' '}
          <button type="button" className="underline" onClick={() => void result.refetch()}>
            Try Again
          </button>
        </Alert>
      )}
      {/* The flex basis is in pixels: a percentage of an unknown height would become the height of all rows. */}
      <div className="flex min-h-60 flex-[1_1_0px] flex-col overflow-hidden rounded-md border border-hairline bg-surface">
        <GridTable
          label={label}
          state={state}
          columns={columns}
          visible={visible}
          rows={hasFailed ? NO_LOADED_ROWS : rows}
          firstOrdinal={long === undefined ? (params.page - 1) * params.pageSize + 1 : 1}
          long={long}
          total={typeof total === 'number' ? total : undefined}
          loading={result.isPending && !hasFailed}
          idOf={idOf}
          selection={selection}
          select={bulkActions.length > 0 ? select : undefined}
          rowActions={props.rowActions}
          inlineActions={props.inlineActions ?? 0}
          onOpen={props.onOpen}
          opensOnClick={props.opensOnClick ?? false}
          onGuard={(index) => {
            rowOrder.guard.current = index;
          }}
          flashAs={props.flashAs}
          cells={props.cells}
          goTo={goTo}
          placeholder={placeholder()}
        />
        {result.data !== undefined && (
          <Pager
            state={state}
            total={total}
            shownCount={long === undefined ? rowOrder.rows.length : countInPage()}
            hint={props.hint}
            goToRow={long === undefined || long.count <= params.pageSize ? undefined : goToRow}
          />
        )}
      </div>
      <p role="status" className="sr-only">
        {(props.live?.many ?? 0) > 0 ? `${props.live?.many} updates` : ''}
      </p>
    </div>
  );

  /**
   * Selects or deselects a range of rows, or toggles each row if `selected` is omitted. In a long list, some of these
   * rows may have to be loaded first.
   */
  function select(from: number, to: number, selected?: boolean) {
    const loadedRows = rows.among(from, Math.min(to, from + PAGE_SIZE_MAX));
    if (long === undefined || loadedRows.length === to - from + 1) return selection.toggle(loadedRows, selected);
    if (to - from >= PAGE_SIZE_MAX)
      return notify.error(`Select at most ${formatNumber(PAGE_SIZE_MAX)} rows at once`, {
        title: 'Too many rows',
      });
    long.load(from, to).then(
      (loaded) => selection.toggle(loaded, selected),
      (error: unknown) => notify.error(messageOf(error), { title: 'The rows could not be selected' }),
    );
  }

  function countInPage(): number {
    return Math.min(params.pageSize, Math.max(0, rows.count - (params.page - 1) * params.pageSize));
  }

  function placeholder(): ReactNode {
    if (hasFailed) {
      return <FailedList state={state} fields={filterFields} result={result} title={props.errorTitle} />;
    }
    if (rows.count > 0) return undefined;
    if (params.page > 1) {
      return (
        <EmptyState
          title="No rows on this page"
          description="The list has fewer pages."
          action={<Button onClick={() => state.setPage(1)}>Show the first page</Button>}
        />
      );
    }
    if (!isFiltered) return <EmptyState {...(isPast ? EMPTY_IN_PAST : props.empty)} />;
    return (
      <EmptyState
        title="Nothing matches"
        description={`No row matches the search and the filter. ${props.emptySearch?.description ?? ''}`.trim()}
        action={
          <div className="flex flex-wrap justify-center gap-2">
            {props.emptySearch?.action}
            <Button onClick={state.clear}>Clear search and filter</Button>
          </div>
        }
      />
    );
  }
}

/** Deselects rows that left the page of the list, for example because the user submitted these rows. */
function useDeselectRemoved<Row>(
  rows: readonly Row[],
  page: string,
  idOf: (row: Row) => string,
  { selection, has, toggle }: SelectionState<Row>,
): void {
  const last = useRef({ page, rows });
  useEffect(() => {
    const { page: lastPage, rows: lastRows } = last.current;
    last.current = { page, rows };
    // A selection of all matching rows is stored on the server, and the server refuses rows that have changed.
    if (lastPage !== page || lastRows === rows || selection.selectionId !== undefined) return;
    const listed = new Set(rows.map(idOf));
    const removed = lastRows.filter((row) => has(idOf(row)) && !listed.has(idOf(row)));
    if (removed.length > 0) toggle(removed, false);
  });
}

/** Returns the rows in display order. A row that a live change moves or removes may keep its place. */
function useGridRows<Row extends RowData>(
  { state, result, live, cells }: Pick<DataGridProps<Row>, 'state' | 'result' | 'live' | 'cells'>,
  idOf: (row: Row) => string,
) {
  const long = 'long' in result ? result.long : undefined;
  const items = result.data?.items ?? NO_ROWS;
  const readRows = useMemo(
    () => (long === undefined ? undefined : rowsOfChunks(items, long.chunks, long.chunkSize, long.count)),
    [items, long?.chunks, long?.chunkSize, long?.count],
  );
  const rowOrder = useRowOrder(
    items,
    long?.contentKey ?? JSON.stringify(state.params),
    {
      others: live?.others ?? 0,
      own: live?.own ?? 0,
      readAt: result.dataUpdatedAt,
      isPlaceholder: result.isPlaceholderData,
    },
    idOf,
    readRows?.positionOf,
    cells?.isEdited,
  );
  /** Displayed minus current rows: positive while removed rows are displayed, negative while added rows are hidden. */
  const countDifference = rowOrder.pendingCount > 0 ? rowOrder.rows.length - items.length : 0;
  const rows = useMemo(
    () =>
      long === undefined
        ? rowsOf(rowOrder.rows)
        : rowsOfChunks(rowOrder.rows, long.chunks, long.chunkSize, long.count + countDifference),
    [rowOrder.rows, long?.chunks, long?.chunkSize, long?.count, countDifference],
  );
  return { long, rowOrder, rows, countDifference };
}

const PENDING_TEXTS: Record<PendingReason, (count: number) => string> = {
  others: (count) => `${count} new ${count === 1 ? 'change' : 'changes'} – show`,
  moved: () => 'Your edits change the order – sort again',
  unmatched: (count) =>
    `${count} edited ${count === 1 ? 'row no longer matches' : 'rows no longer match'} the search or the filter – hide`,
};

const EMPTY_IN_PAST = {
  title: 'No data at this time',
  description: 'There was no data at this time, or you cannot read it today.',
};

const NO_ROWS: readonly never[] = [];
const NO_LOADED_ROWS = rowsOf(NO_ROWS);

/**
 * Returns the ids of the visible columns in display order: the columns that the user chose, or the default columns.
 * Required columns are always included.
 */
function visibleColumns<Row>(
  columns: readonly GridColumn<Row>[],
  chosen: readonly string[] | undefined,
): ReadonlySet<string> {
  if (chosen === undefined)
    return new Set(columns.filter((column) => column.required || !column.hidden).map(({ id }) => id));
  const columnIds = new Set(columns.map(({ id }) => id));
  const missingRequired = columns.filter(({ id, required }) => required && !chosen.includes(id)).map(({ id }) => id);
  return new Set([...missingRequired, ...chosen.filter((id) => columnIds.has(id))]);
}
