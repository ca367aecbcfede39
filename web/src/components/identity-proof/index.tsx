/**
 * The part of a dialog in which users confirm their identity: a field for the password or, for users of a sign-in
 * provider, a button that starts a new sign-in at the provider. The sign-in returns to the same page.
 */
import type { IdentityProof } from '@rdm/contracts/access/identity-proof';
import { providerLabel } from '@rdm/contracts/identity/single-sign-on';
import { LogIn } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useAuthConfig } from '../../lib/auth/config.ts';
import { useCurrentUser } from '../../lib/auth/index.ts';
import { forgetProof, freshProof, startSignIn } from '../../lib/auth/sso.ts';
import { Alert } from '../ui/alert.tsx';
import { Button } from '../ui/button.tsx';
import { Field, PasswordInput } from '../ui/input.tsx';

export interface IdentityProofState {
  /** Whether the user has entered a password or has signed in again. */
  isGiven: boolean;
  /** Returns the proof to send with a request. A sign-in at a provider is a proof for one request only. */
  take: () => IdentityProof;
  field: ReactNode;
}

export function useIdentityProof(hint?: string): IdentityProofState {
  const { authProvider } = useCurrentUser();
  const [password, setPassword] = useState('');
  const [idToken] = useState(freshProof);
  if (authProvider !== 'local') {
    return {
      isGiven: idToken !== undefined,
      take: () => {
        forgetProof();
        return idToken === undefined ? {} : { id_token: idToken };
      },
      field: <ProviderProof name={authProvider} isGiven={idToken !== undefined} />,
    };
  }
  return {
    isGiven: password !== '',
    take: () => ({ password }),
    field: (
      <Field label="Your password" required hint={hint}>
        {(control) => (
          <PasswordInput
            {...control}
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        )}
      </Field>
    ),
  };
}

function ProviderProof({ name, isGiven }: { name: string; isGiven: boolean }) {
  const { data: config } = useAuthConfig(!isGiven);
  const [isLeaving, setLeaving] = useState(false);
  const provider = config?.providers.find((each) => each.name === name);
  if (isGiven) return <Alert tone="success">You signed in again with {providerLabel(name)}.</Alert>;
  return (
    <Alert tone="info" title={`Sign in with ${providerLabel(name)} again first`}>
      <p>You come back to this page. Then open this dialog again and continue within five minutes.</p>
      <Button
        className="mt-2"
        disabled={provider === undefined || isLeaving}
        aria-busy={isLeaving}
        onClick={async () => {
          if (provider === undefined) return;
          setLeaving(true);
          const { pathname, search } = window.location;
          if (!(await startSignIn(provider, `${pathname}${search}`, 'proof'))) setLeaving(false);
        }}
      >
        <LogIn aria-hidden="true" />
        Sign in with {providerLabel(name)}
      </Button>
    </Alert>
  );
}
