/**
 * Starts a single sign-on, checks return paths, and returns the URL of the sign-out at the provider. The code of the
 * sign-in flow itself is loaded on demand.
 */
import type { SsoProvider } from '@rdm/contracts/identity/identity';
import { FRESH_SIGN_IN_SECONDS, providerLabel } from '@rdm/contracts/identity/single-sign-on';
import { notify } from '../../components/toast/store.ts';
import { messageOf } from '../messages/index.ts';
import type { Purpose } from './sso-flow.ts';

export const SSO_FAILED = 'single sign-on login failed';
export const ssoFailedTitle = (provider: string): string => `${providerLabel(provider)} login failed`;

/** Returns the path if it is on this origin, otherwise `/`. */
export function ownPath(path: unknown): string {
  const { origin } = window.location;
  if (typeof path !== 'string' || !path.startsWith('/') || !URL.canParse(path, origin)) return '/';
  const url = new URL(path, origin);
  const own = `${url.pathname}${url.search}${url.hash}`;
  // The browser normalises "/.//elsewhere" to "//elsewhere", which is a URL of another host.
  return url.origin === origin && !own.startsWith('//') ? own : '/';
}

/** Redirects to the provider. If that fails, shows the error and returns false. */
export async function startSignIn(
  provider: SsoProvider,
  returnTo: string,
  purpose: Purpose = 'sign-in',
): Promise<boolean> {
  try {
    const { beginSignIn } = await import('./sso-flow.ts');
    window.location.assign(await beginSignIn(provider, ownPath(returnTo), purpose));
    return true;
  } catch (error) {
    notify.error(messageOf(error, SSO_FAILED), { title: ssoFailedTitle(provider.name) });
    return false;
  }
}

/** The id_token of a new sign-in, as a proof of identity for one request. The token is never written to storage. */
let proof: { idToken: string; until: number } | undefined;

export function keepProof(idToken: string): void {
  proof = { idToken, until: Date.now() + FRESH_SIGN_IN_SECONDS * 1_000 };
}

export const freshProof = (): string | undefined =>
  proof !== undefined && proof.until > Date.now() ? proof.idToken : undefined;

export function forgetProof(): void {
  proof = undefined;
}

const SIGNED_IN = 'Logged in via the single sign-on provider successfully';
let hasJustSignedIn = false;

/** Makes the next page show a welcome message. */
export function announceSignIn(): void {
  hasJustSignedIn = true;
}

/** Shows the message after a sign-in. The shell calls this on the first page of the user (specification §2). */
export function showWelcome(): void {
  if (!hasJustSignedIn) return;
  hasJustSignedIn = false;
  notify.success('Welcome', { description: SIGNED_IN });
}

/** The session at the provider, stored in the tab for the sign-out at the provider. */
interface ProviderSession {
  provider: string;
  idToken: string;
}

const SESSION_KEY = 'sso_session';
const LOCAL = 'local';
let currentProvider = LOCAL;

/** Stores the `authProvider` of the current user. */
export function rememberProvider(name: string): void {
  currentProvider = name;
}

export const rememberProviderSession = (session: ProviderSession): void =>
  sessionStorage.setItem(SESSION_KEY, JSON.stringify(session));

/**
 * Removes the stored provider session and returns the URL that signs the user out at the provider. Returns undefined
 * without such a URL and if the provider fails, because the sign-out from the product must not depend on the provider.
 */
export async function takeSignOutUrl(providersOf: () => Promise<readonly SsoProvider[]>): Promise<string | undefined> {
  const stored = sessionStorage.getItem(SESSION_KEY);
  sessionStorage.removeItem(SESSION_KEY);
  if (currentProvider === LOCAL) return undefined;
  const session = stored === null ? undefined : (JSON.parse(stored) as ProviderSession);
  try {
    const provider = (await providersOf()).find(({ name }) => name === currentProvider);
    if (provider === undefined) return undefined;
    const { signOutAddress } = await import('./sso-flow.ts');
    return await signOutAddress(provider, session?.provider === provider.name ? session.idToken : undefined);
  } catch {
    return undefined;
  }
}
