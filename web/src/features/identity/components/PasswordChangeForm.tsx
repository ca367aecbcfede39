/**
 * The form for the current, the new and the confirmed password. It validates on every change, and signs the user out
 * two seconds after a success (specification §4).
 */
import { PASSWORD_CHANGE_REDIRECT_MS } from '@rdm/contracts/constants';
import { changePasswordSchema } from '@rdm/contracts/identity/identity';
import { ShieldCheck } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { useForm } from 'react-hook-form';
import { notify } from '../../../components/toast/index.ts';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Field, PasswordInput } from '../../../components/ui/input.tsx';
import { logout } from '../../../lib/auth/logout.ts';
import { zodResolver } from '../../../lib/forms/index.ts';
import { changePassword, type PasswordChange } from '../api/commands.ts';
import { confirmationError, passwordHint, usePasswordRules } from './password-rules.ts';

const EMPTY: PasswordChange = { currentPassword: '', newPassword: '', confirmNewPassword: '' };

export function PasswordChangeForm() {
  const rules = usePasswordRules();
  const resolver = useMemo(() => zodResolver(changePasswordSchema(rules)), [rules]);
  const form = useForm<PasswordChange>({ resolver: resolver as never, mode: 'onChange', defaultValues: EMPTY });
  const [failure, setFailure] = useState<string>();
  const [isChanged, setChanged] = useState(false);
  const { errors, isSubmitting, dirtyFields } = form.formState;
  const { newPassword, confirmNewPassword } = form.watch();

  useEffect(() => {
    if (!isChanged) return;
    const comeBack = window.location.pathname !== '/change-password';
    const timer = setTimeout(() => void logout({ comeBack }), PASSWORD_CHANGE_REDIRECT_MS);
    return () => clearTimeout(timer);
  }, [isChanged]);

  async function submit(change: PasswordChange) {
    setFailure(undefined);
    const problem = await changePassword(change);
    if (problem !== undefined) {
      setFailure(problem);
      return;
    }
    notify.success('Password changed', { description: 'Your password has been successfully updated.' });
    setChanged(true);
  }

  return (
    <form noValidate className="flex flex-col gap-4" onSubmit={(event) => void form.handleSubmit(submit)(event)}>
      {failure !== undefined && (
        <Alert tone="error" title="Failed to change password">
          {failure}
        </Alert>
      )}
      <Field label="Current Password" required error={errors.currentPassword?.message}>
        {(control) => (
          <PasswordInput {...control} autoComplete="current-password" {...form.register('currentPassword')} />
        )}
      </Field>
      <Field label="New Password" required hint={passwordHint(rules)} error={errors.newPassword?.message}>
        {(control) => <PasswordInput {...control} autoComplete="new-password" {...form.register('newPassword')} />}
      </Field>
      <Field
        label="Confirm New Password"
        required
        error={
          errors.confirmNewPassword?.message ??
          confirmationError(dirtyFields.confirmNewPassword, newPassword, confirmNewPassword)
        }
      >
        {(control) => (
          <PasswordInput {...control} autoComplete="new-password" {...form.register('confirmNewPassword')} />
        )}
      </Field>
      <div className="flex gap-2 rounded-md border border-hairline bg-hover px-3 py-2">
        <ShieldCheck aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-accent" />
        <p>
          For your security, you are signed out after the change and sign in again with the new password. Do not share
          it or use it elsewhere.
        </p>
      </div>
      <Button
        type="submit"
        variant="primary"
        className="self-end"
        disabled={isSubmitting || isChanged}
        aria-busy={isSubmitting}
      >
        {isSubmitting ? 'Changing Password...' : 'Change Password'}
      </Button>
      <p role="status" className="sr-only">
        {isChanged ? 'Password changed. You are being signed out.' : ''}
      </p>
    </form>
  );
}
