/** The form fields of a profile and the role, for inviting and editing users. */
import { ADMINISTRATOR_ROLE_ID } from '@rdm/contracts/access/permissions';
import { useQuery } from '@tanstack/react-query';
import { Alert } from '../../../components/ui/alert.tsx';
import { Field, Input } from '../../../components/ui/input.tsx';
import { Select } from '../../../components/ui/select.tsx';
import { messageOf } from '../../../lib/messages/index.ts';
import { roleChoicesQuery } from '../api/users.ts';
import { PROFILE_LABELS, PROFILE_TEXT_FIELDS, type ProfileEdit } from './profile.ts';

export interface ProfileFieldsProps {
  value: ProfileEdit;
  onChange: (value: ProfileEdit) => void;
  problemOf: (field: keyof ProfileEdit) => string | undefined;
  /** The current role of the user; undefined for a new user. */
  roleBefore?: number;
}

const REQUIRED: readonly (keyof ProfileEdit)[] = ['username', 'email'];

export function ProfileFields({ value, onChange, problemOf, roleBefore }: ProfileFieldsProps) {
  const { data: roles = [], error } = useQuery(roleChoicesQuery);
  const chosenRole = roles.find(({ id }) => id === value.roleId);
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        {PROFILE_TEXT_FIELDS.map((field) => (
          <Field key={field} label={PROFILE_LABELS[field]} required={REQUIRED.includes(field)} error={problemOf(field)}>
            {(control) => (
              <Input
                {...control}
                type={field === 'email' ? 'email' : 'text'}
                autoComplete="off"
                required={REQUIRED.includes(field)}
                value={value[field]}
                onChange={(event) => onChange({ ...value, [field]: event.target.value })}
              />
            )}
          </Field>
        ))}
      </div>
      <Field
        label={PROFILE_LABELS.roleId}
        required
        error={error === null ? problemOf('roleId') : messageOf(error)}
        hint={chosenRole?.description}
      >
        {(control) => (
          <Select
            {...control}
            value={chosenRole === undefined ? undefined : String(chosenRole.id)}
            onValueChange={(id) => onChange({ ...value, roleId: Number(id) })}
            options={roles.map(({ id, name }) => ({ value: String(id), label: name }))}
          />
        )}
      </Field>
      {roleBefore !== ADMINISTRATOR_ROLE_ID && value.roleId === ADMINISTRATOR_ROLE_ID && (
        <Alert tone="warning">Administrators see and change everything, users and roles included.</Alert>
      )}
      {roleBefore === ADMINISTRATOR_ROLE_ID && value.roleId !== ADMINISTRATOR_ROLE_ID && (
        <Alert tone="warning">
          When you save, the user stops being an administrator: the change takes effect with their next request.
        </Alert>
      )}
    </>
  );
}
