/** The dialog that adds and removes members of a group, and saves all changes together. */
import type { GroupView } from '@rdm/contracts/identity/identity';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { UserMinus } from 'lucide-react';
import { useState } from 'react';
import { EmptyState, ErrorState } from '../../../components/empty-state/index.tsx';
import { FormDialog } from '../../../components/form-dialog/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Alert } from '../../../components/ui/alert.tsx';
import { Badge } from '../../../components/ui/badge.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { messageOf } from '../../../lib/messages/index.ts';
import { changeMembers, membersQuery, reloadGroups } from '../api/groups.ts';
import { PersonPicker } from './PersonPicker.tsx';
import { nameOf } from './profile.ts';

export function MembersDialog({ group, onClose }: { group: GroupView; onClose: () => void }) {
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery(membersQuery(group.id));
  const [added, setAdded] = useState<readonly { id: number; name: string }[]>([]);
  const [removed, setRemoved] = useState<ReadonlySet<number>>(new Set());
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const storedMembers = (data?.items ?? []).map((member) => ({
    id: member.userId,
    name: nameOf(member),
    isActive: member.isActive,
  }));
  const membersToAdd = added.filter(({ id }) => !storedMembers.some((member) => member.id === id));
  const members = [
    ...storedMembers.filter(({ id }) => !removed.has(id)),
    ...membersToAdd.map((person) => ({ ...person, isActive: true })),
  ].sort((a, b) => a.name.localeCompare(b.name));
  const membersToRemove = storedMembers.filter(({ id }) => removed.has(id));
  const dirty = membersToAdd.length + membersToRemove.length > 0;

  function removeMember(id: number) {
    setAdded(added.filter((person) => person.id !== id));
    if (storedMembers.some((member) => member.id === id)) setRemoved(new Set([...removed, id]));
  }

  function addMember(person: { id: number; name: string }) {
    setRemoved(new Set([...removed].filter((id) => id !== person.id)));
    if (!storedMembers.some((member) => member.id === person.id)) setAdded([...added, person]);
  }

  async function save() {
    setBusy(true);
    setProblem(undefined);
    try {
      await changeMembers(
        group.id,
        membersToAdd.map(({ id }) => id),
        membersToRemove.map(({ id }) => id),
      );
      notify.success('Members saved', { description: group.name });
      await reloadGroups(queries);
      onClose();
    } catch (failure) {
      setProblem(messageOf(failure));
      setBusy(false);
    }
  }

  return (
    <FormDialog
      dirty={dirty && !busy}
      onClose={onClose}
      title={`Members of ${group.name}`}
      description="Added users get the grants of the group, and removed users lose them, with their next request."
      onOpenAutoFocus={() => undefined}
      footer={(leave) => (
        <>
          <Button onClick={leave}>Cancel</Button>
          <Button variant="primary" disabled={!dirty || busy} aria-busy={busy} onClick={() => void save()}>
            Save members
          </Button>
        </>
      )}
    >
      <div className="flex flex-col gap-3">
        {problem !== undefined && <Alert tone="error">{problem}</Alert>}
        {error !== null && data === undefined ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : data === undefined ? (
          <Skeleton className="w-1/2" />
        ) : (
          <>
            <PersonPicker label="Add a person…" without={new Set(members.map(({ id }) => id))} onChoose={addMember} />
            {members.length === 0 ? (
              <EmptyState title="This group has no members" description="Add users by name." />
            ) : (
              <ul aria-label="Members" className="divide-y divide-hairline border-hairline border-y">
                {members.map(({ id, name, isActive }) => (
                  <li key={id} className="flex items-center gap-2 py-1">
                    <span className="min-w-0 flex-1 truncate">{name}</span>
                    {!isActive && <Badge tone="outline">Inactive</Badge>}
                    <Button
                      variant="ghost"
                      size="icon-sm"
                      aria-label={`Remove ${name}`}
                      title="Remove"
                      onClick={() => removeMember(id)}
                    >
                      <UserMinus />
                    </Button>
                  </li>
                ))}
              </ul>
            )}
          </>
        )}
      </div>
    </FormDialog>
  );
}
