/** The OpenID Connect flow with PKCE (specification §4 and §9), on a certified client library. Loaded on demand. */
import { CODE_VERIFIER_BYTES } from '@rdm/contracts/constants';
import type { SsoProvider } from '@rdm/contracts/identity/identity';
import {
  FRESH_SIGN_IN_SECONDS,
  nonceSource,
  SSO_CALLBACK_PATH,
  SSO_COOKIE,
  SSO_COOKIE_SECONDS,
} from '@rdm/contracts/identity/single-sign-on';
import * as oauth from 'oauth4webapi';

/** Why the user signs in at the provider: to start a session, or to prove their identity within a session. */
export type Purpose = 'sign-in' | 'proof';

/** The data that the browser stores while the user is at the provider. */
interface Flow {
  provider: string;
  verifier: string;
  state: string;
  returnTo: string;
  purpose: Purpose;
}

/** The outcome of a sign-in when the user returns from the provider. */
export type SignInOutcome =
  | { kind: 'signed-in'; purpose: Purpose; provider: string; idToken: string; returnTo: string }
  /**
   * `error` and `description` are the query parameters `error` and `error_description` of specification §2. `returnTo`
   * is set for a proof within a session.
   */
  | { kind: 'refused'; error: string; description: string; returnTo?: string };

const FLOW = 'sso_flow';
const REQUEST_TIMEOUT_MS = 10_000;
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * Stores the flow for `finishSignIn`, and returns the URL of the provider's sign-in page. Throws if the connection or
 * this URL is not secure, or if the provider cannot be reached.
 */
export async function beginSignIn(provider: SsoProvider, returnTo: string, purpose: Purpose): Promise<string> {
  if (window.crypto.subtle === undefined) {
    throw new Error('Single sign-on needs a secure connection: open this site by its https address.');
  }
  const server = await discover(provider);
  const verifier = base64url(crypto.getRandomValues(new Uint8Array(CODE_VERIFIER_BYTES)));
  const state = oauth.generateRandomState();
  const address = endpoint(server.authorization_endpoint);
  for (const [name, value] of Object.entries({
    client_id: provider.clientId,
    response_type: 'code',
    scope: 'openid profile email',
    redirect_uri: redirectUri(),
    state,
    nonce: await nonceOf(verifier),
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    // With `max_age`, the provider has to report when the user signed in (OpenID Connect Core, 3.1.2.1).
    ...(purpose === 'proof' && { prompt: 'login', max_age: String(FRESH_SIGN_IN_SECONDS) }),
  })) {
    address.searchParams.set(name, value);
  }
  storeFlow({ provider: provider.name, verifier, state, returnTo, purpose });
  return address.href;
}

/** Handles the provider's response. Each flow can be used once. */
export async function finishSignIn(providers: readonly SsoProvider[], address: URL): Promise<SignInOutcome> {
  const flow = takeFlow();
  const outcome = await exchange(flow, providers, address);
  return outcome.kind === 'refused' && flow?.purpose === 'proof' ? { ...outcome, returnTo: flow.returnTo } : outcome;
}

/** Checks state, issuer and nonce, and exchanges the code for an id_token. */
async function exchange(
  flow: Flow | undefined,
  providers: readonly SsoProvider[],
  address: URL,
): Promise<SignInOutcome> {
  const provider = providers.find(({ name }) => name === flow?.provider);
  if (flow === undefined || provider === undefined) {
    return refusal(
      'callback_error',
      'This sign-in was started in another browser, was replaced by a newer sign-in, or has ended. Sign in again.',
    );
  }
  const failure = refusal(`${provider.name}_auth_failed`, '');
  const server = await discover(provider).catch(() => undefined);
  if (server === undefined) return failure;
  const client = { client_id: provider.clientId };
  let answer: URLSearchParams;
  try {
    answer = oauth.validateAuthResponse(server, client, address, flow.state);
  } catch (error) {
    return error instanceof oauth.AuthorizationResponseError
      ? refusal(error.error, error.error_description ?? '')
      : refusal('callback_error', 'The response of the provider does not belong to this sign-in.');
  }
  try {
    const tokenResponse = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauth.None(),
      answer,
      redirectUri(),
      flow.verifier,
      options(provider),
    );
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, tokenResponse, {
      expectedNonce: await nonceOf(flow.verifier),
      requireIdToken: true,
    });
    const { purpose, returnTo } = flow;
    return { kind: 'signed-in', purpose, provider: provider.name, idToken: tokens.id_token ?? '', returnTo };
  } catch {
    return failure;
  }
}

/** Removes the cookie of the flow. The caller does this after the sign-in request, which needs the cookie. */
export function forgetFlow(): void {
  setCookie('', 0);
}

/** The URL of the provider's sign-out page; undefined if the provider has none. */
export async function signOutAddress(provider: SsoProvider, idToken: string | undefined): Promise<string | undefined> {
  const server = await discover(provider);
  if (server.end_session_endpoint === undefined) return undefined;
  const address = endpoint(server.end_session_endpoint);
  address.searchParams.set('client_id', provider.clientId);
  address.searchParams.set('post_logout_redirect_uri', `${window.location.origin}/auth`);
  if (idToken !== undefined) address.searchParams.set('id_token_hint', idToken);
  return address.href;
}

const refusal = (error: string, description: string): SignInOutcome => ({ kind: 'refused', error, description });

async function discover(provider: SsoProvider): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(provider.issuer);
  const response = await oauth
    .discoveryRequest(issuer, { algorithm: 'oidc', ...options(provider) })
    .catch((cause: unknown) => {
      throw new Error('The sign-in provider cannot be reached. Please try again.', { cause });
    });
  return oauth.processDiscoveryResponse(issuer, response);
}

/** Limits the time of a request. Allows plain http only for a provider on this machine, like the server's settings. */
const options = (provider: SsoProvider) => ({
  [oauth.allowInsecureRequests]: LOOPBACK.includes(new URL(provider.issuer).hostname),
  signal: () => AbortSignal.timeout(REQUEST_TIMEOUT_MS),
});

/** Parses an address. Throws unless a redirect to the address is safe: https, or http on this machine. */
function endpoint(address: string | undefined): URL {
  const url = new URL(address ?? '');
  if (url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.includes(url.hostname))) return url;
  throw new Error('The sign-in provider returned an address that is not safe to open.');
}

const redirectUri = (): string => `${window.location.origin}${SSO_CALLBACK_PATH}`;

/** The nonce is a digest of the verifier, made like a code challenge. */
const nonceOf = (verifier: string): Promise<string> => oauth.calculatePKCECodeChallenge(nonceSource(verifier));

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');

function storeFlow(flow: Flow): void {
  localStorage.setItem(FLOW, JSON.stringify(flow));
  setCookie(`${flow.verifier}.${flow.state}`, SSO_COOKIE_SECONDS);
}

function takeFlow(): Flow | undefined {
  const stored = localStorage.getItem(FLOW);
  localStorage.removeItem(FLOW);
  return stored === null ? undefined : (JSON.parse(stored) as Flow);
}

/**
 * Sets the cookie of the flow. SameSite=Lax lets the browser send the cookie after the redirect from the provider. With
 * Path=/api, only the API receives it.
 */
function setCookie(value: string, seconds: number): void {
  const secure = window.location.protocol === 'https:' ? '; Secure' : '';
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in some browsers and on plain http.
  document.cookie = `${SSO_COOKIE}=${value}; Path=/api; Max-Age=${seconds}; SameSite=Lax${secure}`;
}
