/**
 * Starts a single sign-on if the URL of the opened page names the issuer of a configured provider (specification §4).
 */
import { SSO_CALLBACK_PATH } from '@rdm/contracts/identity/single-sign-on';
import { useEffect, useState } from 'react';
import { useAuthConfig } from '../lib/auth/config.ts';
import { startSignIn } from '../lib/auth/sso.ts';

/**
 * The parameters that name the issuer: `iss` in the standard (third-party initiated login), `issuer` as an alternative.
 */
const ISSUER_PARAMETERS = ['iss', 'issuer'] as const;

export interface SignOnRequest {
  issuer: string;
  /** The opened page without the issuer parameters; the start page if the sign-in page was opened. */
  returnTo: string;
}

/**
 * Returns the issuer in the URL, and the page to open after the sign-on. Ignores the callback page, because providers
 * add `iss` to the redirect.
 */
export function signOnRequestIn({
  pathname,
  search,
  hash,
}: Pick<Location, 'pathname' | 'search' | 'hash'>): SignOnRequest | undefined {
  const parameters = new URLSearchParams(search);
  const issuer = ISSUER_PARAMETERS.map((name) => parameters.get(name)).find((value) => value !== null);
  if (issuer === undefined || issuer === null || pathname.replace(/\/+$/, '') === SSO_CALLBACK_PATH) return undefined;
  for (const name of ISSUER_PARAMETERS) parameters.delete(name);
  const query = parameters.toString();
  return { issuer, returnTo: pathname === '/auth' ? '/' : `${pathname}${query === '' ? '' : `?${query}`}${hash}` };
}

/** Whether two URLs name the same issuer, ignoring a trailing slash. */
const isSameIssuer = (left: string, right: string) => left.replace(/\/$/, '') === right.replace(/\/$/, '');

export function SsoStart() {
  // Reads the URL on load, because the guard may redirect to the sign-in page before the providers are known.
  const [request] = useState(() => signOnRequestIn(window.location));
  const { data: config } = useAuthConfig(request !== undefined);
  useEffect(() => {
    if (request === undefined) return;
    const provider = config?.providers.find(({ issuer }) => isSameIssuer(issuer, request.issuer));
    if (provider !== undefined) void startSignIn(provider, request.returnTo);
  }, [request, config]);
  return null;
}
