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
import { confirmationError, passwordHint, usePasswordRules } from '../components/password-rules.ts';
import { SignInLayout } from '../components/SignInLayout.tsx';

const RESET_TEXTS = {
  lead: 'Choose a new password.',
  token: 'Token',
  password: 'New password',
  submit: 'Reset password',
  submitting: 'Resetting…',
};

/** The texts for an invited user, who has no password yet. */
const INVITATION_TEXTS: typeof RESET_TEXTS = {
  lead: 'Choose your password.',
  token: 'Code of the invitation',
  password: 'Password',
  submit: 'Choose password',
  submitting: 'Saving…',
};

export default function ResetPassword() {
  const [search] = useSearchParams();
  const texts = search.get('invited') === 'true' ? INVITATION_TEXTS : RESET_TEXTS;
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
    // The reset ended all sessions of the user, who may be signed in here.
    await queries.resetQueries({ queryKey: userQuery.queryKey });
    navigate('/auth', { replace: true });
  }

  return (
    <SignInLayout lead={texts.lead}>
      <form noValidate className="flex flex-col gap-4" onSubmit={(event) => void form.handleSubmit(submit)(event)}>
        <Field
          label={texts.token}
          required
          hint="The link in the e-mail fills in this field. If the field is empty, copy the value from the e-mail."
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
        <Field label={texts.password} required hint={passwordHint(rules)} error={errors.password?.message}>
          {(control) => <PasswordInput {...control} autoComplete="new-password" {...form.register('password')} />}
        </Field>
        <Field
          label={`Confirm ${texts.password.toLowerCase()}`}
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
          {isSubmitting ? texts.submitting : texts.submit}
        </Button>
      </form>
      <p className="mt-4">
        <Link to="/auth" className="text-accent underline">
          Back to sign in
        </Link>
      </p>
    </SignInLayout>
  );
}
