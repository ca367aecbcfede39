/** The list of users, with the actions of administrators. */
import type { UserView } from '@rdm/contracts/identity/identity';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Eraser, Eye, KeyRound, LockOpen, LogOut, MailMinus, Pencil, UserCheck, UserPlus, UserX } from 'lucide-react';
import { parseAsBoolean, useQueryState } from 'nuqs';
import { useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { DataGrid, type RowAction } from '../../../components/data-grid/index.ts';
import { notify } from '../../../components/toast/index.ts';
import { Button } from '../../../components/ui/button.tsx';
import { Confirm } from '../../../components/ui/dialog.tsx';
import { useCurrentUser } from '../../../lib/auth/index.ts';
import { useLive } from '../../../lib/live/index.tsx';
import { messageOf } from '../../../lib/messages/index.ts';
import { useListState } from '../../../lib/url-state/list-state.ts';
import { changeUserState, reloadUsers, type UserVerb, usersKey, usersQuery } from '../api/users.ts';
import { USER_COLUMNS, USER_FILTERS } from './columns.tsx';
import { DeactivateDialog } from './DeactivateDialog.tsx';
import { EditUserDialog } from './EditUserDialog.tsx';
import { InviteDialog } from './InviteDialog.tsx';
import { nameOf } from './profile.ts';
import { QuickFilters } from './QuickFilters.tsx';
import { ReleaseEmailDialog } from './ReleaseEmailDialog.tsx';
import { releaseRefusal } from './release-email.ts';
import { UserDrawer } from './UserDrawer.tsx';
import { isLocal } from './UserState.tsx';

const KEYS = [usersKey];
const userId = ({ id }: UserView) => id;

const SUCCESS_TEXTS: Record<UserVerb, string> = {
  deactivate: 'User deactivated',
  reactivate: 'User reactivated',
  unlock: 'User unlocked',
  'require-password-change': 'Password change required',
  'end-sessions': 'Sessions ended',
  'release-email': 'E-mail address released',
};

const FAILURE_TITLES: Record<UserVerb, string> = {
  deactivate: 'The user was not deactivated',
  reactivate: 'The user was not reactivated',
  unlock: 'The user was not unlocked',
  'require-password-change': 'The password change could not be required',
  'end-sessions': 'The sessions were not ended',
  'release-email': 'The e-mail address was not released',
};

const ERASED_REASON = 'This user was erased and cannot be changed';

interface OpenDialog {
  action: 'details' | 'edit' | 'deactivate' | 'require-password-change' | 'end-sessions' | 'release-email';
  user: UserView;
}

export function UsersTab() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const me = useCurrentUser();
  const state = useListState({ sort: 'username' });
  const result = useQuery(usersQuery(state.params));
  const live = useLive({ rooms: [`user:${me.id}`], keys: KEYS });
  const [inviting, setInviting] = useQueryState('new', parseAsBoolean.withDefault(false));
  const [openDialog, setOpenDialog] = useState<OpenDialog>();
  const close = () => setOpenDialog(undefined);

  async function act(user: UserView, verb: UserVerb) {
    close();
    try {
      await changeUserState(user.id, verb);
      notify.success(SUCCESS_TEXTS[verb], { description: nameOf(user) });
      await reloadUsers(queries);
    } catch (error) {
      notify.error(messageOf(error), { title: FAILURE_TITLES[verb] });
    }
  }

  const actionsOf = (user: UserView): readonly RowAction<UserView>[] => {
    const open = (action: OpenDialog['action']) => () => setOpenDialog({ action, user });
    const erased = user.isErased ? ERASED_REASON : undefined;
    return [
      { label: 'Details', icon: Eye, onSelect: open('details') },
      { label: 'Edit', icon: Pencil, onSelect: open('edit'), unavailable: erased },
      {
        label: 'Unlock',
        icon: LockOpen,
        onSelect: () => void act(user, 'unlock'),
        unavailable: erased ?? (user.isLocked || user.failedLoginAttempts > 0 ? undefined : 'The user is not locked'),
      },
      {
        label: 'Require password change',
        icon: KeyRound,
        onSelect: open('require-password-change'),
        unavailable:
          erased ??
          (isLocal(user)
            ? user.requirePasswordChange
              ? 'A password change is already required'
              : undefined
            : 'Their sign-in provider manages their password'),
      },
      { label: 'End sessions', icon: LogOut, onSelect: open('end-sessions'), unavailable: erased },
      {
        label: 'Release e-mail address',
        icon: MailMinus,
        onSelect: open('release-email'),
        unavailable: erased ?? releaseRefusal(user),
      },
      user.isActive
        ? { label: 'Deactivate', icon: UserX, onSelect: open('deactivate'), destructive: true }
        : { label: 'Reactivate', icon: UserCheck, onSelect: () => void act(user, 'reactivate'), unavailable: erased },
      {
        label: 'Erase',
        icon: Eraser,
        // The page Purge Data first lists the texts that name the user.
        onSelect: () => void navigate(`/admin/purge-data?tab=erase&user=${user.id}`),
        destructive: true,
        unavailable: erased,
      },
    ];
  };

  const invite = (
    <Button variant="primary" onClick={() => void setInviting(true)}>
      <UserPlus />
      Invite user
    </Button>
  );

  return (
    <>
      <DataGrid
        label="Users"
        entity="users"
        state={state}
        result={result}
        columns={USER_COLUMNS}
        rowId={userId}
        rowActions={actionsOf}
        onOpen={(user) => setOpenDialog({ action: 'details', user })}
        filterFields={USER_FILTERS}
        live={live}
        flashAs="user"
        actions={
          <>
            <QuickFilters state={state} />
            {invite}
          </>
        }
        empty={{ title: 'No users yet', description: 'Invite the first one.', action: invite }}
      />
      {inviting && <InviteDialog onClose={() => void setInviting(null)} />}
      {openDialog?.action === 'details' && (
        <UserDrawer
          user={openDialog.user}
          onEdit={() => setOpenDialog({ action: 'edit', user: openDialog.user })}
          onRelease={() => setOpenDialog({ action: 'release-email', user: openDialog.user })}
          onClose={close}
        />
      )}
      {openDialog?.action === 'edit' && <EditUserDialog user={openDialog.user} onClose={close} />}
      {openDialog?.action === 'deactivate' && (
        <DeactivateDialog
          user={openDialog.user}
          onDeactivate={() => void act(openDialog.user, 'deactivate')}
          onClose={close}
        />
      )}
      {openDialog?.action === 'release-email' && (
        <ReleaseEmailDialog
          user={openDialog.user}
          onRelease={() => void act(openDialog.user, 'release-email')}
          onClose={close}
        />
      )}
      {openDialog?.action === 'require-password-change' && (
        <Confirm
          open
          onOpenChange={(open) => !open && close()}
          title={`Require a password change of ${nameOf(openDialog.user)}?`}
          description="With their next request, they must choose a new password before they can continue."
          confirm="Require password change"
          variant="primary"
          onConfirm={() => void act(openDialog.user, 'require-password-change')}
        />
      )}
      {openDialog?.action === 'end-sessions' && (
        <Confirm
          open
          onOpenChange={(open) => !open && close()}
          title={`End the sessions of ${nameOf(openDialog.user)}?`}
          description={
            openDialog.user.id === me.id
              ? 'You are signed out everywhere, in this browser too.'
              : 'They are signed out everywhere immediately and can sign in again.'
          }
          confirm="End sessions"
          onConfirm={() => void act(openDialog.user, 'end-sessions')}
        />
      )}
    </>
  );
}
