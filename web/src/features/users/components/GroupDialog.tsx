/** Name and description of a group, new or being edited. */
import { CreateGroup } from '@rdm/contracts/access';
import type { GroupView } from '@rdm/contracts/identity';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { FormDialog } from '../../../components/form-dialog/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Field, Input, Textarea } from '../../../components/ui/input.tsx';
import { ApiError } from '../../../lib/api/index.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { changeGroup, createGroup, reloadGroups } from '../api/groups.ts';

const FORM = 'group';

export interface GroupDialogProps {
  /** Undefined for a new one. */
  group?: GroupView;
  onClose: () => void;
}

export function GroupDialog({ group, onClose }: GroupDialogProps) {
  const queries = useQueryClient();
  const [seen] = useState(group);
  const [name, setName] = useState(seen?.name ?? '');
  const [description, setDescription] = useState(seen?.description ?? '');
  const [checked, setChecked] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const parsed = CreateGroup.safeParse({ name, description });
  const problemOf = (field: string) =>
    checked ? parsed.error?.issues.find((issue) => issue.path[0] === field)?.message : undefined;
  const dirty = name !== (seen?.name ?? '') || description !== (seen?.description ?? '');

  async function save(event: FormEvent) {
    event.preventDefault();
    setChecked(true);
    if (!parsed.success) return;
    setBusy(true);
    setProblem(undefined);
    try {
      if (seen === undefined) await createGroup(parsed.data);
      else await changeGroup(seen.id, seen.revision, parsed.data);
      notify.success(seen === undefined ? 'Group created' : 'Group saved', { description: parsed.data.name });
      await reloadGroups(queries);
      onClose();
    } catch (error) {
      const stale = error instanceof ApiError && error.code === 'STALE';
      setProblem(stale ? `${messageOf(error)}. Close this dialog and open it again to see it.` : messageOf(error));
      setBusy(false);
    }
  }

  return (
    <FormDialog
      dirty={dirty && !busy}
      onClose={onClose}
      title={seen === undefined ? 'Create a group' : `Edit ${seen.name}`}
      description="What a collection grants to a group, it grants to all its members."
      footer={(leave) => (
        <>
          <Button onClick={leave}>Cancel</Button>
          <Button variant="primary" type="submit" form={FORM} disabled={busy} aria-busy={busy}>
            {seen === undefined ? 'Create group' : 'Save'}
          </Button>
        </>
      )}
    >
      <form id={FORM} noValidate className="flex flex-col gap-4" onSubmit={(event) => void save(event)}>
        {problem !== undefined && <Alert tone="error">{problem}</Alert>}
        <Field label="Name" required error={problemOf('name')}>
          {(control) => <Input {...control} required value={name} onChange={(event) => setName(event.target.value)} />}
        </Field>
        <Field label="Description" error={problemOf('description')}>
          {(control) => (
            <Textarea {...control} value={description} onChange={(event) => setDescription(event.target.value)} />
          )}
        </Field>
      </form>
    </FormDialog>
  );
}
