/** The details of one user: profile, groups, sessions and keys. */
import type { UserDetails, UserView } from '@rdm/contracts/identity/identity';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { MailMinus, Pencil, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Link } from 'react-router-dom';
import { ErrorState } from '../../../components/empty-state/index.tsx';
import { RelativeTime } from '../../../components/timeline/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Badge } from '../../../components/ui/badge.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Drawer } from '../../../components/ui/drawer.tsx';
import { Select } from '../../../components/ui/select.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { messageOf } from '../../../lib/messages/index.ts';
import { changeMembers, groupChoicesQuery, reloadGroups } from '../api/groups.ts';
import { userQuery } from '../api/users.ts';
import { nameOf, PROFILE_LABELS, PROFILE_TEXT_FIELDS } from './profile.ts';
import { releaseRefusal } from './release-email.ts';
import { providerName, UserState } from './UserState.tsx';

export interface UserDrawerProps {
  user: UserView;
  onEdit: () => void;
  onRelease: () => void;
  onClose: () => void;
}

export function UserDrawer({ user, onEdit, onRelease, onClose }: UserDrawerProps) {
  const { data, error, refetch } = useQuery(userQuery(user.id));
  return (
    <Drawer
      open
      onOpenChange={(open) => !open && onClose()}
      title={nameOf(data ?? user)}
      description={(data ?? user).roleName}
      footer={
        !(data ?? user).isErased && (
          <>
            {releaseRefusal(data ?? user) === undefined && (
              <Button onClick={onRelease}>
                <MailMinus />
                Release e-mail address
              </Button>
            )}
            <Button onClick={onEdit}>
              <Pencil />
              Edit
            </Button>
          </>
        )
      }
    >
      {error !== null && data === undefined ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Skeleton className="w-1/2" />
      ) : (
        <Details user={data} />
      )}
    </Drawer>
  );
}

function Details({ user }: { user: UserDetails }) {
  const facts: [string, ReactNode][] = [
    ['State', <UserState key="state" user={user} />],
    ...(user.isErased
      ? []
      : PROFILE_TEXT_FIELDS.map((field): [string, ReactNode] => [PROFILE_LABELS[field], profileText(user, field)])),
    ['Provider', providerName(user.authProvider)],
    ['Last sign-in', user.lastLoginAt === null ? 'Never' : <RelativeTime key="last" at={user.lastLoginAt} />],
    ['Failed sign-ins toward the next lock', user.failedLoginAttempts],
    ['Open sessions', user.openSessions],
    [
      'Active API keys',
      user.activeApiKeys === 0 ? (
        0
      ) : (
        <Link key="keys" to="/api-keys" className="text-accent underline underline-offset-2">
          {user.activeApiKeys}
        </Link>
      ),
    ],
    ['Created', <RelativeTime key="created" at={user.createdAt} />],
  ];
  return (
    <div className="flex flex-col gap-6">
      <dl className="grid grid-cols-[9rem_1fr] gap-x-3 gap-y-2">
        {facts.map(([label, value]) => (
          <div key={label} className="contents">
            <dt className="text-muted">{label}</dt>
            <dd className="min-w-0 break-words">
              {value === null || value === '' ? <span className="text-muted">—</span> : value}
            </dd>
          </div>
        ))}
      </dl>
      <Groups user={user} />
    </div>
  );
}

function profileText(user: UserView, field: (typeof PROFILE_TEXT_FIELDS)[number]): string | null {
  const isUnproved = field === 'email' && user.email !== '' && !user.isEmailProved;
  return isUnproved ? `${user.email} (not confirmed)` : user[field];
}

function Groups({ user }: { user: UserDetails }) {
  const queries = useQueryClient();
  const { data: groups = [] } = useQuery(groupChoicesQuery);
  const [busy, setBusy] = useState(false);
  const otherGroups = groups.filter(({ id }) => !user.groups.some((group) => group.id === id));

  async function change(groupId: number, joins: boolean) {
    setBusy(true);
    try {
      await changeMembers(groupId, joins ? [user.id] : [], joins ? [] : [user.id]);
      await reloadGroups(queries);
    } catch (error) {
      notify.error(messageOf(error), { title: 'The group was not changed' });
    } finally {
      setBusy(false);
    }
  }

  return (
    <section aria-label="Groups" className="flex flex-col gap-2">
      <h3 className="font-medium">Groups</h3>
      {user.groups.length === 0 ? (
        <p className="text-muted">This user belongs to no group.</p>
      ) : (
        <ul className="flex flex-wrap gap-1.5">
          {user.groups.map(({ id, name }) => (
            <li key={id}>
              <Badge>
                {name}
                <button
                  type="button"
                  disabled={busy}
                  aria-label={`Remove from ${name}`}
                  className="-mr-1 rounded-sm p-1 hover:bg-hairline"
                  onClick={() => void change(id, false)}
                >
                  <X aria-hidden="true" className="size-3" />
                </button>
              </Badge>
            </li>
          ))}
        </ul>
      )}
      {!user.isErased && otherGroups.length > 0 && (
        <Select
          aria-label="Add to a group"
          className="w-56"
          placeholder="Add to a group…"
          disabled={busy}
          value={undefined}
          onValueChange={(id) => void change(Number(id), true)}
          options={otherGroups.map(({ id, name }) => ({ value: String(id), label: name }))}
        />
      )}
    </section>
  );
}
