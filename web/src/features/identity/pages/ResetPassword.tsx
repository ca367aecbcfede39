/** The page of password reset and invitation links: sets a new password with the token (specification §5 and §8). */
import { resetPasswordSchema } from '@rdm/contracts/identity/identity';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useForm } from 'react-hook-form';
import { Link, useNavigate, useSearchParams } from 'react-router-dom';
import { notify } from '../../../components/toast/index.ts';
import { Button } from '../../../components/ui/button.tsx';
import { Field, Input, PasswordInput } from '../../../components/ui/input.tsx';
import { userQuery } from '../../../lib/auth/index.ts';
import { rememberSignOutReason } from '../../../lib/auth/sign-out-reason.ts';
import { zodResolver } from '../../../lib/forms/index.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { type PasswordReset, resetPassword } from '../api/commands.ts';
import { EntrancePage } from '../components/EntrancePage.tsx';
import { confirmationError, passwordHint, usePasswordRules } from '../components/password-rules.ts';

/** The words of the link that resets a password. */
const RESET = {
  lead: 'Choose a new password.',
  token: 'Token',
  password: 'New password',
  submit: 'Reset password',
  submitting: 'Resetting…',
};

/** The words of the link of an invitation, whose user has no password yet. */
const INVITATION: typeof RESET = {
  lead: 'Choose your password.',
  token: 'Code of the invitation',
  password: 'Password',
  submit: 'Choose password',
  submitting: 'Saving…',
};

export default function ResetPassword() {
  const [search] = useSearchParams();
  const words = search.get('invited') === 'true' ? INVITATION : RESET;
  const queries = useQueryClient();
  const navigate = useNavigate();
  const rules = usePasswordRules();
  const resolver = useMemo(() => zodResolver(resetPasswordSchema(rules)), [rules]);
  const form = useForm<PasswordReset>({
    resolver: resolver as never,
    mode: 'onTouched',
    defaultValues: { token: search.get('token') ?? '', password: '', confirmPassword: '' },
  });
  const { errors, isSubmitting, dirtyFields } = form.formState;
  const { password, confirmPassword } = form.watch();

  async function submit(reset: PasswordReset) {
    try {
      await resetPassword(reset);
    } catch (error) {
      notify.error(messageOf(error), { title: 'Password reset failed' });
      return;
    }
    rememberSignOutReason({
      kind: 'success',
      title: 'Password reset successful',
      description: 'You can now login with your new password.',
    });
    // The reset ended every session that began with the old password, so the page asks the server again who is signed in.
    await queries.resetQueries({ queryKey: userQuery.queryKey });
    navigate('/auth', { replace: true });
  }

  return (
    <EntrancePage lead={words.lead}>
      <form noValidate className="flex flex-col gap-4" onSubmit={(event) => void form.handleSubmit(submit)(event)}>
        <Field
          label={words.token}
          required
          hint="The link in the e-mail fills it in. If it does not, copy it from the e-mail."
          error={errors.token?.message}
        >
          {(control) => (
            <Input
              {...control}
              autoComplete="one-time-code"
              autoCapitalize="none"
              spellCheck={false}
              className="font-mono"
              {...form.register('token')}
            />
          )}
        </Field>
        <Field label={words.password} required hint={passwordHint(rules)} error={errors.password?.message}>
          {(control) => <PasswordInput {...control} autoComplete="new-password" {...form.register('password')} />}
        </Field>
        <Field
          label={`Confirm ${words.password.toLowerCase()}`}
          required
          error={
            errors.confirmPassword?.message ?? confirmationError(dirtyFields.confirmPassword, password, confirmPassword)
          }
        >
          {(control) => (
            <PasswordInput {...control} autoComplete="new-password" {...form.register('confirmPassword')} />
          )}
        </Field>
        <Button type="submit" variant="primary" className="w-full" disabled={isSubmitting} aria-busy={isSubmitting}>
          {isSubmitting ? words.submitting : words.submit}
        </Button>
      </form>
      <p className="mt-4">
        <Link to="/auth" className="text-accent underline">
          Back to sign in
        </Link>
      </p>
    </EntrancePage>
  );
}
