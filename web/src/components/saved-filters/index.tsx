/**
 * The menu of saved filters of a list: applies a filter, saves the current view, and opens the dialog with all filters.
 */
import type { SavedFilterView } from '@rdm/contracts/filters/saved-filters';
import { useQuery } from '@tanstack/react-query';
import { Bookmark, Check, Settings2, Users } from 'lucide-react';
import { useState } from 'react';
import { useCurrentUser } from '../../lib/auth/index.ts';
import { usePeople } from '../../lib/auth/people.ts';
import { savedFiltersQuery } from '../../lib/filters/index.ts';
import { isSameView } from '../../lib/filters/view-equality.ts';
import { messageOf } from '../../lib/messages/index.ts';
import type { ListState } from '../../lib/url-state/list-state.ts';
import { Button } from '../ui/button.tsx';
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '../ui/dropdown-menu.tsx';
import { ManageFiltersDialog } from './manage-dialog.tsx';
import { SaveFilterDialog } from './save-dialog.tsx';

export interface SavedFiltersProps {
  /** Key of the list in `@rdm/contracts/lists/lists`, such as `data-set:12`. */
  entity: string;
  state: ListState;
}

export function SavedFilters({ entity, state }: SavedFiltersProps) {
  const [hasBeenOpened, setHasBeenOpened] = useState(false);
  const [openDialog, setOpenDialog] = useState<'save' | 'manage'>();
  const userId = useCurrentUser().id;
  const { data: filters = [], error, isPending } = useQuery({ ...savedFiltersQuery(entity), enabled: hasBeenOpened });
  const nameOf = usePeople(filters.map(({ ownerId }) => ownerId));
  const ownFilters = filters.filter(({ ownerId }) => ownerId === userId);
  const others = filters.filter(({ ownerId }) => ownerId !== userId);
  const current = filters.find(({ view }) => isSameView(view, state.view));

  const item = (filter: SavedFilterView) => (
    <MenuItem key={filter.id} onSelect={() => state.apply(filter.view)} className="max-w-80">
      <Check aria-hidden="true" className={filter === current ? '' : 'invisible'} />
      <span className="min-w-0 flex-1">
        <span className="block truncate">{filter.name}</span>
        {filter.ownerId !== userId && (
          <span className="block truncate text-muted text-xs">{nameOf(filter.ownerId)}</span>
        )}
      </span>
      {filter.isShared && <Users role="img" aria-label="Shared" className="text-muted" />}
      {filter === current && <span className="sr-only">, shown now</span>}
    </MenuItem>
  );

  return (
    <>
      <Menu
        align="start"
        onOpenChange={(open) => open && setHasBeenOpened(true)}
        trigger={
          <Button aria-label={current === undefined ? 'Saved filters' : `Saved filters, ${current.name} shown`}>
            <Bookmark />
            <span className="max-w-40 truncate">{current?.name ?? 'Saved'}</span>
          </Button>
        }
      >
        {isPending && <MenuLabel>Loading…</MenuLabel>}
        {error !== null && <MenuLabel className="text-danger-text">{messageOf(error)}</MenuLabel>}
        {!isPending && error === null && filters.length === 0 && <MenuLabel>No saved filters yet</MenuLabel>}
        <div className="max-h-72 overflow-y-auto">
          {ownFilters.length > 0 && <MenuLabel>Mine</MenuLabel>}
          {ownFilters.map(item)}
          {others.length > 0 && <MenuLabel>Shared with me</MenuLabel>}
          {others.map(item)}
        </div>
        <MenuSeparator />
        <MenuItem onSelect={() => setOpenDialog('save')}>
          <Bookmark />
          Save this view…
        </MenuItem>
        <MenuItem disabled={filters.length === 0} onSelect={() => setOpenDialog('manage')}>
          <Settings2 />
          Manage saved filters…
        </MenuItem>
      </Menu>
      {openDialog === 'save' && (
        <SaveFilterDialog entity={entity} view={state.view} onClose={() => setOpenDialog(undefined)} />
      )}
      {openDialog === 'manage' && (
        <ManageFiltersDialog
          filters={filters}
          nameOf={nameOf}
          view={state.view}
          onClose={() => setOpenDialog(undefined)}
        />
      )}
    </>
  );
}
