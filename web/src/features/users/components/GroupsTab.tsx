/** The list of groups. */

import type { GroupView } from '@rdm/contracts/identity/identity';
import { GROUP_FIELDS } from '@rdm/contracts/identity/list-fields';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Pencil, Plus, Trash2, Users } from 'lucide-react';
import { useState } from 'react';
import { columnsOf, DataGrid, type RowAction } from '../../../components/data-grid/index.ts';
import { DeleteDialog } from '../../../components/delete-dialog/index.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { useCurrentUser } from '../../../lib/auth/index.ts';
import { filterFields } from '../../../lib/filters/filter-fields.ts';
import { useLive } from '../../../lib/live/index.tsx';
import { useListState } from '../../../lib/url-state/list-state.ts';
import { deleteGroup, groupsKey, groupsQuery, reloadGroups } from '../api/groups.ts';
import { GroupDialog } from './GroupDialog.tsx';
import { MembersDialog } from './MembersDialog.tsx';

const { name, text, number, time } = columnsOf<GroupView>(GROUP_FIELDS);

const COLUMNS = [
  name('name', { minWidth: 180 }),
  text('description', { minWidth: 200, wrap: true }),
  number('memberCount', { width: 96 }),
  time('updatedAt', { width: 150 }),
];

const FILTERS = filterFields(GROUP_FIELDS);

const KEYS = [groupsKey];
const groupId = ({ id }: GroupView) => id;

type OpenDialog = { action: 'create' } | { action: 'edit' | 'members' | 'delete'; group: GroupView };

export function GroupsTab() {
  const queries = useQueryClient();
  const user = useCurrentUser();
  const state = useListState({ sort: 'name', prefix: 'g-' });
  const result = useQuery(groupsQuery(state.params));
  const live = useLive({ rooms: [`user:${user.id}`], keys: KEYS });
  const [openDialog, setOpenDialog] = useState<OpenDialog>();
  const close = () => setOpenDialog(undefined);

  const actionsOf = (group: GroupView): readonly RowAction<GroupView>[] => [
    { label: 'Members', icon: Users, onSelect: () => setOpenDialog({ action: 'members', group }) },
    { label: 'Edit', icon: Pencil, onSelect: () => setOpenDialog({ action: 'edit', group }) },
    { label: 'Delete', icon: Trash2, destructive: true, onSelect: () => setOpenDialog({ action: 'delete', group }) },
  ];

  const create = (
    <Button variant="primary" onClick={() => setOpenDialog({ action: 'create' })}>
      <Plus />
      Create group
    </Button>
  );

  return (
    <>
      <DataGrid
        label="Groups"
        entity="groups"
        state={state}
        result={result}
        columns={COLUMNS}
        rowId={groupId}
        rowActions={actionsOf}
        onOpen={(group) => setOpenDialog({ action: 'members', group })}
        filterFields={FILTERS}
        live={live}
        flashAs="group"
        actions={create}
        empty={{
          title: 'No groups yet',
          description: 'A grant on a collection to a group applies to all members of the group.',
          action: create,
        }}
      />
      {openDialog?.action === 'create' && <GroupDialog onClose={close} />}
      {openDialog?.action === 'edit' && <GroupDialog group={openDialog.group} onClose={close} />}
      {openDialog?.action === 'members' && <MembersDialog group={openDialog.group} onClose={close} />}
      {openDialog?.action === 'delete' && (
        <DeleteDialog
          noun="group"
          name={openDialog.group.name}
          description={`The group loses its grants on collections, and its ${membersLoseText(openDialog.group.memberCount)} these grants immediately.`}
          onDelete={() => deleteGroup(openDialog.group.id, openDialog.group.revision)}
          onDeleted={() => reloadGroups(queries)}
          onClose={close}
        />
      )}
    </>
  );
}

const membersLoseText = (count: number) => (count === 1 ? '1 member loses' : `${count} members lose`);
