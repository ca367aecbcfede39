/** One row: its cells, its checkbox, its `⋮` menu, and the highlight after a change by another user. */

import { memo, type ReactNode } from 'react';
import { usePeople } from '../../lib/auth/people.ts';
import { type Flash, useFlash } from '../../lib/live/index.tsx';
import { ListCheckbox } from '../ui/checkbox.tsx';
import { cn } from '../ui/cn.ts';
import type { CellLayer, CellOverlay } from './cell-layer.ts';
import type { ColumnSlice } from './columns/column-window.ts';
import { textFits } from './columns/text-fit.ts';
import { SkeletonCell } from './placeholders.tsx';
import { RowActions } from './row-actions.tsx';
import { type CellStyles, gapClasses, type RowStyles } from './row-styles.ts';
import type { RowAction } from './types.ts';

export interface GridRowProps<Row> {
  /** Undefined while loading. */
  row: Row | undefined;
  id: string;
  index: number;
  /** The position in the whole list, from 1, for screen readers. */
  ordinal: number;
  slice: ColumnSlice<Row>;
  styles: RowStyles;
  selectable: boolean;
  selected: boolean;
  /** Whether the row is the tab stop of the list. */
  active: boolean;
  /** Undefined if rows of this list have no actions. */
  actionsOf: ((row: Row) => readonly RowAction<Row>[]) | undefined;
  /** Whether this row has actions. */
  hasActions: boolean;
  /** The number of actions shown as buttons beside the menu. */
  inlineActions: number;
  menuOpen: boolean;
  onMenuOpenChange: (id: string, open: boolean) => void;
  onSelectedChange: (index: number, extend: boolean) => void;
  flashAs: string | undefined;
  rowHeight: number;
  /** Whether the row is scrolled out of sight and rendered only because it has the focus. */
  unseen: boolean;
  cells: CellLayer<Row> | undefined;
  measure: ((element: HTMLTableRowElement | null) => void) | undefined;
}

function GridRowOf<Row>(props: GridRowProps<Row>) {
  const { row, id, index, ordinal, slice, styles, selectable, selected, rowHeight, cells } = props;
  const flash = useFlash(row === undefined ? undefined : props.flashAs, id);
  const overlayOf = cells?.useRow(row, index);
  return (
    <tr
      ref={props.measure}
      style={{ height: rowHeight }}
      data-index={props.measure && index}
      data-row={index}
      data-unseen={props.unseen ? '' : undefined}
      data-flash={flash === undefined ? undefined : ''}
      aria-rowindex={ordinal + 1}
      aria-selected={selectable ? selected : undefined}
      aria-busy={row === undefined ? true : undefined}
      tabIndex={props.active ? 0 : -1}
      className={props.unseen ? cn(rowClasses(selected), unseenClasses) : rowClasses(selected)}
    >
      {row === undefined ? (
        <SkeletonCell colSpan={styles.cellCount} />
      ) : (
        <>
          {selectable && (
            <td className={styles.lead}>
              <ListCheckbox
                label={`Select row ${ordinal}`}
                checked={selected}
                onToggle={(event) => props.onSelectedChange(index, event.shiftKey)}
              />
            </td>
          )}
          {cellsOf(row, slice, styles, overlayOf, flash)}
          {props.actionsOf !== undefined && (
            <td className={styles.actions}>
              {props.hasActions && (
                <RowActions
                  row={row}
                  ordinal={ordinal}
                  actionsOf={props.actionsOf}
                  inline={props.inlineActions}
                  hasFixedHeight={styles.hasFixedHeight}
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

/** Memoised: a render of the list, for example during scrolling, re-renders only the rows whose props changed. */
export const GridRow = memo(GridRowOf) as typeof GridRowOf;

const unseenClasses = 'pointer-events-none absolute top-0 opacity-0';
/** While the list scrolls, rows get no hover style, so that rows passing under the pointer are not redrawn. */
const rowClasses = (selected: boolean): string =>
  selected
    ? 'group/row bg-accent-soft hover:bg-accent-soft focus-visible:outline-none'
    : 'group/row bg-surface [:not([data-moving])>&]:hover:bg-hover focus-visible:outline-none';

/** A text that wraps is cut after this number of lines. */
const WRAPPED_LINES = 3;

/** Returns the cells as an array, without a component or wrapper per cell, so that React processes fewer elements. */
function cellsOf<Row>(
  row: Row,
  slice: ColumnSlice<Row>,
  styles: RowStyles,
  overlayOf: ((columnId: string) => CellOverlay | undefined) | undefined,
  flash: Flash | undefined,
): ReactNode[] {
  const renderedCells = slice.columns.map((column, position) => {
    const overlay = overlayOf?.(column.id);
    const content = overlay?.content ?? column.cell(row);
    const text = typeof content === 'string' ? content : undefined;
    const cell = styles.cells[position] as CellStyles;
    // A text that fits is not clipped, because clipping costs time in every frame.
    const cut = cell.cut !== undefined && (text === undefined || !textFits(text, cell.width));
    const classes = cut ? cell.cut : cell.plain;
    const isLong = cell.cut === undefined && text !== undefined && !textFits(text, WRAPPED_LINES * cell.width);
    const displayed = isLong ? <div className="line-clamp-3 print:line-clamp-none">{content}</div> : content;
    return (
      <td
        key={column.id}
        data-column={column.id}
        aria-colindex={cell.colIndex}
        title={cut || isLong ? text : undefined}
        {...overlay?.attributes}
        className={overlay?.className === undefined ? classes : cn(classes, overlay.className)}
      >
        {position === styles.actorAt && flash !== undefined ? (
          <>
            {displayed}
            <FlashActor actorId={flash.actorId} />
          </>
        ) : (
          displayed
        )}
      </td>
    );
  });
  if (slice.before > 0 && renderedCells.length > 1)
    renderedCells.splice(1, 0, <td key=" before" aria-hidden className={gapClasses} />);
  if (slice.after > 0) renderedCells.push(<td key=" after" aria-hidden className={gapClasses} />);
  return renderedCells;
}

/** The name of the user who changed the row. A style draws the name, so that the text of the cell stays unchanged. */
function FlashActor({ actorId }: { actorId: number | null }) {
  const nameOf = usePeople([actorId]);
  return (
    <span
      data-actor={nameOf(actorId)}
      className="after:ml-2 after:rounded-sm after:bg-flash after:px-1 after:text-pending-text after:text-xs after:content-[attr(data-actor)]"
    />
  );
}
