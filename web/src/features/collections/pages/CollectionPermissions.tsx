/** The page of a collection's permissions: the grants, and the effective access of a user. */

import { LEVEL_TEXTS, LEVELS, type Level } from '@rdm/contracts/access/permissions';
import type { CollectionView, PermissionsView, PermissionView } from '@rdm/contracts/collections/collections';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ArrowLeft, Copy, Trash2, User, Users } from 'lucide-react';
import { useState } from 'react';
import { Link, useParams } from 'react-router-dom';
import { PageHeader } from '../../../components/page/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Alert } from '../../../components/ui/alert.tsx';
import { Badge } from '../../../components/ui/badge.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Field } from '../../../components/ui/input.tsx';
import { Select } from '../../../components/ui/select.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { type Undoable, UndoBar } from '../../../components/undo-bar/index.tsx';
import { ApiError } from '../../../lib/api/index.ts';
import { readAfterRefusal } from '../../../lib/conflict/read-after-refusal.ts';
import { useLive } from '../../../lib/live/index.tsx';
import { messageOf } from '../../../lib/messages/index.ts';
import {
  collectionQuery,
  collectionsKey,
  permissionsQuery,
  reloadCollections,
  savePermissions,
} from '../api/collections.ts';
import { CollectionUnavailable } from '../components/CollectionUnavailable.tsx';
import { CopyPermissionsDialog } from '../components/CopyPermissionsDialog.tsx';
import { EffectiveAccess } from '../components/EffectiveAccess.tsx';
import { type Grantee, GranteePicker } from '../components/GranteePicker.tsx';
import { addGrant, differences, type GrantChange, keyOf, removeGrant } from '../components/grants.ts';
import { Owner } from '../components/Owner.tsx';
import { StaleGrantsDialog } from '../components/StaleGrantsDialog.tsx';

const ROOMS = ['collections'];
const KEYS = [collectionsKey];
const [LOWEST_LEVEL] = LEVELS;
const LEVEL_OPTIONS = LEVELS.map((level) => ({ value: level, label: level, detail: LEVEL_TEXTS[level] }));

export default function CollectionPermissions() {
  const id = Number(useParams()['id']);
  useLive({ rooms: ROOMS, keys: KEYS });
  const collection = useQuery(collectionQuery(id));
  const permissions = useQuery(permissionsQuery(id));
  const error = collection.error ?? permissions.error;
  if (error !== null && (collection.data === undefined || permissions.data === undefined)) {
    const retry = () => void Promise.all([collection.refetch(), permissions.refetch()]);
    return <CollectionUnavailable id={id} error={error} onRetry={retry} />;
  }
  if (collection.data === undefined || permissions.data === undefined) return <Skeleton className="h-7 w-64" />;
  return <Permissions key={id} collection={collection.data} permissions={permissions.data} />;
}

const nameOf = (grant: PermissionView) => grant.name ?? 'A deleted group';

interface PermissionChange {
  apply: GrantChange;
  description: string;
}

function Permissions({ collection, permissions }: { collection: CollectionView; permissions: PermissionsView }) {
  const { id } = collection;
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [isCopying, setCopying] = useState(false);
  const [undoable, setUndoable] = useState<Undoable>();
  const [stale, setStale] = useState<{ change: PermissionChange; current: PermissionsView; latest: PermissionsView }>();

  async function perform(change: PermissionChange, current = permissions): Promise<boolean> {
    setBusy(true);
    setProblem(undefined);
    try {
      await savePermissions(id, current.revision, change.apply(current.items));
      await reloadCollections(queries);
      return true;
    } catch (failure) {
      if (failure instanceof ApiError && failure.code === 'STALE') {
        const latest = await readAfterRefusal(queries, permissionsQuery(id));
        setStale({ change, current, latest });
      } else setProblem(messageOf(failure));
      return false;
    } finally {
      setBusy(false);
    }
  }

  async function revoke(grant: PermissionView) {
    const isDone = await perform({
      apply: removeGrant(grant),
      description: `Revoke ${grant.permissionLevel} from ${nameOf(grant)}`,
    });
    if (!isDone) return;
    setUndoable({
      text: `${grant.permissionLevel} revoked from ${nameOf(grant)}`,
      undo: () =>
        perform(
          {
            apply: addGrant(grant, grant.permissionLevel),
            description: `Grant ${grant.permissionLevel} to ${nameOf(grant)} again`,
          },
          queries.getQueryData(permissionsQuery(id).queryKey),
        ),
    });
  }

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <PageHeader
        title={`Permissions of ${collection.name}`}
        description="Users and groups with access to the data sets of this collection."
        actions={
          <>
            <Button asChild variant="ghost">
              <Link to={`/collections/${id}`}>
                <ArrowLeft />
                Collection
              </Link>
            </Button>
            <Button onClick={() => setCopying(true)}>
              <Copy />
              Copy from another collection
            </Button>
          </>
        }
      />
      {problem !== undefined && (
        <Alert tone="error" title="The permissions were not changed" className="mb-4">
          {problem}
        </Alert>
      )}
      <div className="grid gap-8 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <div className="flex flex-col gap-4">
          <GrantForm
            busy={busy}
            onGrant={(grantee, level) =>
              perform({ apply: addGrant(grantee, level), description: `Grant ${level} to ${grantee.name}` })
            }
          />
          <GrantTable
            permissions={permissions}
            busy={busy}
            onLevel={(grant, level) =>
              void perform({ apply: addGrant(grant, level), description: `Grant ${level} to ${nameOf(grant)}` })
            }
            onRevoke={(grant) => void revoke(grant)}
          />
          {permissions.items.length === 0 && (
            <p className="text-muted">
              Only the owner and the administrators have access. Grant a level to a user or a group above.
            </p>
          )}
          <p className="text-muted text-sm">
            A collection needs a user with ADMIN: if its owner has left, the last ADMIN cannot be removed.
          </p>
        </div>
        <EffectiveAccess collectionId={id} />
      </div>
      {undoable !== undefined && <UndoBar action={undoable} onClose={() => setUndoable(undefined)} />}
      {isCopying && (
        <CopyPermissionsDialog
          collectionId={id}
          grants={permissions.items}
          onClose={() => setCopying(false)}
          onCopy={(change, from) => {
            setCopying(false);
            void perform({ apply: change, description: `Copy the permissions of ${from}` }).then(
              (isDone) => isDone && notify.success('Permissions copied', { description: from }),
            );
          }}
        />
      )}
      {stale !== undefined && (
        <StaleGrantsDialog
          mine={stale.change.description}
          theirs={differences(stale.current.items, stale.latest.items)}
          onKeepTheirs={() => setStale(undefined)}
          onApplyMine={() => {
            setStale(undefined);
            void perform(stale.change, stale.latest);
          }}
        />
      )}
    </div>
  );
}

