/** The sign-in page: username and password, then back to the link that led here. */
import { type FormEvent, useEffect, useState } from 'react';
import { Navigate, useLocation, useNavigate } from 'react-router-dom';
import { LogoMark } from '../../../components/logo/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Button } from '../../../components/ui/button.tsx';
import { Field, Input, PasswordInput } from '../../../components/ui/input.tsx';
import { useSession } from '../../../lib/auth/index.ts';
import { sayFarewell } from '../../../lib/auth/logout.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { useLogin } from '../api/commands.ts';

interface Missing {
  username?: string;
  password?: string;
}

export default function SignIn() {
  const { data: user } = useSession();
  const login = useLogin();
  const navigate = useNavigate();
  const from = returnTo(useLocation().state);
  const [busy, setBusy] = useState(false);
  const [missing, setMissing] = useState<Missing>({});

  useEffect(sayFarewell, []);

  // Who just signed in is led on by this too.
  if (user !== null && user !== undefined) return <Navigate to={from} replace />;

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const username = String(form.get('username') ?? '').trim();
    const password = String(form.get('password') ?? '');
    const empty: Missing = {
      ...(username === '' ? { username: 'Username is required' } : {}),
      ...(password === '' ? { password: 'Password is required' } : {}),
    };
    setMissing(empty);
    if (Object.keys(empty).length > 0) return;
    setBusy(true);
    try {
      await login({ username, password });
      notify.success('Logged in successfully');
      navigate(from, { replace: true });
    } catch (error) {
      notify.error(messageOf(error, 'Login failed'), { title: 'Login failed' });
      setBusy(false);
    }
  }

  return (
    <main className="flex min-h-full items-center justify-center p-4">
      <div className="w-full max-w-sm rounded-lg border border-hairline bg-surface p-6">
        <LogoMark className="size-10" />
        <h1 className="mt-4 font-semibold text-xl">Reference Data Management</h1>
        <p className="mb-6 text-muted">Sign in to go on.</p>
        <form noValidate className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
          <Field label="Username" error={missing.username} hint="Or your e-mail address.">
            {(control) => (
              <Input {...control} name="username" autoComplete="username" autoCapitalize="none" spellCheck={false} />
            )}
          </Field>
          <Field label="Password" error={missing.password}>
            {(control) => <PasswordInput {...control} name="password" autoComplete="current-password" />}
          </Field>
          <Button type="submit" variant="primary" className="w-full" disabled={busy} aria-busy={busy}>
            {busy ? 'Signing in…' : 'Sign in'}
          </Button>
        </form>
      </div>
    </main>
  );
}

/** Only a path of this origin is ever followed. */
function returnTo(state: unknown): string {
  const from = (state as { from?: unknown } | null)?.from;
  return typeof from === 'string' && from.startsWith('/') && !from.startsWith('//') ? from : '/';
}
