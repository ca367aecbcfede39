/** The actions of one row: a few buttons, and all actions in the `⋮` menu. */

import { MoreVertical } from 'lucide-react';
import { type RefObject, useRef } from 'react';
import { useIsPast } from '../../lib/past/index.ts';
import { ignoreRepeats } from '../../lib/pointer/index.ts';
import { Button } from '../ui/button.tsx';
import { cn } from '../ui/cn.ts';
import { Menu, MenuItem } from '../ui/dropdown-menu.tsx';
import type { RowAction } from './types.ts';

export interface RowActionsProps<Row> {
  row: Row;
  ordinal: number;
  actionsOf: (row: Row) => readonly RowAction<Row>[];
  /** The number of actions shown as buttons. */
  inline: number;
  /** Whether all rows have the same height, which the buttons must not increase. */
  hasFixedHeight: boolean;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

export function RowActions<Row>({
  row,
  inline,
  hasFixedHeight,
  actionsOf: allActionsOf,
  ...menu
}: RowActionsProps<Row>) {
  const isPast = useIsPast();
  // On a page of the past, unavailable actions are omitted instead of disabled, because no level on the data set would
  // allow them.
  const actionsOf = isPast
    ? (each: Row) => allActionsOf(each).filter(({ unavailable }) => unavailable === undefined)
    : allActionsOf;
  return (
    <div className={hasFixedHeight ? '-my-1 flex justify-end' : 'flex justify-end'}>
      {inline > 0 &&
        actionsOf(row)
          .slice(0, inline)
          .map((action) => <InlineAction key={action.label} row={row} action={action} />)}
      <RowMenu row={row} actionsOf={actionsOf} {...menu} />
    </div>
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
      onClick={ignoreRepeats(action.label, () => action.onSelect(row))}
    >
      {action.icon === undefined ? action.label : <action.icon />}
    </Button>
  );
}

type RowMenuProps<Row> = Omit<RowActionsProps<Row>, 'inline' | 'hasFixedHeight'>;

function RowMenu<Row>({ row, ordinal, actionsOf, open, onOpenChange }: RowMenuProps<Row>) {
  const button = useRef<HTMLButtonElement>(null);
  // The menu is created when it is opened, because a menu in every visible row would cost more than the row itself.
  if (!open) return <ClosedMenu ref={button} ordinal={ordinal} onOpen={() => onOpenChange(true)} />;
  const trigger = (
    <Button ref={button} variant="ghost" size="icon-sm" tabIndex={-1} aria-label={`Actions for row ${ordinal}`}>
      <MoreVertical />
    </Button>
  );
  return (
    <Menu
      // Focuses the row instead of the button, so that the arrow keys move through the list.
      returnFocus={() => button.current?.closest<HTMLElement>('[data-row]')}
      open
      onOpenChange={onOpenChange}
      trigger={trigger}
    >
      {actionsOf(row).map((action) => (
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

const OPENING_KEYS = new Set(['Enter', ' ', 'ArrowDown']);

interface ClosedMenuProps {
  /** The button of the menu. The row of the button gets the focus when the menu closes. */
  ref: RefObject<HTMLButtonElement | null>;
  ordinal: number;
  onOpen: () => void;
}

/** Behaves like a menu trigger, but is a single element, because every row renders one. */
function ClosedMenu({ ref, ordinal, onOpen }: ClosedMenuProps) {
  return (
    <button
      ref={ref}
      type="button"
      tabIndex={-1}
      aria-label={`Actions for row ${ordinal}`}
      aria-haspopup="menu"
      aria-expanded={false}
      className="inline-flex size-7 shrink-0 select-none items-center justify-center rounded-md text-base text-ink before:font-bold before:content-['⋮'/''] hover:bg-hover"
      onPointerDown={(event) => {
        if (event.button !== 0 || event.ctrlKey) return;
        event.preventDefault();
        onOpen();
      }}
      onKeyDown={(event) => {
        if (!OPENING_KEYS.has(event.key)) return;
        event.preventDefault();
        onOpen();
      }}
    />
  );
}
