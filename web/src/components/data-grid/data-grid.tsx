/** The one list of the product: see `web/README.md` for how a page uses it. */
import type { FilterField } from '@rdm/contracts/filter';
import type { RowData } from '@tanstack/react-table';
import { type ReactNode, useCallback, useMemo } from 'react';
import type { LiveUpdates } from '../../lib/live/index.tsx';
import { messageOf } from '../../lib/messages/index.ts';
import type { ListParams, ListState } from '../../lib/url-state/list-state.ts';
import { EmptyState, ErrorState } from '../empty-state/index.tsx';
import { Button } from '../ui/button.tsx';
import { exportCsv } from './export.ts';
import { useHeldRows } from './held-rows.ts';
import { Pager } from './pager.tsx';
import { useSelection } from './selection.ts';
import { SelectionBar } from './selection-bar.tsx';
import { GridTable } from './table.tsx';
import { Toolbar } from './toolbar.tsx';
import type { BulkAction, FrozenSelection, GridColumn, ListResult, RowAction } from './types.ts';

export interface DataGridProps<Row extends RowData> {
  /** Names the list for screen readers and exports. */
  label: string;
  state: ListState;
  result: ListResult<Row>;
  columns: readonly GridColumn<Row>[];
  rowId: (row: Row) => string | number;
  /** Opens a row: Enter, or a double click. */
  onOpen?: (row: Row) => void;
  rowActions?: (row: Row) => readonly RowAction<Row>[];
  /** How many row actions are buttons of their own beside the `⋮` menu. */
  inlineActions?: number;
  /** With these rows can be selected. */
  bulkActions?: readonly BulkAction<Row>[];
  /** Freezes all rows that match (POST /api/selections). */
  selectAll?: (params: ListParams) => Promise<FrozenSelection>;
  filterFields?: readonly FilterField[];
  searchable?: boolean;
  /** Buttons of the page, at the right of the toolbar. */
  actions?: ReactNode;
  /** Said while the list holds nothing at all. */
  empty: { title: string; description?: ReactNode; action?: ReactNode };
  errorTitle?: string;
  /** The live entity whose changes flash rows. */
  flashAs?: string;
  /** What `useLive` answered, so that rows stay in place under the cursor while others change the list. */
  live?: LiveUpdates;
}

export function DataGrid<Row extends RowData>(props: DataGridProps<Row>) {
  const { label, state, result, columns, rowId, bulkActions = [], filterFields = [], searchable = true } = props;
  const { params } = state;
  const idOf = useCallback((row: Row) => String(rowId(row)), [rowId]);
  const visible = useMemo(() => visibleColumns(columns, state.columns), [columns, state.columns]);
  const scope = `${params.q ?? ''} ${params.filter ?? ''}`;
  const selection = useSelection<Row>(scope, idOf);
  const held = useHeldRows(result.data?.items ?? NO_ROWS, JSON.stringify(params), props.live?.others ?? 0, idOf);

  const total = result.data?.total ?? 0;
  const narrowed = params.q !== undefined || params.filter !== undefined;
  const failed = result.error !== null && result.data === undefined;
  const { selectAll } = props;

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <Toolbar
        label={label}
        state={state}
        columns={columns}
        visible={visible}
        searchable={searchable}
        filterFields={filterFields}
        onExport={() =>
          void exportCsv(
            label,
            columns.filter((column) => visible.has(column.id)),
            held.rows,
          )
        }
      >
        {props.actions}
      </Toolbar>
      {bulkActions.length > 0 && selection.selection.count > 0 && (
        <SelectionBar
          selection={selection.selection}
          actions={bulkActions}
          total={total}
          selectAll={selectAll === undefined ? undefined : () => selectAll(params)}
          onFrozen={selection.freeze}
        />
      )}
      {held.waiting > 0 && (
        <Button
          variant="ghost"
          className="mb-2 w-full bg-accent-soft"
          onClick={held.adopt}
          onPointerLeave={() => held.guard.current === undefined && held.adopt()}
        >
          {held.waiting} new {held.waiting === 1 ? 'change' : 'changes'} – show
        </Button>
      )}
      {/* A basis in pixels: in per cent of a height not yet known, all rows would count as content. */}
      <div className="flex min-h-60 flex-[1_1_0px] flex-col overflow-hidden rounded-md border border-hairline bg-surface">
        <GridTable
          label={label}
          state={state}
          columns={columns}
          visible={visible}
          rows={failed ? [] : held.rows}
          total={typeof total === 'number' ? total : undefined}
          loading={result.isPending && !failed}
          idOf={idOf}
          selectable={bulkActions.length > 0}
          selection={selection}
          rowActions={props.rowActions}
          inlineActions={props.inlineActions ?? 0}
          onOpen={props.onOpen}
          onGuard={(index) => {
            held.guard.current = index;
          }}
          flashAs={props.flashAs}
          instead={instead()}
        />
        {result.data !== undefined && <Pager state={state} total={total} shown={held.rows.length} />}
      </div>
      <p role="status" className="sr-only">
        {(props.live?.many ?? 0) > 0 ? `${props.live?.many} updates` : ''}
      </p>
    </div>
  );

  function instead(): ReactNode {
    if (failed) {
      return (
        <ErrorState
          {...(props.errorTitle === undefined ? {} : { title: props.errorTitle })}
          message={messageOf(result.error)}
          onRetry={() => void result.refetch()}
        />
      );
    }
    if (held.rows.length > 0) return undefined;
    if (!narrowed && params.page === 1) return <EmptyState {...props.empty} />;
    return (
      <EmptyState
        title="Nothing matches"
        description="No row fits the search and the filter."
        action={<Button onClick={state.clear}>Clear search and filter</Button>}
      />
    );
  }
}

const NO_ROWS: readonly never[] = [];

function visibleColumns<Row>(
  columns: readonly GridColumn<Row>[],
  chosen: readonly string[] | undefined,
): ReadonlySet<string> {
  return new Set(
    columns
      .filter((column) => column.required || (chosen === undefined ? !column.hidden : chosen.includes(column.id)))
      .map((column) => column.id),
  );
}
