/** Tells on load why a single sign-on failed, and cleans the address (specification §2). */
import { ERROR_PREVIEW_CHARACTERS } from '@rdm/contracts/constants';
import { SSO_CALLBACK_PATH } from '@rdm/contracts/single-sign-on';
import { useEffect, useState } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';
import { type NewNotice, notify } from '../components/toast/store.ts';
import { useAuthConfig } from '../lib/auth/config.ts';

/**
 * The words of an `error` parameter; the provider's name is part of its value. Whoever wrote the link wrote the
 * description too: it is shown as text, and cut.
 */
export function authErrorNotice(error: string, description: string | null, adminEmail: string | null): NewNotice {
  const failed = /^([a-z][a-z0-9-]{0,30})_auth_failed$/i.exec(error)?.[1];
  if (failed !== undefined) {
    const provider = failed.toUpperCase();
    return {
      title: `${provider} Authentication Failed`,
      description: `Unable to authenticate with ${provider}. Please try again or contact your administrator.`,
    };
  }
  const said = (description ?? '').slice(0, ERROR_PREVIEW_CHARACTERS);
  switch (error) {
    case 'callback_error':
      return { title: 'Authentication Callback Error', description: said };
    case 'access_denied':
      return {
        title: 'Access Denied',
        description: said,
        action: {
          label: 'Contact Admin',
          // Where no address is set, the person's own mail program asks for it.
          href: `mailto:${adminEmail ?? ''}?subject=${encodeURIComponent('Access to Reference Data Management')}`,
        },
      };
    case 'invalid_request':
      return { title: 'Invalid Request', description: said };
    default:
      return {
        title: 'Authentication Failed',
        description: said === '' ? error.slice(0, ERROR_PREVIEW_CHARACTERS) : said,
      };
  }
}

interface AuthError {
  error: string;
  description: string | null;
}

export function AuthErrorToasts() {
  const { search, pathname, state } = useLocation();
  const navigate = useNavigate();
  const [said, setSaid] = useState<AuthError>();
  const { data: config, isPending } = useAuthConfig(said !== undefined);

  // At once, before the guard leads elsewhere. What a provider sends back is not ours to tell until it was checked.
  useEffect(() => {
    const parameters = new URLSearchParams(search);
    const error = parameters.get('error');
    if (error === null || pathname === SSO_CALLBACK_PATH) return;
    setSaid({ error, description: parameters.get('error_description') });
    navigate(pathname, { replace: true, state });
  }, [search, pathname, state, navigate]);

  useEffect(() => {
    if (said === undefined || isPending) return;
    notify.authError(authErrorNotice(said.error, said.description, config?.adminEmail ?? null));
    setSaid(undefined);
  }, [said, isPending, config]);
  return null;
}
