/** The header row, which stays visible, sorts the list, and selects all rows of the page. */
import { ArrowDown, ArrowUp, ArrowUpDown } from 'lucide-react';
import { Fragment, type KeyboardEvent, memo, useRef } from 'react';
import type { ListState } from '../../lib/url-state/list-state.ts';
import { Checkbox } from '../ui/checkbox.tsx';
import { cn } from '../ui/cn.ts';
import { widthOf } from './columns/column-fit.ts';
import type { StoredWidths } from './columns/column-widths.ts';
import type { ColumnSlice } from './columns/column-window.ts';
import { hiddenBehindClasses, pinnedClasses } from './columns/pinned-columns.ts';
import { textFits } from './columns/text-fit.ts';
import type { GridColumn } from './types.ts';

export interface GridHeadProps<Row> {
  state: ListState;
  slice: ColumnSlice<Row>;
  /** How much of the page is selected; undefined if rows are not selectable. */
  selected: boolean | 'indeterminate' | undefined;
  hasRows: boolean;
  /** Selects or deselects all rows of the page. */
  onSelect: (selected: boolean) => void;
  setWidth: StoredWidths['setWidth'];
  /** The width of the column of row actions; undefined if rows have none. */
  actionsWidth: number | undefined;
  inlineActions: number;
  /** Whether the list scrolls continuously instead of having pages. */
  isLong: boolean;
}

const headClasses =
  'group/head z-[2] h-9 border-hairline border-b bg-canvas px-2 text-left font-medium text-muted text-xs';

/** Puts header cells that stay visible in both scroll directions above all other pinned cells. */
const aboveOthers = 'z-[3] md:z-[3] md:in-data-sideways:z-[3]';

function Head<Row>({ state, slice, selected, ...props }: GridHeadProps<Row>) {
  const pinned = pinnedClasses(props.isLong);
  // The header of a long list is outside the element that moves, so it needs no sticky position.
  const positionClasses = props.isLong ? 'relative' : 'sticky top-0';
  const lead = selected === undefined ? 0 : 1;
  return (
    <thead>
      <tr aria-rowindex={1}>
        {selected !== undefined && (
          <th scope="col" className={cn(headClasses, positionClasses, 'w-9', pinned.lead, aboveOthers)}>
            <Checkbox
              aria-label="Select all rows on this page"
              checked={selected}
              // While the list is empty, selecting would have no visible effect.
              disabled={!props.hasRows}
              onCheckedChange={(checked) => props.onSelect(checked === true)}
            />
          </th>
        )}
        {slice.columns.map((column, position) => (
          <Fragment key={column.id}>
            {position === 1 && slice.before > 0 && <Gap width={slice.before} positionClasses={positionClasses} />}
            <th
              data-column={column.id}
              scope="col"
              onKeyDown={(event) => resizeByKeys(event, column.id, props.setWidth)}
              aria-colindex={slice.fixed ? (slice.indexes[position] ?? 0) + lead + 1 : undefined}
              aria-sort={ariaSort(state, column)}
              style={{ width: slice.fixed ? widthOf(column) : column.width }}
              className={cn(
                headClasses,
                positionClasses,
                column.numeric && 'text-right',
                position === 0 && [selected === undefined ? pinned.key : pinned.keyBesideCheckbox, aboveOthers],
              )}
            >
              {column.sortable ? <SortButton state={state} column={column} /> : <HeadText column={column} />}
              <WidthHandle column={column} setWidth={props.setWidth} />
            </th>
          </Fragment>
        ))}
        {slice.after > 0 && <Gap width={slice.after} positionClasses={positionClasses} />}
        {props.actionsWidth !== undefined && (
          <th
            scope="col"
            className={cn(headClasses, positionClasses, hiddenBehindClasses, props.isLong ? pinned.actions : 'right-0')}
            style={{ width: props.actionsWidth }}
          >
            {/* On a narrow screen, the arrow that marks hidden columns replaces this text. */}
            <span className={props.inlineActions > 0 ? 'max-md:group-data-more/side:sr-only' : 'sr-only'}>Actions</span>
          </th>
        )}
      </tr>
    </thead>
  );
}

/** Memoised, because neither scrolling down nor moving the cursor changes the header. */
export const GridHead = memo(Head) as typeof Head;

/** A placeholder for columns that are not rendered; it keeps their width in every row. */
function Gap({ width, positionClasses }: { width: number; positionClasses: string }) {
  return <td aria-hidden="true" className={cn(headClasses, positionClasses, 'p-0')} style={{ width }} />;
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
        // Covers the whole cell, so that a click beside the label sorts too. The width handle has a higher z-index.
        'group/sort inline-flex max-w-full items-center text-left gap-1 align-middle after:absolute after:inset-0 hover:text-ink',
        column.numeric && 'flex-row-reverse text-right',
      )}
    >
      <HeadText column={column} />
      <Icon
        aria-hidden="true"
        className={cn(
          'size-3 shrink-0',
          // Narrow screens mostly have no pointer that can hover: the icon would only take space from the label.
          sorted === undefined &&
            'opacity-0 max-md:hidden group-hover/sort:opacity-100 group-focus-visible/sort:opacity-100',
        )}
      />
    </button>
  );
}

const SORT_MARK = 16;

function HeadText<Row>({ column }: { column: GridColumn<Row> }) {
  const isFullyVisible = textFits(column.header, widthOf(column) - SORT_MARK);
  return (
    <span
      data-header
      className="line-clamp-2 min-w-0 wrap-break-word leading-3.5"
      title={isFullyVisible ? undefined : column.header}
    >
      {column.header}
    </span>
  );
}

const WIDTH_STEP = 16;

/** Shift and the arrow keys resize the column from the keyboard. */
function resizeByKeys(event: KeyboardEvent<HTMLElement>, columnId: string, setWidth: StoredWidths['setWidth']) {
  const change = { ArrowRight: WIDTH_STEP, ArrowLeft: -WIDTH_STEP }[event.key];
  if (change === undefined || !event.shiftKey) return;
  event.preventDefault();
  event.stopPropagation();
  setWidth(columnId, event.currentTarget.offsetWidth + change);
}

/** The edge of a column. Dragging it resizes the column, and a double click resets the width. */
function WidthHandle<Row>({ column, setWidth }: { column: GridColumn<Row>; setWidth: StoredWidths['setWidth'] }) {
  const drag = useRef<{ from: number; width: number }>(undefined);
  const drop = () => {
    drag.current = undefined;
  };
  return (
    <span
      aria-hidden="true"
      title="Drag to change the width, double-click to reset it"
      className="absolute top-0 right-0 z-[1] h-full w-2 cursor-col-resize touch-none after:absolute after:top-1 after:right-0 after:bottom-1 after:w-0.5 after:rounded-sm after:bg-control after:opacity-0 hover:after:opacity-100 group-hover/head:after:opacity-60"
      onPointerDown={(event) => {
        const head = event.currentTarget.closest('th');
        if (event.button !== 0 || head === null) return;
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
        drag.current = { from: event.clientX, width: head.offsetWidth };
      }}
      onPointerMove={(event) => {
        if (drag.current === undefined) return;
        const zoom = event.currentTarget.getBoundingClientRect().width / event.currentTarget.offsetWidth;
        setWidth(column.id, drag.current.width + (event.clientX - drag.current.from) / zoom);
      }}
      onPointerUp={drop}
      onPointerCancel={drop}
      onDoubleClick={() => setWidth(column.id, undefined)}
    />
  );
}
