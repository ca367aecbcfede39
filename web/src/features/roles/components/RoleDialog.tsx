/** Name, pages and abilities of a role, new or being edited. */
import { CreateRole } from '@rdm/contracts/access';
import type { RoleView } from '@rdm/contracts/identity';
import { ABILITIES, type Ability, ADMINISTRATOR_ROLE_ID } from '@rdm/contracts/permissions';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { FormDialog } from '../../../components/form-dialog/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { LabelledCheckbox } from '../../../components/ui/checkbox.tsx';
import { Field, Input, Textarea } from '../../../components/ui/input.tsx';
import { ApiError } from '../../../lib/api/index.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { changeRole, createRole, reloadRoles } from '../api/roles.ts';
import { ABILITY_WORDS } from './abilities.ts';
import { RouteTree } from './RouteTree.tsx';

const FORM = 'role';

export interface RoleDialogProps {
  /** Undefined for a new one. */
  role?: RoleView;
  onClose: () => void;
}

export function RoleDialog({ role, onClose }: RoleDialogProps) {
  const queries = useQueryClient();
  const [seen] = useState(role);
  const [name, setName] = useState(seen?.name ?? '');
  const [description, setDescription] = useState(seen?.description ?? '');
  const [routes, setRoutes] = useState(seen?.routes ?? []);
  const [abilities, setAbilities] = useState<readonly string[]>(seen?.abilities ?? []);
  const [checked, setChecked] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const everything = seen?.id === ADMINISTRATOR_ROLE_ID;
  const parsed = CreateRole.safeParse({ name, description, routes, abilities });
  const problemOf = (field: string) =>
    checked ? parsed.error?.issues.find((issue) => issue.path[0] === field)?.message : undefined;
  const dirty =
    name !== (seen?.name ?? '') ||
    description !== (seen?.description ?? '') ||
    differ(routes, seen?.routes ?? []) ||
    differ(abilities, seen?.abilities ?? []);

  async function save(event: FormEvent) {
    event.preventDefault();
    setChecked(true);
    if (!parsed.success) return;
    setBusy(true);
    setProblem(undefined);
    try {
      if (seen === undefined) await createRole(parsed.data);
      else await changeRole(seen.id, seen.revision, everything ? { name, description } : parsed.data);
      notify.success(seen === undefined ? 'Role created' : 'Role saved', { description: parsed.data.name });
      await reloadRoles(queries);
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
      title={seen === undefined ? 'Create a role' : `Edit ${seen.name}`}
      description="A role opens pages. What somebody may read and change there is granted by collections."
      footer={(leave) => (
        <>
          <Button onClick={leave}>Cancel</Button>
          <Button variant="primary" type="submit" form={FORM} disabled={busy} aria-busy={busy}>
            {seen === undefined ? 'Create role' : 'Save'}
          </Button>
        </>
      )}
    >
      <form id={FORM} noValidate className="flex flex-col gap-4" onSubmit={(event) => void save(event)}>
        {problem !== undefined && <Alert tone="error">{problem}</Alert>}
        {everything && (
          <Alert tone="info">Administrators open every page and may do everything: only the name can change.</Alert>
        )}
        {!everything && seen !== undefined && seen.userCount > 0 && dirty && (
          <Alert tone="warning">
            {seen.userCount === 1 ? '1 user has' : `${seen.userCount} users have`} this role: it changes with their next
            request.
          </Alert>
        )}
        <Field label="Name" required error={problemOf('name')}>
          {(control) => <Input {...control} required value={name} onChange={(event) => setName(event.target.value)} />}
        </Field>
        <Field label="Description" error={problemOf('description')}>
          {(control) => (
            <Textarea {...control} value={description} onChange={(event) => setDescription(event.target.value)} />
          )}
        </Field>
        <RouteTree routes={routes} onChange={setRoutes} everything={everything} />
        <fieldset className="flex flex-col gap-1.5">
          <legend className="mb-1 font-medium text-sm">Abilities</legend>
          {ABILITIES.map((ability) => (
            <LabelledCheckbox
              key={ability}
              label={ABILITY_WORDS[ability]}
              disabled={everything}
              checked={everything || abilities.includes(ability)}
              onCheckedChange={(ticked) => setAbilities(withAbility(abilities, ability, ticked === true))}
            />
          ))}
        </fieldset>
      </form>
    </FormDialog>
  );
}

const withAbility = (abilities: readonly string[], ability: Ability, ticked: boolean) =>
  ABILITIES.filter((each) => (each === ability ? ticked : abilities.includes(each)));

const differ = (some: readonly string[], others: readonly string[]) =>
  some.length !== others.length || some.some((each) => !others.includes(each));
