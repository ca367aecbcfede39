/**
 * The return page of single sign-on providers: handles the response, signs in or stores the proof of identity, and
 * redirects (specification §2 and §4).
 */
import type { CurrentUser, SsoProvider } from '@rdm/contracts/identity/identity';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type NavigateFunction, useNavigate } from 'react-router-dom';
import { notify } from '../../../components/toast/index.ts';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { unwrap, write } from '../../../lib/api/index.ts';
import { authConfigQuery } from '../../../lib/auth/config.ts';
import { startSession } from '../../../lib/auth/index.ts';
import {
  announceSignIn,
  keepProof,
  ownPath,
  rememberProviderSession,
  SSO_FAILED,
  ssoFailedTitle,
} from '../../../lib/auth/sso.ts';
import { finishSignIn, forgetFlow } from '../../../lib/auth/sso-flow.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { SignInLayout } from '../components/SignInLayout.tsx';

export default function SsoCallback() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  // The URL of the first render has the response. A later render can have another URL, which must not be handled.
  const [address] = useState(() => new URL(window.location.href));

  useEffect(() => {
    void handleOnce(address, queries, navigate);
  }, [address, queries, navigate]);

  return (
    <SignInLayout lead="Signing you in…">
      <p role="status" className="sr-only">
        Loading...
      </p>
      <Skeleton className="h-8" />
    </SignInLayout>
  );
}

let handledAddress: string | undefined;

async function handleOnce(address: URL, queries: QueryClient, navigate: NavigateFunction): Promise<void> {
  if (handledAddress === address.href) return;
  handledAddress = address.href;
  const fail = (error: string, description: string) =>
    navigate(`/auth?${new URLSearchParams({ error, error_description: description })}`, { replace: true });
  let providers: readonly SsoProvider[];
  try {
    providers = (await queries.fetchQuery(authConfigQuery)).providers;
  } catch (error) {
    return fail('callback_error', messageOf(error, SSO_FAILED));
  }
  const outcome = await finishSignIn(providers, address);
  if (outcome.kind === 'refused') {
    if (outcome.returnTo === undefined) return fail(outcome.error, outcome.description);
    notify.error(outcome.description || SSO_FAILED, { title: 'Your identity was not confirmed' });
    return navigate(ownPath(outcome.returnTo), { replace: true });
  }
  const { provider, idToken } = outcome;
  if (outcome.purpose === 'proof') {
    // The cookie of the flow remains, because the server needs it when the proof is used.
    keepProof(idToken);
    notify.success('You confirmed your identity', {
      description: 'Open the dialog again, and complete the action within five minutes.',
    });
    return navigate(ownPath(outcome.returnTo), { replace: true });
  }
  try {
    const user = unwrap<CurrentUser>(await write('POST', `/api/${provider}-login`, { id_token: idToken }));
    rememberProviderSession({ provider, idToken });
    startSession(queries, user);
    await queries.invalidateQueries({ queryKey: ['collections'] });
  } catch (error) {
    notify.error(messageOf(error, SSO_FAILED), { title: ssoFailedTitle(provider) });
    return navigate('/auth', { replace: true });
  } finally {
    forgetFlow();
  }
  announceSignIn();
  return navigate(ownPath(outcome.returnTo), { replace: true });
}
