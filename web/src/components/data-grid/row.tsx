/** One row: its cells, its checkbox, its `⋮` menu, and the flash when somebody else changed it. */

import { MoreVertical } from 'lucide-react';
import { useRef } from 'react';
import { usePeople } from '../../lib/auth/people.ts';
import { useFlash } from '../../lib/live/index.tsx';
import { once } from '../../lib/pointer/index.ts';
import { Button } from '../ui/button.tsx';
import { Checkbox } from '../ui/checkbox.tsx';
import { cn } from '../ui/cn.ts';
import { Menu, MenuItem } from '../ui/dropdown-menu.tsx';
import type { GridColumn, RowAction } from './types.ts';

/** Cells that stay in sight cover the row's outline, so that each draws its part of the focus ring itself. */
export const cellClasses =
  'border-hairline border-b bg-inherit px-2 group-focus-visible/row:shadow-[inset_0_2px_0_var(--accent),inset_0_-2px_0_var(--accent)] group-data-flash/row:animate-flash';
/** The first column stays in sight while the rest scrolls, where there is room for both. */
export const keyColumnClasses = 'md:sticky md:left-0 md:z-[1]';
export const keyColumnBesideCheckboxClasses = 'md:sticky md:left-9 md:z-[1]';

const ROOM_FOR_A_NAME = 140;

export interface GridRowProps<Row> {
  row: Row;
  id: string;
  index: number;
  /** Position in the whole list, for screen readers. */
  ordinal: number;
  columns: readonly GridColumn<Row>[];
  selectable: boolean;
  selected: boolean;
  active: boolean;
  /** Undefined where rows of this list have none. */
  actions: readonly RowAction<Row>[] | undefined;
  /** How many of them are buttons beside the menu. */
  inlineActions: number;
  menuOpen: boolean;
  onMenuOpenChange: (open: boolean) => void;
  onSelectedChange: (extend: boolean) => void;
  flashAs: string | undefined;
  rowHeight: number;
  measure: ((element: HTMLTableRowElement | null) => void) | undefined;
}

export function GridRow<Row>(props: GridRowProps<Row>) {
  const { row, id, index, ordinal, columns, selectable, selected, active, actions, rowHeight } = props;
  const flash = useFlash(props.flashAs, id);
  // Who changed the row is told where there is room for a name.
  const actorAt = columns.findIndex((column) => (column.width ?? ROOM_FOR_A_NAME) >= ROOM_FOR_A_NAME);
  return (
    <tr
      ref={props.measure}
      data-index={index}
      data-row={index}
      data-flash={flash === undefined ? undefined : ''}
      aria-rowindex={ordinal + 1}
      aria-selected={selectable ? selected : undefined}
      tabIndex={active ? 0 : -1}
      className={cn(
        'group/row bg-surface hover:bg-hover focus-visible:outline-none',
        selected && 'bg-accent-soft hover:bg-accent-soft',
      )}
    >
      {selectable && (
        <td className={cn(cellClasses, 'w-9', keyColumnClasses)} style={{ height: rowHeight }}>
          <Checkbox
            tabIndex={-1}
            checked={selected}
            aria-label={`Select row ${ordinal}`}
            onClick={(event) => {
              event.preventDefault();
              props.onSelectedChange(event.shiftKey);
            }}
          />
        </td>
      )}
      {columns.map((column, position) => (
        <td
          key={column.id}
          style={{ height: rowHeight }}
          className={cn(
            cellClasses,
            column.numeric && 'text-right tabular-nums',
            column.wrap ? 'break-words py-1' : 'truncate',
            position === 0 && (selectable ? keyColumnBesideCheckboxClasses : keyColumnClasses),
          )}
        >
          {column.cell(row)}
          {position === actorAt && flash !== undefined && <FlashActor actorId={flash.actorId} />}
        </td>
      ))}
      {actions !== undefined && (
        <td className={cn(cellClasses, 'sticky right-0 px-1')}>
          <div className="flex justify-end">
            {actions.slice(0, props.inlineActions).map((action) => (
              <InlineAction key={action.label} row={row} action={action} />
            ))}
            {actions.length > 0 && (
              <RowMenu
                row={row}
                ordinal={ordinal}
                actions={actions}
                open={props.menuOpen}
                onOpenChange={props.onMenuOpenChange}
              />
            )}
          </div>
        </td>
      )}
    </tr>
  );
}

function InlineAction<Row>({ row, action }: { row: Row; action: RowAction<Row> }) {
  return (
    <Button
      variant="ghost"
      size="icon-sm"
      aria-label={action.label}
      title={action.unavailable ?? action.label}
      disabled={action.unavailable !== undefined}
      onClick={once(action.label, () => action.onSelect(row))}
    >
      {action.icon === undefined ? action.label : <action.icon />}
    </Button>
  );
}

interface RowMenuProps<Row> {
  row: Row;
  ordinal: number;
  actions: readonly RowAction<Row>[];
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

function RowMenu<Row>({ row, ordinal, actions, open, onOpenChange }: RowMenuProps<Row>) {
  const button = useRef<HTMLButtonElement>(null);
  return (
    <Menu
      // The row, not the button: from there the keyboard goes on through the list.
      returnFocus={() => button.current?.closest<HTMLElement>('[data-row]')}
      open={open}
      onOpenChange={onOpenChange}
      trigger={
        <Button ref={button} variant="ghost" size="icon-sm" tabIndex={-1} aria-label={`Actions for row ${ordinal}`}>
          <MoreVertical />
        </Button>
      }
    >
      {actions.map((action) => (
        <MenuItem
          key={action.label}
          disabled={action.unavailable !== undefined}
          className={cn(action.destructive && 'text-danger-text')}
          onSelect={() => action.onSelect(row)}
        >
          {action.icon !== undefined && <action.icon />}
          <span>
            {action.label}
            {action.unavailable !== undefined && <span className="block text-xs">{action.unavailable}</span>}
          </span>
        </MenuItem>
      ))}
    </Menu>
  );
}

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
