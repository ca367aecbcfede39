/** The head of the table: it stays in sight, sorts, and selects the page. */
import { ArrowDown, ArrowUp, ArrowUpDown } from 'lucide-react';
import type { ListState } from '../../lib/url-state/list-state.ts';
import { Checkbox } from '../ui/checkbox.tsx';
import { cn } from '../ui/cn.ts';
import { keyColumnBesideCheckboxClasses, keyColumnClasses } from './row.tsx';
import type { SelectionState } from './selection.ts';
import type { GridColumn } from './types.ts';

export interface GridHeadProps<Row> {
  state: ListState;
  columns: readonly GridColumn<Row>[];
  rows: readonly Row[];
  idOf: (row: Row) => string;
  /** Undefined where rows cannot be selected. */
  selection: SelectionState<Row> | undefined;
  /** Undefined where rows have no actions. */
  actionsWidth: number | undefined;
  inlineActions: number;
}

const headClasses =
  'sticky top-0 z-[2] h-8 border-hairline border-b bg-canvas px-2 text-left font-medium text-muted text-xs whitespace-nowrap';

export function GridHead<Row>({ state, columns, rows, idOf, selection, ...props }: GridHeadProps<Row>) {
  const selected = selection === undefined ? 0 : rows.filter((row) => selection.has(idOf(row))).length;
  return (
    <thead>
      <tr aria-rowindex={1}>
        {selection !== undefined && (
          <th scope="col" className={cn(headClasses, 'w-9', keyColumnClasses, 'z-[3] md:z-[3]')}>
            <Checkbox
              aria-label="Select all rows on this page"
              checked={selected === 0 ? false : selected === rows.length ? true : 'indeterminate'}
              onCheckedChange={(checked) => selection.toggle(rows, checked === true)}
            />
          </th>
        )}
        {columns.map((column, position) => (
          <th
            key={column.id}
            scope="col"
            aria-sort={ariaSort(state, column)}
            style={{ width: column.width }}
            className={cn(
              headClasses,
              column.numeric && 'text-right',
              position === 0 && [
                selection === undefined ? keyColumnClasses : keyColumnBesideCheckboxClasses,
                'z-[3] md:z-[3]',
              ],
            )}
          >
            {column.sortable ? <SortButton state={state} column={column} /> : column.header}
          </th>
        ))}
        {props.actionsWidth !== undefined && (
          <th scope="col" className={cn(headClasses, 'right-0')} style={{ width: props.actionsWidth }}>
            <span className={props.inlineActions > 0 ? '' : 'sr-only'}>Actions</span>
          </th>
        )}
      </tr>
    </thead>
  );
}

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
