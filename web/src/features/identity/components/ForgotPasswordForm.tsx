/** Requests a mail with a password reset link (specification §5 and §8). */
import { RESET_TOKEN_MINUTES, RequestReset } from '@rdm/contracts/identity/identity';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { notify } from '../../../components/toast/index.ts';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Field, Input } from '../../../components/ui/input.tsx';
import { zodResolver } from '../../../lib/forms/index.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { requestReset } from '../api/commands.ts';

export default function ForgotPasswordForm() {
  const form = useForm({ resolver: zodResolver(RequestReset), mode: 'onTouched', defaultValues: { email: '' } });
  const [sentTo, setSentTo] = useState<string>();
  const { errors, isSubmitting } = form.formState;

  async function submit({ email }: { email: string }) {
    setSentTo(undefined);
    try {
      await requestReset(email);
      notify.success('Password reset email sent', {
        description: 'Check your email for instructions to reset your password.',
      });
      setSentTo(email);
    } catch (error) {
      notify.error(messageOf(error), { title: 'Failed to send reset email' });
    }
  }

  return (
    <form noValidate className="flex flex-col gap-4" onSubmit={(event) => void form.handleSubmit(submit)(event)}>
      {sentTo !== undefined && (
        <Alert tone="info">
          If {sentTo} has an account, you will receive a mail with a link. The link works once and expires after{' '}
          {RESET_TOKEN_MINUTES} minutes.
        </Alert>
      )}
      <Field
        label="E-mail"
        required
        hint="A link to reset your password is sent to the e-mail address of your account."
        error={errors.email?.message}
      >
        {(control) => <Input {...control} type="email" autoComplete="email" {...form.register('email')} />}
      </Field>
      <Button type="submit" variant="primary" className="w-full" disabled={isSubmitting} aria-busy={isSubmitting}>
        {isSubmitting ? 'Sending…' : 'Send reset email'}
      </Button>
    </form>
  );
}
