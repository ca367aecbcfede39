/**
 * Shows why a single sign-on failed, if the URL has an `error`, and removes the query string when the toast closes
 * (specification §2).
 */
import { ERROR_PREVIEW_CHARACTERS } from '@rdm/contracts/constants';
import { SSO_CALLBACK_PATH } from '@rdm/contracts/identity/single-sign-on';
import { useEffect, useRef, useState } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';
import { currentNotices, type NewNotice, notify, onNotices } from '../components/toast/store.ts';
import { useAuthConfig } from '../lib/auth/config.ts';

/**
 * Returns the notice for an `error` parameter, which may name a provider: `okta_auth_failed`. Any link can contain a
 * description, so the description is shortened and rendered as text.
 */
export function authErrorNotice(error: string, description: string | null, adminEmail: string | null): NewNotice {
  const failedProvider = /^([a-z][a-z0-9-]{0,30})_auth_failed$/i.exec(error)?.[1];
  if (failedProvider !== undefined) {
    const provider = failedProvider.toUpperCase();
    return {
      title: `${provider} Authentication Failed`,
      description: `Unable to authenticate with ${provider}. Please try again or contact your administrator.`,
    };
  }
  const text = (description ?? '').slice(0, ERROR_PREVIEW_CHARACTERS);
  switch (error) {
    case 'callback_error':
      return { title: 'Authentication Callback Error', description: text };
    case 'access_denied':
      return {
        title: 'Access Denied',
        description: text,
        action: {
          label: 'Contact Admin',
          // Without a configured address, the mail program opens without a recipient.
          href: `mailto:${adminEmail ?? ''}?subject=${encodeURIComponent('Access to Reference Data Management')}`,
        },
      };
    case 'invalid_request':
      return { title: 'Invalid Request', description: text };
    default:
      return {
        title: 'Authentication Failed',
        description: text === '' ? error.slice(0, ERROR_PREVIEW_CHARACTERS) : text,
      };
  }
}

interface AuthError {
  error: string;
  description: string | null;
}

export function AuthErrorToasts() {
  const { search, pathname, state, key } = useLocation();
  const navigate = useNavigate();
  /** The key of the location whose error was read last. */
  const readKey = useRef<string>(undefined);
  const [errorToShow, setErrorToShow] = useState<AuthError>();
  const [toastId, setToastId] = useState<number>();
  const { data: config, isPending } = useAuthConfig(errorToShow !== undefined);

  // Reads the error before the guard redirects. The callback page checks the response of a provider and shows its error
  // itself.
  useEffect(() => {
    const parameters = new URLSearchParams(search);
    const error = parameters.get('error');
    if (error === null || pathname === SSO_CALLBACK_PATH || readKey.current === key) return;
    readKey.current = key;
    setErrorToShow({ error, description: parameters.get('error_description') });
  }, [search, pathname, key]);

  useEffect(() => {
    if (errorToShow === undefined || isPending) return;
    setToastId(
      notify.authError(authErrorNotice(errorToShow.error, errorToShow.description, config?.adminEmail ?? null)),
    );
    setErrorToShow(undefined);
  }, [errorToShow, isPending, config]);

  useEffect(() => {
    if (toastId === undefined) return undefined;
    return onNotices(() => {
      if (currentNotices().visible.some(({ id, open }) => id === toastId && open)) return;
      setToastId(undefined);
      if (new URLSearchParams(search).has('error')) navigate(pathname, { replace: true, state });
    });
  }, [toastId, search, pathname, state, navigate]);
  return null;
}
