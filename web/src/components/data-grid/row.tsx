/** One row: its cells, its checkbox, its `⋮` menu, and the flash when somebody else changed it. */

import { Fragment, memo } from 'react';
import { usePeople } from '../../lib/auth/people.ts';
import { useFlash } from '../../lib/live/index.tsx';
import { ListCheckbox } from '../ui/checkbox.tsx';
import { cn } from '../ui/cn.ts';
import type { CellLayer } from './cells.ts';
import type { ColumnSlice } from './column-window.ts';
import { fits } from './fitting.ts';
import { pinnedClasses } from './pinned.ts';
import { SkeletonCells } from './placeholders.tsx';
import { RowActions } from './row-actions.tsx';
import { widthOf } from './shown-columns.ts';
import type { RowAction } from './types.ts';

/** Cells that stay in sight cover the row's outline, so that each draws its part of the focus ring itself. */
const ringClasses = 'group-focus-visible/row:shadow-[inset_0_2px_0_var(--accent),inset_0_-2px_0_var(--accent)]';
const cellClasses = 'border-hairline border-b px-2 group-data-flash/row:animate-flash';
const cutClasses = 'overflow-hidden text-ellipsis';

const actionsClasses = 'border-hairline border-b bg-inherit px-1 group-data-flash/row:animate-flash';

const ROOM_FOR_A_NAME = 140;

/** These never contradict each other; looking for that takes longer than all else of a cell. */
const joined = (...classes: readonly (string | false | undefined)[]): string => classes.filter(Boolean).join(' ');

export interface GridRowProps<Row> {
  /** Undefined while it is being read. */
  row: Row | undefined;
  id: string;
  index: number;
  /** Position in the whole list, for screen readers. */
  ordinal: number;
  slice: ColumnSlice<Row>;
  selectable: boolean;
  selected: boolean;
  active: boolean;
  /** Undefined where rows of this list have none. */
  actionsOf: ((row: Row) => readonly RowAction<Row>[]) | undefined;
  /** Has this row any? */
  hasActions: boolean;
  /** How many of them are buttons beside the menu. */
  inlineActions: number;
  menuOpen: boolean;
  onMenuOpenChange: (id: string, open: boolean) => void;
  onSelectedChange: (index: number, extend: boolean) => void;
  flashAs: string | undefined;
  rowHeight: number;
  /** Every row is as tall as the next. */
  even: boolean;
  /** Out of sight: there only for the focus that it holds. */
  unseen: boolean;
  cells: CellLayer<Row> | undefined;
  measure: ((element: HTMLTableRowElement | null) => void) | undefined;
}

function Row<Row>(props: GridRowProps<Row>) {
  const { row, id, index, ordinal, selectable, selected, rowHeight } = props;
  // A layer over the cells draws the cell in focus itself.
  const ring = props.cells === undefined && ringClasses;
  const flash = useFlash(row === undefined ? undefined : props.flashAs, id);
  return (
    <tr
      ref={props.measure}
      style={{ height: rowHeight }}
      data-index={index}
      data-row={index}
      data-flash={flash === undefined ? undefined : ''}
      aria-rowindex={ordinal + 1}
      aria-selected={selectable ? selected : undefined}
      aria-busy={row === undefined ? true : undefined}
      tabIndex={props.active ? 0 : -1}
      className={cn(
        'group/row bg-surface hover:bg-hover focus-visible:outline-none',
        selected && 'bg-accent-soft hover:bg-accent-soft',
        props.unseen && 'pointer-events-none absolute top-0 opacity-0',
      )}
    >
      {row === undefined ? (
        <SkeletonCells across={cellsAcross(props)} />
      ) : (
        <>
          {selectable && (
            <td className={joined(cellClasses, ring, 'w-9 bg-inherit', pinnedClasses(props.even).lead)}>
              <ListCheckbox
                label={`Select row ${ordinal}`}
                checked={selected}
                onToggle={(event) => props.onSelectedChange(index, event.shiftKey)}
              />
            </td>
          )}
          {/* Another row in this place has cells of its own: nothing typed goes over to it. */}
          <LoadedCells key={id} {...props} row={row} flashedBy={flash?.actorId} flashed={flash !== undefined} />
          {props.actionsOf !== undefined && (
            <td className={joined(actionsClasses, ring, pinnedClasses(props.even).actions)}>
              {props.hasActions && (
                <RowActions
                  row={row}
                  ordinal={ordinal}
                  actions={props.actionsOf(row)}
                  inline={props.inlineActions}
                  even={props.even}
                  open={props.menuOpen}
                  onOpenChange={(open) => props.onMenuOpenChange(id, open)}
                />
              )}
            </td>
          )}
        </>
      )}
    </tr>
  );
}

