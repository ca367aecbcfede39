/**
 * Renames, shares, updates and deletes the user's own saved filters of a list. Also shows the filters that others
 * share, which administrators can delete.
 */
import type { ListView, SavedFilterView } from '@rdm/contracts/filters/saved-filters';
import { useQueryClient } from '@tanstack/react-query';
import { RefreshCw, Trash2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useCurrentUser } from '../../lib/auth/index.ts';
import { changeSavedFilter, deleteSavedFilter, reloadSavedFilters } from '../../lib/filters/index.ts';
import { isSameView } from '../../lib/filters/view-equality.ts';
import { messageOf } from '../../lib/messages/index.ts';
import { Alert } from '../ui/alert.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Input } from '../ui/input.tsx';
import { Switch } from '../ui/switch.tsx';
import { describeView } from './save-dialog.tsx';

export interface ManageFiltersDialogProps {
  filters: readonly SavedFilterView[];
  nameOf: (ownerId: number) => string;
  /** The current view of the list. */
  view: ListView;
  onClose: () => void;
}

export function ManageFiltersDialog({ filters, nameOf, view, onClose }: ManageFiltersDialogProps) {
  const queries = useQueryClient();
  const { id: userId, isAdmin } = useCurrentUser();
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);

  async function act(command: () => Promise<unknown>) {
    setBusy(true);
    setProblem(undefined);
    try {
      await command();
    } catch (error) {
      setProblem(messageOf(error));
    }
    await reloadSavedFilters(queries);
    setBusy(false);
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Saved filters"
      description="A shared filter is offered to all users who can read this list. Only its owner can change it."
      footer={<Button onClick={onClose}>Close</Button>}
    >
      {problem !== undefined && (
        <Alert tone="error" className="mb-3">
          {problem}
        </Alert>
      )}
      {filters.length === 0 && <p className="text-muted">No saved filters are left.</p>}
      <ul className="divide-y divide-hairline">
        {filters.map((filter) => (
          <li key={filter.id} className="flex flex-wrap items-center gap-x-3 gap-y-2 py-2.5">
            <div className="min-w-48 flex-1">
              {filter.ownerId === userId ? (
                <NameField
                  key={filter.revision}
                  filter={filter}
                  disabled={busy}
                  onRename={(name) => void act(() => changeSavedFilter(filter, { name }))}
                />
              ) : (
                <p className="break-words font-medium">{filter.name}</p>
              )}
              <p className="mt-0.5 break-words text-muted text-xs">
                {filter.ownerId !== userId && `${nameOf(filter.ownerId)} · `}
                {describeView(filter.view)}
              </p>
            </div>
            {filter.ownerId === userId && (
              <>
                <Switch
                  label="Shared"
                  aria-label={`Shared: ${filter.name}`}
                  checked={filter.isShared}
                  disabled={busy}
                  onCheckedChange={(isShared) => void act(() => changeSavedFilter(filter, { isShared }))}
                />
                <Button
                  variant="ghost"
                  size="icon-sm"
                  aria-label={`Replace ${filter.name} with the current view`}
                  title="Replace with the current view"
                  disabled={busy || isSameView(filter.view, view)}
                  onClick={() => void act(() => changeSavedFilter(filter, { view }))}
                >
                  <RefreshCw />
                </Button>
              </>
            )}
            {(filter.ownerId === userId || isAdmin) && (
              <Button
                variant="ghost"
                size="icon-sm"
                aria-label={`Delete ${filter.name}`}
                title="Delete"
                disabled={busy}
                onClick={() => void act(() => deleteSavedFilter(filter))}
              >
                <Trash2 />
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

function NameField({
  filter,
  disabled,
  onRename,
}: {
  filter: SavedFilterView;
  disabled: boolean;
  onRename: (name: string) => void;
}) {
  const [name, setName] = useState(filter.name);
  const changed = name.trim() !== '' && name.trim() !== filter.name;
  function rename(event: FormEvent) {
    event.preventDefault();
    event.stopPropagation();
    if (changed) onRename(name);
  }
  return (
    <form className="flex gap-2" onSubmit={rename}>
      <Input
        aria-label={`Name of ${filter.name}`}
        maxLength={200}
        disabled={disabled}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      {changed && (
        <Button type="submit" disabled={disabled}>
          Rename
        </Button>
      )}
    </form>
  );
}
