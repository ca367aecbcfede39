/** Single sign-on as the pages need it: where it begins, where it may lead, and how it ends. The flow itself is loaded when it is needed. */
import type { SsoProvider } from '@rdm/contracts/identity/identity';
import { providerLabel } from '@rdm/contracts/identity/single-sign-on';
import { notify } from '../../components/toast/store.ts';
import { messageOf } from '../messages/index.ts';

export const SSO_FAILED = 'single sign-on login failed';
export const ssoFailedTitle = (provider: string): string => `${providerLabel(provider)} login failed`;

/** A path of this origin, or the root: whatever else was kept or asked for is never followed. */
export function ownPath(path: unknown): string {
  const { origin } = window.location;
  if (typeof path !== 'string' || !path.startsWith('/') || !URL.canParse(path, origin)) return '/';
  const url = new URL(path, origin);
  const own = `${url.pathname}${url.search}${url.hash}`;
  // What a browser makes of "/.//elsewhere" begins like another host's address again.
  return url.origin === origin && !own.startsWith('//') ? own : '/';
}

/** Leaves for the provider. Where that cannot be, it is said, and the answer is false. */
export async function startSignIn(provider: SsoProvider, returnTo: string): Promise<boolean> {
  try {
    const { begin } = await import('./sso-flow.ts');
    window.location.assign(await begin(provider, ownPath(returnTo)));
    return true;
  } catch (error) {
    notify.error(messageOf(error, SSO_FAILED), { title: ssoFailedTitle(provider.name) });
    return false;
  }
}

const SIGNED_IN = 'Logged in via the single sign-on provider successfully';
let welcomes = false;

/** Welcomes the person on the page that they are led to. */
export function saySignedIn(): void {
  welcomes = true;
}

/** Called by the shell of the pages, on whichever the person lands (specification §2). */
export function sayWelcome(): void {
  if (!welcomes) return;
  welcomes = false;
  notify.success('Welcome', { description: SIGNED_IN });
}

/** What signing out at the provider takes, kept in the tab that signed in through it. */
interface ProviderSession {
  provider: string;
  idToken: string;
}

const KEPT = 'sso_session';
const LOCAL = 'local';
let signedInThrough = LOCAL;

/** Called with the `authProvider` of whoever is signed in. */
export function rememberProvider(name: string): void {
  signedInThrough = name;
}

export const keepProviderSession = (session: ProviderSession): void =>
  sessionStorage.setItem(KEPT, JSON.stringify(session));

/**
 * Where the browser goes to sign out at the provider; undefined for local accounts, and where the provider offers no
 * such thing or cannot be reached: being signed out here must not wait for it. What was kept is forgotten.
 */
export async function providerSignOut(providersOf: () => Promise<readonly SsoProvider[]>): Promise<string | undefined> {
  const kept = sessionStorage.getItem(KEPT);
  sessionStorage.removeItem(KEPT);
  if (signedInThrough === LOCAL) return undefined;
  const session = kept === null ? undefined : (JSON.parse(kept) as ProviderSession);
  try {
    const provider = (await providersOf()).find(({ name }) => name === signedInThrough);
    if (provider === undefined) return undefined;
    const { signOutAddress } = await import('./sso-flow.ts');
    return await signOutAddress(provider, session?.provider === provider.name ? session.idToken : undefined);
  } catch {
    return undefined;
  }
}
