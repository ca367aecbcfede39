/** Computes the styles of cells once for all rows of a list. */
import type { CellLayer } from './cell-layer.ts';
import { widthOf } from './columns/column-fit.ts';
import type { ColumnSlice } from './columns/column-window.ts';
import { hiddenBehindClasses, pinnedClasses } from './columns/pinned-columns.ts';
import type { GridColumn } from './types.ts';

export interface CellStyles {
  /** The classes for content that is not cut. */
  plain: string;
  /** The classes for content that may be cut; undefined if the content wraps. */
  cut: string | undefined;
  width: number;
  /** The value of `aria-colindex`; set only if the columns of the list are virtualised. */
  colIndex: number | undefined;
}

export interface RowStyles {
  /** The classes of the cell with the checkbox. */
  lead: string;
  cells: readonly CellStyles[];
  actions: string;
  /** The index of the widest cell, which shows the user who changed the row. */
  actorAt: number;
  hasFixedHeight: boolean;
  /** The number of cells of a row, including placeholders for columns that are not rendered. */
  cellCount: number;
}

/** Pinned cells cover the outline of the row, so each cell draws its part of the focus ring. */
const ringClasses = 'group-focus-visible/row:shadow-[inset_0_2px_0_var(--accent),inset_0_-2px_0_var(--accent)]';
const edgeClasses = 'border-hairline border-b group-data-flash/row:animate-flash';
const cutClasses = 'overflow-hidden text-ellipsis';
export const gapClasses = `${edgeClasses} p-0`;

export interface RowStyleOptions<Row> {
  slice: ColumnSlice<Row>;
  selectable: boolean;
  hasActions: boolean;
  hasFixedHeight: boolean;
  layer: CellLayer<Row> | undefined;
}

export function rowStyles<Row>({
  slice,
  selectable,
  hasActions,
  hasFixedHeight,
  layer,
}: RowStyleOptions<Row>): RowStyles {
  // A cell layer draws the focused cell itself.
  const ring = layer === undefined && ringClasses;
  const pinned = pinnedClasses(hasFixedHeight);
  return {
    lead: joinClasses(edgeClasses, 'px-2', ring, 'w-9 bg-inherit', pinned.lead),
    actions: joinClasses(edgeClasses, 'bg-inherit px-1', ring, hiddenBehindClasses, pinned.actions),
    actorAt: widestIndex(slice.columns),
    hasFixedHeight,
    cellCount: [
      selectable,
      ...slice.columns,
      slice.columns.length > 1 && slice.before > 0,
      slice.after > 0,
      hasActions,
    ].filter(Boolean).length,
    cells: slice.columns.map((column, position) => {
      const wraps = column.wrap === true && !hasFixedHeight;
      const plain = joinClasses(
        edgeClasses,
        'px-2',
        ring,
        column.numeric && 'text-right tabular-nums',
        column.code && 'font-mono',
        wraps ? 'break-words py-0.5 leading-4' : column.spaced ? 'whitespace-pre' : 'whitespace-nowrap',
        position === 0 && 'bg-inherit',
        position === 0 && (selectable ? pinned.keyBesideCheckbox : pinned.key),
        layer?.className,
      );
      return {
        plain,
        cut: wraps ? undefined : joinClasses(plain, cutClasses),
        width: widthOf(column),
        colIndex: slice.fixed ? (slice.indexes[position] ?? 0) + (selectable ? 2 : 1) : undefined,
      };
    }),
  };
}

const widestIndex = <Row>(columns: readonly GridColumn<Row>[]): number =>
  columns.reduce((best, column, index) => (widthOf(column) > widthOf(columns[best] ?? column) ? index : best), 0);

/** Joins classes without the conflict resolution of `cn`, because these classes never conflict. */
const joinClasses = (...classes: readonly (string | false | undefined)[]): string => classes.filter(Boolean).join(' ');
