/** The bar with the actions on the selected rows, and with the button that selects all matching rows. */
import type { Total } from '@rdm/contracts/lists/filter';
import { X } from 'lucide-react';
import { useState } from 'react';
import { messageOf } from '../../lib/messages/index.ts';
import { formatNumber, totalText } from '../../lib/number-format.ts';
import { notify } from '../toast/index.ts';
import { Button } from '../ui/button.tsx';
import { cn } from '../ui/cn.ts';
import type { BulkAction, FrozenSelection, Selection } from './types.ts';

export interface SelectionBarProps<Row> {
  selection: Selection<Row>;
  actions: readonly BulkAction<Row>[];
  total: Total;
  /** Stores all matching rows as a selection; undefined if the list does not support such selections. */
  selectAll: (() => Promise<FrozenSelection>) | undefined;
  onFrozen: (frozen: FrozenSelection) => void;
}

export function SelectionBar<Row>({ selection, actions, total, selectAll, onFrozen }: SelectionBarProps<Row>) {
  const [busy, setBusy] = useState(false);
  const isAll = selection.selectionId !== undefined;
  const canSelectAll = !isAll && selectAll !== undefined && (typeof total !== 'number' || selection.count < total);

  async function selectAllRows() {
    if (selectAll === undefined) return;
    setBusy(true);
    try {
      onFrozen(await selectAll());
    } catch (error) {
      notify.error(messageOf(error));
    } finally {
      setBusy(false);
    }
  }

  return (
    <section
      aria-label="Selected rows"
      // On a phone, the bar is above the footer. The list leaves space for two lines, so the actions scroll sideways.
      className="absolute inset-x-0 bottom-2 z-10 flex min-h-8 flex-wrap items-center gap-x-2 rounded-md border border-accent/40 bg-accent-soft px-2 py-px max-sm:fixed max-sm:inset-x-2 max-sm:bottom-16 max-sm:z-40 max-sm:py-1 max-sm:shadow-lg"
    >
      <p role="status" className="text-sm">
        {isAll
          ? `All ${formatNumber(selection.count)} matching rows are selected`
          : `${formatNumber(selection.count)} selected`}
      </p>
      {canSelectAll && (
        <Button variant="ghost" size="sm" disabled={busy} onClick={() => void selectAllRows()}>
          {/* On the smallest phone, the whole text would leave no space for the button that clears the selection. */}
          Select all {totalText(total)} <span className="max-[23rem]:hidden">matching </span>rows
        </Button>
      )}
      <div className="ml-auto flex flex-wrap items-center gap-1 max-sm:order-last max-sm:w-full max-sm:flex-nowrap max-sm:overflow-x-auto max-sm:p-0.5">
        {actions.map((action) => {
          // Until the server responds, the selection contains only the rows that were selected individually.
          const unavailable = busy ? 'Selecting all matching rows…' : action.unavailable?.(selection);
          return (
            <Button
              key={action.label}
              size="sm"
              // Only the confirmation dialog has a button in the destructive style. On a phone, available actions come
              // first, because the bar may hide the last actions.
              className={cn(
                'shrink-0',
                action.destructive && 'text-danger-text',
                unavailable !== undefined && 'max-sm:order-last',
              )}
              disabled={unavailable !== undefined}
              title={unavailable}
              onClick={() => action.onSelect(selection)}
            >
              {action.icon !== undefined && <action.icon />}
              {action.label}
            </Button>
          );
        })}
      </div>
      <Button
        variant="ghost"
        size="icon-sm"
        className="max-sm:ml-auto"
        aria-label="Clear selection"
        onClick={selection.clear}
      >
        <X />
      </Button>
    </section>
  );
}
