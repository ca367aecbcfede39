/** The list of groups. */

import type { GroupView } from '@rdm/contracts/identity/identity';
import type { FilterField } from '@rdm/contracts/lists/filter';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Pencil, Plus, Trash2, Users } from 'lucide-react';
import { useState } from 'react';
import { DataGrid, type GridColumn, type RowAction } from '../../../components/data-grid/index.ts';
import { RelativeTime } from '../../../components/timeline/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Button } from '../../../components/ui/button.tsx';
import { Confirm } from '../../../components/ui/dialog.tsx';
import { useCurrentUser } from '../../../lib/auth/index.ts';
import { useLive } from '../../../lib/live/index.tsx';
import { messageOf } from '../../../lib/messages/index.ts';
import { useListState } from '../../../lib/url-state/list-state.ts';
import { deleteGroup, groupsKey, groupsQuery, reloadGroups } from '../api/groups.ts';
import { GroupDialog } from './GroupDialog.tsx';
import { MembersDialog } from './MembersDialog.tsx';

const COLUMNS: readonly GridColumn<GroupView>[] = [
  {
    id: 'name',
    header: 'Name',
    cell: ({ name }) => <span className="font-medium">{name}</span>,
    value: ({ name }) => name,
    sortable: true,
    required: true,
    minWidth: 180,
  },
  {
    id: 'description',
    header: 'Description',
    cell: ({ description }) => description,
    value: ({ description }) => description,
    sortable: true,
    minWidth: 200,
    wrap: true,
  },
  {
    id: 'memberCount',
    header: 'Members',
    cell: ({ memberCount }) => memberCount,
    value: ({ memberCount }) => memberCount,
    sortable: true,
    numeric: true,
    width: 96,
  },
  {
    id: 'updatedAt',
    header: 'Updated',
    cell: ({ updatedAt }) => <RelativeTime at={updatedAt} />,
    value: ({ updatedAt }) => updatedAt,
    sortable: true,
    width: 150,
  },
];

const FILTERS: readonly FilterField[] = [
  { name: 'name', label: 'Name', dataType: 'string' },
  { name: 'description', label: 'Description', dataType: 'string' },
  { name: 'memberCount', label: 'Members', dataType: 'number' },
  { name: 'updatedAt', label: 'Updated', dataType: 'datetime' },
];

const KEYS = [groupsKey];
const groupId = ({ id }: GroupView) => id;

type OpenDialog = { what: 'create' } | { what: 'edit' | 'members' | 'delete'; group: GroupView };

export function GroupsTab() {
  const queries = useQueryClient();
  const user = useCurrentUser();
  const state = useListState({ sort: 'name', prefix: 'g-' });
  const result = useQuery(groupsQuery(state.params));
  const live = useLive({ rooms: [`user:${user.id}`], keys: KEYS });
  const [opened, setOpened] = useState<OpenDialog>();
  const close = () => setOpened(undefined);

  async function remove(group: GroupView) {
    close();
    try {
      await deleteGroup(group.id, group.revision);
      notify.success('Group deleted', { description: group.name });
      await reloadGroups(queries);
    } catch (error) {
      notify.error(messageOf(error), { title: 'The group was not deleted' });
    }
  }

  const actionsOf = (group: GroupView): readonly RowAction<GroupView>[] => [
    { label: 'Members', icon: Users, onSelect: () => setOpened({ what: 'members', group }) },
    { label: 'Edit', icon: Pencil, onSelect: () => setOpened({ what: 'edit', group }) },
    { label: 'Delete', icon: Trash2, destructive: true, onSelect: () => setOpened({ what: 'delete', group }) },
  ];

  const create = (
    <Button variant="primary" onClick={() => setOpened({ what: 'create' })}>
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
        onOpen={(group) => setOpened({ what: 'members', group })}
        filterFields={FILTERS}
        live={live}
        flashAs="group"
        actions={create}
        empty={{
          title: 'No groups yet',
          description: 'With a group, collections can grant access to several users at once.',
          action: create,
        }}
      />
      {opened?.what === 'create' && <GroupDialog onClose={close} />}
      {opened?.what === 'edit' && <GroupDialog group={opened.group} onClose={close} />}
      {opened?.what === 'members' && <MembersDialog group={opened.group} onClose={close} />}
      {opened?.what === 'delete' && (
        <Confirm
          open
          onOpenChange={(stays) => !stays && close()}
          title={`Delete ${opened.group.name}?`}
          description={`What collections grant to the group is revoked, and its ${membersWords(opened.group.memberCount)} it at once. This action cannot be undone.`}
          confirm="Delete"
          onConfirm={() => void remove(opened.group)}
        />
      )}
    </>
  );
}

const membersWords = (count: number) => (count === 1 ? '1 member loses' : `${count} members lose`);
