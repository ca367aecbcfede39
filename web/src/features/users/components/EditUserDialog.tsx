/** Edits a user's profile and role with the expected revision; conflicts are resolved field by field. */
import { ChangeUser, type UserView } from '@rdm/contracts/identity/identity';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ConflictDialog } from '../../../components/conflict/index.tsx';
import { FormDialog } from '../../../components/form-dialog/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { ApiError } from '../../../lib/api/index.ts';
import { type Merge, mergeEdits } from '../../../lib/conflict/index.ts';
import { readAfterRefusal } from '../../../lib/conflict/read-after-refusal.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { changeUser, reloadUsers, roleChoicesQuery, userQuery } from '../api/users.ts';
import { ProfileFields } from './ProfileFields.tsx';
import { changesOf, nameOf, PROFILE_LABELS, type ProfileEdit, profileOf } from './profile.ts';

const FORM = 'edit-user';

interface Conflict {
  theirs: UserView;
  mine: ProfileEdit;
  merge: Merge<ProfileEdit>;
}

export function EditUserDialog({ user, onClose }: { user: UserView; onClose: () => void }) {
  const queries = useQueryClient();
  const { data: roles = [] } = useQuery(roleChoicesQuery);
  /** The user as stored when the dialog opened. */
  const [storedUser] = useState(user);
  const [base] = useState(() => profileOf(user));
  const [edit, setEdit] = useState(base);
  const [showsProblems, setShowsProblems] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [conflict, setConflict] = useState<Conflict>();
  const [busy, setBusy] = useState(false);
  // Validates only changed fields: the stored address can be empty, but a changed address must not be empty.
  const parsed = ChangeUser.safeParse(changesOf(base, edit));
  const problemOf = (field: string) =>
    showsProblems ? parsed.error?.issues.find((issue) => issue.path[0] === field)?.message : undefined;

  async function save(before: UserView, after: ProfileEdit): Promise<void> {
    const changes = changesOf(profileOf(before), after);
    if (Object.keys(changes).length === 0) return onClose();
    setProblem(undefined);
    setBusy(true);
    try {
      await changeUser(user.id, before.revision, changes);
      notify.success('User saved', { description: after.displayName || after.username });
      await reloadUsers(queries);
      onClose();
    } catch (error) {
      setBusy(false);
      if (error instanceof ApiError && error.code === 'STALE') await mergeWithTheirs(after);
      else setProblem(messageOf(error));
    }
  }

  /** Saves the edit merged with the changes of another user. Opens a dialog if both changed a field differently. */
  async function mergeWithTheirs(mine: ProfileEdit): Promise<void> {
    try {
      const theirs = await readAfterRefusal(queries, userQuery(user.id));
      const merge = mergeEdits(base, mine, profileOf(theirs));
      if (merge.overlaps.length > 0) setConflict({ theirs, mine, merge });
      else await save(theirs, merge.merged);
    } catch (error) {
      setProblem(messageOf(error));
    }
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    setShowsProblems(true);
    if (parsed.success) void save(storedUser, edit);
  }

  const displayValue = (field: keyof ProfileEdit, value: unknown) =>
    field === 'roleId' ? (roles.find(({ id }) => id === value)?.name ?? value) : value;

  if (conflict !== undefined) {
    return (
      <ConflictDialog
        overlaps={conflict.merge.overlaps.map(({ field, base: storedValue, mine, theirs }) => ({
          field,
          base: displayValue(field, storedValue),
          mine: displayValue(field, mine),
          theirs: displayValue(field, theirs),
        }))}
        labels={PROFILE_LABELS}
        onCancel={() => setConflict(undefined)}
        onResolve={(ownFields) => {
          const chosen = { ...conflict.merge.merged };
          for (const field of ownFields) Object.assign(chosen, { [field]: conflict.mine[field] });
          setConflict(undefined);
          void save(conflict.theirs, chosen);
        }}
      />
    );
  }
  return (
    <FormDialog
      dirty={!busy && Object.keys(changesOf(base, edit)).length > 0}
      onClose={onClose}
      title={`Edit ${nameOf(storedUser)}`}
      footer={(leave) => (
        <>
          <Button onClick={leave}>Cancel</Button>
          <Button variant="primary" type="submit" form={FORM} disabled={busy} aria-busy={busy}>
            Save
          </Button>
        </>
      )}
    >
      <form id={FORM} noValidate className="flex flex-col gap-4" onSubmit={submit}>
        {problem !== undefined && <Alert tone="error">{problem}</Alert>}
        <ProfileFields value={edit} onChange={setEdit} problemOf={problemOf} roleBefore={storedUser.roleId} />
      </form>
    </FormDialog>
  );
}
