/** The sign-in form: username and password. It has few dependencies, because it must load fast. */
import { type FormEvent, useState } from 'react';
import { notify } from '../../../components/toast/index.ts';
import { Button } from '../../../components/ui/button.tsx';
import { Field, Input, PasswordInput } from '../../../components/ui/input.tsx';
import { messageOf } from '../../../lib/messages/index.ts';
import { useLogin } from '../api/commands.ts';

interface InputProblems {
  username?: string;
  password?: string;
}

export function SignInForm() {
  const login = useLogin();
  const [busy, setBusy] = useState(false);
  const [problems, setProblems] = useState<InputProblems>({});

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const username = String(form.get('username') ?? '').trim();
    const password = String(form.get('password') ?? '');
    const foundProblems: InputProblems = {
      ...(username === '' ? { username: 'Username is required' } : {}),
      ...(password === '' ? { password: 'Password is required' } : {}),
    };
    setProblems(foundProblems);
    if (Object.keys(foundProblems).length > 0) return;
    setBusy(true);
    try {
      await login({ username, password });
      notify.success('Logged in successfully');
    } catch (error) {
      notify.error(messageOf(error, 'Login failed'), { title: 'Login failed' });
      setBusy(false);
    }
  }

  return (
    <form noValidate className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
      <Field label="Username" error={problems.username} hint="Or your e-mail address.">
        {(control) => (
          <Input {...control} name="username" autoComplete="username" autoCapitalize="none" spellCheck={false} />
        )}
      </Field>
      <Field label="Password" error={problems.password}>
        {(control) => <PasswordInput {...control} name="password" autoComplete="current-password" />}
      </Field>
      <Button type="submit" variant="primary" className="w-full" disabled={busy} aria-busy={busy}>
        {busy ? 'Signing in…' : 'Sign in'}
      </Button>
    </form>
  );
}
