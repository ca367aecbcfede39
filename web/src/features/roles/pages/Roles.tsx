/** The list of roles, with their pages, their abilities and their number of users. */

import { type Ability, ADMINISTRATOR_ROLE_ID, VIEWER_ROLE_ID } from '@rdm/contracts/access/permissions';
import type { RoleView } from '@rdm/contracts/identity/identity';
import { ROLE_FIELDS } from '@rdm/contracts/identity/list-fields';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Pencil, Plus, Trash2, Users } from 'lucide-react';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router-dom';
import { columnsOf, DataGrid, linkClasses, muted, type RowAction } from '../../../components/data-grid/index.ts';
import { DeleteDialog } from '../../../components/delete-dialog/index.tsx';
import { PageHeader } from '../../../components/page/index.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { useCurrentUser } from '../../../lib/auth/index.ts';
import { filterFields } from '../../../lib/filters/filter-fields.ts';
import { useLive } from '../../../lib/live/index.tsx';
import { useListState } from '../../../lib/url-state/list-state.ts';
import { deleteRole, reloadRoles, rolesKey, rolesQuery } from '../api/roles.ts';
import { ABILITY_WORDS } from '../components/abilities.ts';
import { RoleDialog } from '../components/RoleDialog.tsx';
import { labelOf } from '../components/route-tree.ts';

function usersPath({ name }: RoleView): string {
  const filter = { logic: 'AND', conditions: [{ field: 'roleName', operator: 'equals', value: name }] };
  return `/manage-users?filter=${encodeURIComponent(JSON.stringify(filter))}`;
}

const grantsAll = ({ id }: RoleView) => id === ADMINISTRATOR_ROLE_ID;
const pagesText = ({ routes }: RoleView) => routes.map(labelOf).join(', ');
const abilityWordsOf = ({ abilities }: RoleView) =>
  abilities.map((ability) => ABILITY_WORDS[ability as Ability] ?? ability);

const { custom, name, text, time } = columnsOf<RoleView>(ROLE_FIELDS);

const COLUMNS = [
  name('name', { minWidth: 140 }),
  text('description', { minWidth: 180, wrap: true }),
  custom('routes', {
    cell: (role) => {
      if (grantsAll(role)) return 'All';
      return role.routes.length === 0 ? muted('None') : <span title={pagesText(role)}>{pagesText(role)}</span>;
    },
    value: pagesText,
    sortable: false,
    minWidth: 260,
  }),
  custom('abilities', {
    header: 'Abilities',
    cell: (role) => {
      if (grantsAll(role)) return 'All';
      return role.abilities.length === 0 ? muted('None') : abilityWordsOf(role).join(', ');
    },
    value: (role) => abilityWordsOf(role).join(', '),
    minWidth: 200,
    wrap: true,
  }),
  custom('userCount', {
    cell: (role) => (
      <Link to={usersPath(role)} className={linkClasses}>
        {role.userCount}
      </Link>
    ),
    value: ({ userCount }) => userCount,
    numeric: true,
    width: 80,
  }),
  time('updatedAt', { hidden: true, width: 150 }),
];

const FILTERS = filterFields(ROLE_FIELDS);

const KEYS = [rolesKey];
const roleId = ({ id }: RoleView) => id;

/** Returns why a role cannot be deleted; undefined if it can be deleted. */
function deletionRefusal({ id, userCount }: RoleView): string | undefined {
  if (id === ADMINISTRATOR_ROLE_ID) return 'The role of administrators cannot be deleted';
  if (id === VIEWER_ROLE_ID) return 'This role is assigned to users who register: it cannot be deleted';
  if (userCount === 0) return undefined;
  return `This role cannot be deleted: ${userCount === 1 ? '1 user has' : `${userCount} users have`} it`;
}

type OpenDialog = { action: 'create' } | { action: 'edit' | 'delete'; role: RoleView };

export default function Roles() {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const user = useCurrentUser();
  const state = useListState({ sort: 'name' });
  const result = useQuery(rolesQuery(state.params));
  const live = useLive({ rooms: [`user:${user.id}`], keys: KEYS });
  const [openDialog, setOpenDialog] = useState<OpenDialog>();
  const close = () => setOpenDialog(undefined);

  const actionsOf = (role: RoleView): readonly RowAction<RoleView>[] => [
    { label: 'Edit', icon: Pencil, onSelect: () => setOpenDialog({ action: 'edit', role }) },
    { label: 'Show users with this role', icon: Users, onSelect: () => void navigate(usersPath(role)) },
    {
      label: 'Delete',
      icon: Trash2,
      destructive: true,
      onSelect: () => setOpenDialog({ action: 'delete', role }),
      unavailable: deletionRefusal(role),
    },
  ];

  const create = (
    <Button variant="primary" onClick={() => setOpenDialog({ action: 'create' })}>
      <Plus />
      Create role
    </Button>
  );

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <PageHeader
        title="Manage Roles"
        description="Roles determine which pages users can open, and which abilities users have outside of collections. Every user has one role."
        actions={create}
      />
      <DataGrid
        label="Roles"
        entity="roles"
        state={state}
        result={result}
        columns={COLUMNS}
        rowId={roleId}
        rowActions={actionsOf}
        onOpen={(role) => setOpenDialog({ action: 'edit', role })}
        filterFields={FILTERS}
        live={live}
        flashAs="role"
        empty={{ title: 'No roles yet', action: create }}
      />
      {openDialog?.action === 'create' && <RoleDialog onClose={close} />}
      {openDialog?.action === 'edit' && <RoleDialog role={openDialog.role} onClose={close} />}
      {openDialog?.action === 'delete' && (
        <DeleteDialog
          noun="role"
          name={openDialog.role.name}
          description="No user has this role."
          onDelete={() => deleteRole(openDialog.role.id, openDialog.role.revision)}
          onDeleted={() => reloadRoles(queries)}
          onClose={close}
        />
      )}
    </div>
  );
}
