/** Registration: email address, password, optional username and optional profile fields (specification §3 and §5). */
import { type Register, registerSchema } from '@rdm/contracts/identity/identity';
import { useMemo } from 'react';
import { type FieldPath, useForm } from 'react-hook-form';
import { notify } from '../../../components/toast/index.ts';
import { Button } from '../../../components/ui/button.tsx';
import { Field, Input, PasswordInput } from '../../../components/ui/input.tsx';
import { zodResolver } from '../../../lib/forms/index.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { useRegister } from '../api/commands.ts';
import { confirmationError, passwordHint, usePasswordRules } from './password-rules.ts';

const PROFILE_FIELDS: readonly { name: FieldPath<Register>; label: string; autoComplete: string }[] = [
  { name: 'firstName', label: 'First name', autoComplete: 'given-name' },
  { name: 'lastName', label: 'Last name', autoComplete: 'family-name' },
  { name: 'displayName', label: 'Display name', autoComplete: 'nickname' },
  { name: 'phoneNumber', label: 'Phone number', autoComplete: 'tel' },
  { name: 'department', label: 'Department', autoComplete: 'off' },
  { name: 'jobTitle', label: 'Job title', autoComplete: 'organization-title' },
];

/** Empty fields are omitted rather than sent as empty values. */
const OMIT_IF_EMPTY = { setValueAs: (value: string) => (value === '' ? undefined : value) };

export default function RegisterForm() {
  const rules = usePasswordRules();
  const resolver = useMemo(() => zodResolver(registerSchema(rules)), [rules]);
  const form = useForm<Register>({
    resolver: resolver as never,
    mode: 'onTouched',
    defaultValues: { email: '', password: '', confirmPassword: '' },
  });
  const register = useRegister();
  const { errors, isSubmitting, dirtyFields } = form.formState;
  const { password, confirmPassword } = form.watch();

  async function submit(registration: Register) {
    try {
      await register(registration);
      notify.success('Registration successful');
    } catch (error) {
      notify.error(messageOf(error, 'Registration failed'), { title: 'Registration failed' });
    }
  }

  return (
    <form noValidate className="flex flex-col gap-6" onSubmit={(event) => void form.handleSubmit(submit)(event)}>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="E-mail" required error={errors.email?.message}>
          {(control) => <Input {...control} type="email" autoComplete="email" {...form.register('email')} />}
        </Field>
        <Field
          label="Username (optional)"
          hint="If left empty, the part of your address before the @ is used."
          error={errors.username?.message}
        >
          {(control) => (
            <Input
              {...control}
              autoComplete="username"
              autoCapitalize="none"
              spellCheck={false}
              {...form.register('username', OMIT_IF_EMPTY)}
            />
          )}
        </Field>
        <Field label="Password" required hint={passwordHint(rules)} error={errors.password?.message}>
          {(control) => <PasswordInput {...control} autoComplete="new-password" {...form.register('password')} />}
        </Field>
        <Field
          label="Confirm password"
          required
          error={
            errors.confirmPassword?.message ?? confirmationError(dirtyFields.confirmPassword, password, confirmPassword)
          }
        >
          {(control) => (
            <PasswordInput {...control} autoComplete="new-password" {...form.register('confirmPassword')} />
          )}
        </Field>
      </div>
      <fieldset className="grid gap-4 border-hairline border-t pt-4 sm:grid-cols-2">
        <legend className="pr-2 text-muted text-xs">All optional</legend>
        {PROFILE_FIELDS.map(({ name, label, autoComplete }) => (
          <Field key={name} label={label} error={errors[name]?.message}>
            {(control) => <Input {...control} autoComplete={autoComplete} {...form.register(name, OMIT_IF_EMPTY)} />}
          </Field>
        ))}
      </fieldset>
      <Button type="submit" variant="primary" className="w-full" disabled={isSubmitting} aria-busy={isSubmitting}>
        {isSubmitting ? 'Registering…' : 'Register'}
      </Button>
    </form>
  );
}
