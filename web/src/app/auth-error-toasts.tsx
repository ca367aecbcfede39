/** Tells on load why a single sign-on failed, then cleans the address (specification §2). */
import { useEffect } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';
import { type NewNotice, notify } from '../components/toast/store.ts';
import { useAuthConfig } from '../lib/auth/config.ts';

/** The words of an `error` parameter; the provider's name is part of its value. */
export function authErrorNotice(error: string, description: string | null, adminEmail: string | undefined): NewNotice {
  const failed = /^(.+)_auth_failed$/.exec(error)?.[1];
  if (failed !== undefined) {
    const provider = failed.toUpperCase();
    return {
      title: `${provider} Authentication Failed`,
      description: `Unable to authenticate with ${provider}. Please try again or contact your administrator.`,
    };
  }
  const said = description ?? '';
  switch (error) {
    case 'callback_error':
      return { title: 'Authentication Callback Error', description: said };
    case 'access_denied':
      return {
        title: 'Access Denied',
        description: said,
        ...(adminEmail === undefined ? {} : { action: { label: 'Contact Admin', href: `mailto:${adminEmail}` } }),
      };
    case 'invalid_request':
      return { title: 'Invalid Request', description: said };
    default:
      return { title: 'Authentication Failed', description: said === '' ? error : said };
  }
}

export function AuthErrorToasts() {
  const { search, pathname, state } = useLocation();
  const navigate = useNavigate();
  const parameters = new URLSearchParams(search);
  const error = parameters.get('error');
  const description = parameters.get('error_description');
  const { data: config, isPending } = useAuthConfig(error !== null);
  const ready = error !== null && !isPending;

  useEffect(() => {
    if (!ready || error === null) return;
    notify.authError(authErrorNotice(error, description, config?.adminEmail));
    navigate(pathname, { replace: true, state });
  }, [ready, error, description, config, navigate, pathname, state]);
  return null;
}
