/** Starts a certified OpenID provider (`oidc-provider`) on loopback, with a page on which a test selects the user. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { Provider } from 'oidc-provider';

export const PROVIDER = 'okta';
export const CLIENT_ID = 'reference-data';
export const ROLE_CLAIM = 'rdm_role';

export type Claims = Record<string, unknown>;

export interface SigningKey {
  publicJwk: JWK;
  privateJwk: JWK;
}

export interface SsoProvider {
  issuer: string;
  /** The claims of the users who may sign in, by subject; tests add users here. */
  people: Map<string, Claims>;
  /** Signs any claims, with the key of the provider or with another key. */
  sign: (claims: JWTPayload, header?: { alg?: string; kid?: string } & Claims, key?: SigningKey) => Promise<string>;
  key: () => SigningKey;
  /** Replaces the signing key, and stops publishing the old key. */
  rotate: () => Promise<void>;
  stop: () => Promise<void>;
}

export async function newKey(kid: string, alg = 'ES256'): Promise<SigningKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const jwkParameters = { kid, alg, use: 'sig' };
  return {
    publicJwk: { ...(await exportJWK(publicKey)), ...jwkParameters },
    privateJwk: { ...(await exportJWK(privateKey)), ...jwkParameters },
  };
}

/** `baseUrl` is the address of the product, the only address to which the provider redirects. */
export async function startProvider(baseUrl: string): Promise<SsoProvider> {
  const people = new Map<string, Claims>();
  let answer: (request: IncomingMessage, response: ServerResponse) => void = (_request, response) => response.end();
  const server = createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  let key: SigningKey;
  let generation = 0;
  async function rotate(): Promise<void> {
    generation += 1;
    key = await newKey(`key-${generation}`);
    const provider = createProvider(issuer, baseUrl, people, key);
    const callback = provider.callback();
    answer = (request, response) => {
      if (request.url?.startsWith('/interaction/')) {
        interact(provider, people, request, response).catch((error: unknown) => {
          response.statusCode = 500;
          response.end(String(error));
        });
      } else void callback(request, response);
    };
  }
  await rotate();

  return {
    issuer,
    people,
    rotate,
    key: () => key,
    async sign(claims, header = {}, signingKey = key) {
      return new SignJWT(claims)
        .setProtectedHeader({ alg: 'ES256', kid: signingKey.publicJwk.kid ?? '', ...header })
        .sign(signingKey.privateJwk);
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function createProvider(issuer: string, baseUrl: string, people: Map<string, Claims>, key: SigningKey): Provider {
  return new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT_ID,
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code'],
        response_types: ['code'],
        redirect_uris: [`${baseUrl}/auth/callback`],
        post_logout_redirect_uris: [`${baseUrl}/auth`],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    jwks: { keys: [key.privateJwk] },
    cookies: { keys: ['a key of the provider'] },
    clientBasedCORS: (_ctx, origin) => origin === baseUrl,
    // With false, the id_token itself contains the claims of the profile.
    conformIdTokenClaims: false,
    claims: {
      openid: ['sub', ROLE_CLAIM],
      profile: ['name', 'given_name', 'family_name', 'preferred_username'],
      email: ['email', 'email_verified'],
    },
    findAccount: (_ctx, subject) => ({
      accountId: subject,
      claims: () => ({ sub: subject, ...people.get(subject) }),
    }),
    pkce: { required: () => true },
    ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    // Simulates a company that has consented for all its users, so that the provider requests no consent.
    loadExistingGrant: async (ctx) => {
      const grant = new ctx.oidc.provider.Grant({ clientId: CLIENT_ID, accountId: ctx.oidc.account?.accountId ?? '' });
      grant.addOIDCScope('openid profile email');
      await grant.save();
      return grant;
    },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (ctx, form) => {
          ctx.body = page(`${form}<button form="op.logoutForm" name="logout" value="yes">Sign out here too</button>`);
        },
      },
    },
  });
}

const page = (body: string) => `<!doctype html><html lang="en"><title>The provider</title><body>${body}</body></html>`;

/** Serves the page on which a test selects a user or cancels, and handles the choice. */
async function interact(
  provider: Provider,
  people: Map<string, Claims>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== 'POST') {
    const buttons = [...people.keys()].map(
      (subject) => `<button name="subject" value="${subject}">${subject}</button>`,
    );
    response.setHeader('Content-Type', 'text/html');
    response.end(page(`<form method="post">${buttons.join('')}<button name="subject" value="">Cancel</button></form>`));
    return;
  }
  let body = '';
  for await (const piece of request) body += String(piece);
  const subject = new URLSearchParams(body).get('subject') ?? '';
  const result =
    subject === ''
      ? { error: 'access_denied', error_description: 'You are not assigned to this application' }
      : { login: { accountId: subject } };
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
}
