/** Runs the single sign-on flow without a browser: sends the requests and cookies that a browser would send. */
import { createHash, randomBytes } from 'node:crypto';
import { CLIENT_ID, type SsoProvider } from './provider.ts';

export interface Flow {
  verifier: string;
  state: string;
  nonce: string;
  /** The cookie that the browser sends to the API during the flow. */
  cookie: string;
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('base64url');

export function newFlow(): Flow {
  const verifier = randomBytes(64).toString('base64url');
  const state = randomBytes(32).toString('base64url');
  return { verifier, state, nonce: sha256(`nonce:${verifier}`), cookie: `sso_flow=${verifier}.${state}` };
}

/** Signs a user in at the provider; returns the parameters of the redirect. `further` adds parameters. */
export async function authorize(
  provider: SsoProvider,
  baseUrl: string,
  subject: string,
  flow: Flow,
  further: Record<string, string> = {},
): Promise<URLSearchParams> {
  const address = new URL(`${provider.issuer}/auth`);
  address.search = new URLSearchParams({
    client_id: CLIENT_ID,
    response_type: 'code',
    scope: 'openid profile email',
    redirect_uri: `${baseUrl}/auth/callback`,
    state: flow.state,
    nonce: flow.nonce,
    code_challenge: sha256(flow.verifier),
    code_challenge_method: 'S256',
    ...further,
  }).toString();
  const jar = new Map<string, string>();
  let nextRequest = { url: address.href, method: 'GET', body: undefined as string | undefined };
  for (let steps = 0; steps < 10; steps++) {
    const response = await fetch(nextRequest.url, {
      method: nextRequest.method,
      redirect: 'manual',
      headers: {
        Cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(nextRequest.body === undefined ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' }),
      },
      ...(nextRequest.body === undefined ? {} : { body: nextRequest.body }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';');
      const equals = pair.indexOf('=');
      jar.set(pair.slice(0, equals), pair.slice(equals + 1));
    }
    const location = response.headers.get('Location');
    if (location === null) throw new Error(`the provider answered ${response.status}: ${await response.text()}`);
    const to = new URL(location, nextRequest.url);
    if (to.origin === baseUrl) return to.searchParams;
    const isInteraction = to.pathname.startsWith('/interaction/');
    nextRequest = {
      url: to.href,
      method: isInteraction ? 'POST' : 'GET',
      body: isInteraction ? new URLSearchParams({ subject }).toString() : undefined,
    };
  }
  throw new Error(`the provider redirects without end; last to ${nextRequest.url}`);
}

/** Exchanges an authorization code as a public client; returns the response of the provider. */
export async function exchangeCode(
  provider: SsoProvider,
  baseUrl: string,
  code: string,
  verifier: string,
): Promise<{ status: number; body: { id_token?: string; error?: string } }> {
  const response = await fetch(`${provider.issuer}/token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: CLIENT_ID,
      code,
      redirect_uri: `${baseUrl}/auth/callback`,
      code_verifier: verifier,
    }),
  });
  return { status: response.status, body: (await response.json()) as { id_token?: string; error?: string } };
}

/** Signs a user in; returns the id_token and the flow in which the provider issued it. */
export async function idTokenOf(
  provider: SsoProvider,
  baseUrl: string,
  subject: string,
  further: Record<string, string> = {},
): Promise<{ idToken: string; flow: Flow }> {
  const flow = newFlow();
  const answer = await authorize(provider, baseUrl, subject, flow, further);
  const { status, body } = await exchangeCode(provider, baseUrl, answer.get('code') ?? '', flow.verifier);
  if (body.id_token === undefined) throw new Error(`the provider gave no id_token: ${status} ${JSON.stringify(body)}`);
  return { idToken: body.id_token, flow };
}
