/** Tests the return from a sign-in provider with the toasts of the application (specification §2 and §8). */
import { createHash } from 'node:crypto';
import { screen } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { currentNotices, dismiss } from '../components/toast/store.ts';
import SsoCallback from '../features/identity/pages/SsoCallback.tsx';
import { beginSignIn } from '../lib/auth/sso-flow.ts';
import { fakeServer, showPage } from '../testing/page.tsx';
import { AuthErrorToasts } from './auth-error-toasts.tsx';

const ISSUER = 'https://id.example.com';
const PROVIDER = { name: 'okta', issuer: ISSUER, clientId: 'reference-data' };

const showCallback = (query: string) =>
  showPage(
    <>
      <AuthErrorToasts />
      <SsoCallback />
    </>,
    { user: null, at: `/auth/callback?${query}` },
  );

afterEach(() => {
  vi.unstubAllGlobals();
  localStorage.clear();
  for (const { id } of currentNotices().visible) dismiss(id);
});

it('the callback page shows an error even if the server sends no message', async () => {
  fakeServer({ 'GET /api/auth/config': { status: 404 } });
  showCallback('code=c&state=s');
  expect(await screen.findByText('Authentication Callback Error')).toBeTruthy();
  expect(screen.getByText('single sign-on login failed')).toBeTruthy();
});

interface Flow {
  verifier: string;
  state: string;
  returnTo: string;
}

/** Changes the sign-in flow that the browser stores, as a user of this browser could. */
function changeStoredFlow(change: Partial<Flow>): void {
  const flow = { ...JSON.parse(localStorage.getItem('sso_flow') ?? '{}'), ...change };
  localStorage.setItem('sso_flow', JSON.stringify(flow));
}

const base64url = (text: string) => Buffer.from(text).toString('base64url');

/** The browser reads the claims of the token; the server verifies its signature. */
const tokenWith = (claims: object) =>
  [base64url(JSON.stringify({ alg: 'ES256' })), base64url(JSON.stringify(claims)), base64url('signature')].join('.');

/**
 * Starts a sign-in at a provider that exchanges the code `theirs` for a token; `change` changes the claims of the
 * token.
 */
async function startFlow(change: object = {}) {
  let address: URLSearchParams | undefined;
  const server = fakeServer({
    'GET /api/auth/config': { body: { providers: [PROVIDER], adminEmail: null } },
    [`GET ${ISSUER}/.well-known/openid-configuration`]: {
      body: {
        issuer: ISSUER,
        authorization_endpoint: `${ISSUER}/auth`,
        token_endpoint: `${ISSUER}/token`,
        authorization_response_iss_parameter_supported: true,
        id_token_signing_alg_values_supported: ['ES256'],
      },
    },
    [`POST ${ISSUER}/token`]: ({ body }) => {
      const sent = body as URLSearchParams;
      const digest = createHash('sha256')
        .update(sent.get('code_verifier') ?? '')
        .digest('base64url');
      if (sent.get('code') !== 'theirs' || digest !== address?.get('code_challenge'))
        return { status: 400, body: { error: 'invalid_grant' } };
      const now = Math.floor(Date.now() / 1_000);
      const claims = {
        iss: ISSUER,
        aud: PROVIDER.clientId,
        sub: 'u',
        nonce: address.get('nonce'),
        iat: now,
        exp: now + 300,
      };
      return { body: { access_token: 'a', token_type: 'Bearer', id_token: tokenWith({ ...claims, ...change }) } };
    },
    'POST /api/okta-login': { status: 409, body: { error: 'The server decides' } },
  });
  address = new URL(await beginSignIn(PROVIDER, '/', 'sign-in')).searchParams;
  return { server, state: address.get('state') ?? '' };
}

const callbackQuery = (state: string, code = 'theirs') =>
  `code=${code}&state=${state}&iss=${encodeURIComponent(ISSUER)}`;

describe('the response of the provider', () => {
  const CALLBACK = 'Authentication Callback Error';
  const FAILED = 'OKTA Authentication Failed';
  /** `queryFor` returns the query string of the response for the state of the flow; `claims` changes the token. */
  const MANIPULATIONS: [what: string, title: string, queryFor: (state: string) => string, claims?: object][] = [
    ['a response with another state', CALLBACK, () => callbackQuery('another')],
    ['a response without a state', CALLBACK, (state) => callbackQuery(state).replace(`&state=${state}`, '')],
    [
      'a response from another issuer',
      CALLBACK,
      (state) => `code=theirs&state=${state}&iss=https%3A%2F%2Fevil.example`,
    ],
    ['a response without an issuer', CALLBACK, (state) => `code=theirs&state=${state}`],
    [
      'an error with another state',
      CALLBACK,
      () => 'error=access_denied&error_description=Call%20this%20number&state=other',
    ],
    ['a code that the provider never gave', FAILED, (state) => callbackQuery(state, 'stolen')],
    [
      'a code with another verifier',
      FAILED,
      (state) => {
        changeStoredFlow({ verifier: Buffer.alloc(64, 7).toString('base64url') });
        return callbackQuery(state);
      },
    ],
    ['an id_token with another nonce', FAILED, callbackQuery, { nonce: 'another' }],
    ['an id_token for another client', FAILED, callbackQuery, { aud: 'another-client' }],
    ['an id_token of another issuer', FAILED, callbackQuery, { iss: 'https://evil.example' }],
    [
      'a response without a request',
      CALLBACK,
      (state) => {
        localStorage.removeItem('sso_flow');
        return callbackQuery(state);
      },
    ],
  ];

  it.each(MANIPULATIONS)('is refused: %s', async (_what, title, queryFor, claims) => {
    const { server, state } = await startFlow(claims);
    showCallback(queryFor(state));
    expect(await screen.findByText(title)).toBeTruthy();
    expect(screen.queryByText('Call this number')).toBeNull();
    expect(window.location.pathname).toBe('/auth');
    expect(server.sent.filter(({ path }) => path === '/api/okta-login')).toEqual([]);
    expect(localStorage.getItem('sso_flow')).toBeNull();
  });

  it('is sent to the server once, and is refused if it is used again', async () => {
    const { server, state } = await startFlow();
    const { unmount } = showCallback(callbackQuery(state));
    // The server refuses the sign-in.
    expect(await screen.findByText('Okta login failed')).toBeTruthy();
    expect(screen.getByText('The server decides')).toBeTruthy();
    unmount();
    showCallback(`${callbackQuery(state)}&again=`);
    expect(await screen.findByText('Authentication Callback Error')).toBeTruthy();
    expect(server.sent.filter(({ path }) => path === '/api/okta-login')).toHaveLength(1);
  });
});