function GrantTable({
  permissions,
  busy,
  onLevel,
  onRevoke,
}: {
  permissions: PermissionsView;
  busy: boolean;
  onLevel: (grant: PermissionView, level: Level) => void;
  onRevoke: (grant: PermissionView) => void;
}) {
  return (
    <table className="w-full border-hairline border-y text-left">
      <caption className="sr-only">Permissions</caption>
      <thead className="text-muted text-xs">
        <tr className="border-hairline border-b">
          <th scope="col" className="py-1.5 font-medium">
            User or group
          </th>
          <th scope="col" className="w-36 py-1.5 font-medium">
            Level
          </th>
          <th scope="col" className="w-10 py-1.5">
            <span className="sr-only">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody className="divide-y divide-hairline">
        <tr>
          <th scope="row" className="py-2 font-normal">
            <Owner id={permissions.ownerId} /> <span className="text-muted">owner</span>
          </th>
          <td className="py-2">
            <Badge tone="outline">ADMIN</Badge>
          </td>
          <td />
        </tr>
        {permissions.items.map((grant) => {
          const Icon = grant.entityType === 'group' ? Users : User;
          return (
            <tr key={keyOf(grant)}>
              <th scope="row" className="py-1 pr-2 font-normal">
                <span className="flex items-center gap-2">
                  <Icon aria-hidden="true" className="size-4 shrink-0 text-muted" />
                  <span className="min-w-0 break-words">
                    {nameOf(grant)} <span className="text-muted">{grant.entityType}</span>
                  </span>
                </span>
              </th>
              <td className="py-1">
                <Select
                  aria-label={`Level of ${nameOf(grant)}`}
                  className="w-32"
                  value={grant.permissionLevel}
                  disabled={busy}
                  options={LEVEL_OPTIONS}
                  onValueChange={(level: Level) => onLevel(grant, level)}
                />
              </td>
              <td className="py-1 text-right">
                <Button
                  variant="ghost"
                  size="icon"
                  aria-label={`Remove ${nameOf(grant)}`}
                  disabled={busy}
                  onClick={() => onRevoke(grant)}
                >
                  <Trash2 />
                </Button>
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function GrantForm({
  busy,
  onGrant,
}: {
  busy: boolean;
  onGrant: (grantee: Grantee, level: Level) => Promise<boolean>;
}) {
  const [grantee, setGrantee] = useState<Grantee>();
  const [level, setLevel] = useState<Level>(LOWEST_LEVEL);
  return (
    <form
      className="flex flex-wrap items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (grantee === undefined) return;
        void onGrant(grantee, level).then((isDone) => {
          if (!isDone) return;
          setGrantee(undefined);
          setLevel(LOWEST_LEVEL);
        });
      }}
    >
      <div className="min-w-0 flex-1 basis-56">
        <Field label="User or group">
          {(control) => (
            <GranteePicker
              label="Users and groups"
              value={grantee}
              onChange={setGrantee}
              {...(control.id ? { id: control.id } : {})}
            />
          )}
        </Field>
      </div>
      <Field label="Level">
        {(control) => (
          <Select {...control} className="w-32" value={level} onValueChange={setLevel} options={LEVEL_OPTIONS} />
        )}
      </Field>
      <Button variant="primary" type="submit" disabled={busy || grantee === undefined} aria-busy={busy}>
        Grant
      </Button>
    </form>
  );
}