/** A row renders anew only when something of its own changed; a scroll changes nothing of those that stay. */
export const GridRow = memo(Row) as typeof Row;

interface LoadedCellsProps<Row> extends GridRowProps<Row> {
  row: Row;
  flashed: boolean;
  flashedBy: number | null | undefined;
}

function LoadedCells<Row>(props: LoadedCellsProps<Row>) {
  const { row, slice, selectable, even, cells } = props;
  const dressOf = cells?.useRow(row, props.index);
  // Who changed the row is told where there is room for a name.
  const actorAt = slice.columns.findIndex((column) => (column.width ?? ROOM_FOR_A_NAME) >= ROOM_FOR_A_NAME);
  const ring = cells === undefined && ringClasses;
  const pinned = pinnedClasses(even);
  return (
    <>
      {slice.columns.map((column, position) => {
        const dress = dressOf?.(column.id);
        const drawn = dress?.content ?? column.cell(row);
        const text = typeof drawn === 'string' ? drawn : undefined;
        const wraps = column.wrap === true && !even;
        // What is clipped costs with every frame: what fits anyway is not.
        const cut = !wraps && (text === undefined || !fits(text, widthOf(column)));
        const classes = joined(
          cellClasses,
          ring,
          column.numeric && 'text-right tabular-nums',
          column.code && 'font-mono',
          wraps ? 'break-words py-1' : column.spaced ? 'whitespace-pre' : 'whitespace-nowrap',
          cut && cutClasses,
          position === 0 && 'bg-inherit',
          position === 0 && (selectable ? pinned.keyBesideCheckbox : pinned.key),
          cells?.className,
        );
        return (
          <Fragment key={column.id}>
            {position === 1 && slice.before > 0 && <td aria-hidden="true" className={gapClasses} />}
            <td
              data-column={column.id}
              aria-colindex={slice.fixed ? (slice.places[position] ?? 0) + (selectable ? 2 : 1) : undefined}
              title={cut ? text : undefined}
              {...dress?.attributes}
              className={dress?.className === undefined ? classes : cn(classes, dress.className)}
            >
              {drawn}
              {position === actorAt && props.flashed && <FlashActor actorId={props.flashedBy ?? null} />}
            </td>
          </Fragment>
        );
      })}
      {slice.after > 0 && <td aria-hidden="true" className={gapClasses} />}
    </>
  );
}

const gapClasses = 'border-hairline border-b p-0 group-data-flash/row:animate-flash';

/** How many cells a row has, those that stand for columns out of sight included. */
const cellsAcross = <Row,>({ slice, selectable, actionsOf }: GridRowProps<Row>): number =>
  [
    selectable,
    ...slice.columns,
    slice.columns.length > 1 && slice.before > 0,
    slice.after > 0,
    actionsOf !== undefined,
  ].filter(Boolean).length;

/** Drawn by the style sheet, so that the cell's own text stays what it is. */
function FlashActor({ actorId }: { actorId: number | null }) {
  const nameOf = usePeople([actorId]);
  return (
    <span
      data-actor={nameOf(actorId)}
      className="after:ml-2 after:rounded-sm after:bg-flash after:px-1 after:text-pending-text after:text-xs after:content-[attr(data-actor)]"
    />
  );
}
