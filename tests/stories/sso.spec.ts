/** Single sign-on in the server: the users that it creates, and the tokens that it refuses. */
import { ADMINISTRATOR_ROLE_ID } from '@rdm/contracts';
import { exportSPKI, importJWK, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorize, exchangeCode, type Flow, idTokenOf, newFlow } from '../sso/browser-flow.ts';
import { CLIENT_ID, newKey, ROLE_CLAIM } from '../sso/provider.ts';
import { ADMIN_PASSWORD } from '../sso/stack.ts';
import { done } from './fixtures.ts';
import { type Answer, HttpClient, type Json } from './http-client.ts';
import { newBackup } from './permissions/fixture.ts';
import {
  addProviderUser,
  admin,
  anonymous,
  database,
  newAddress,
  postToken,
  stack,
  startSsoStack,
} from './sso-sign-in.ts';

startSsoStack();

async function signIn(subject: string): Promise<Answer> {
  const { idToken, flow } = await idTokenOf(stack.provider, stack.baseUrl, subject);
  return postToken(idToken, flow);
}

/** Returns the cookies that a response sets, as a browser sends them. */
const cookieOf = (answer: Answer): string =>
  answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');

const storedUser = async (subject: string): Promise<Json> =>
  (await database.query('SELECT * FROM identity.users WHERE okta_id = $1', [subject])).rows[0];

describe('the sign-in page', () => {
  it('gets the settings of the provider, without secrets', async () => {
    expect((await anonymous.get('/api/auth/config')).body).toEqual({
      providers: [{ name: 'okta', issuer: stack.provider.issuer, clientId: 'reference-data' }],
      registration: 'open',
      passwordRules: { minLength: 10, specialCharacter: true },
      companyUrl: null,
      supportEmail: null,
      adminEmail: 'it@example.com',
    });
  });

  it('may connect only to the product and the provider', async () => {
    const response = await fetch(stack.baseUrl, { headers: { Accept: 'text/html' } });
    const policy = response.headers.get('Content-Security-Policy') ?? '';
    expect(policy).toContain(`connect-src 'self' ${stack.baseUrl.replace('http', 'ws')} ${stack.provider.issuer};`);
  });
});

describe('users of the provider', () => {
  it('become viewers with the profile of the provider, linked by its subject', async () => {
    const { subject, email } = addProviderUser({ name: 'Grace Hopper', given_name: 'Grace', family_name: 'Hopper' });
    const answer = await signIn(subject);
    expect(answer).toMatchObject({
      status: 200,
      body: {
        username: subject,
        email,
        displayName: 'Grace Hopper',
        roleName: 'Viewer',
        isAdmin: false,
        authProvider: 'okta',
        requirePasswordChange: false,
      },
    });
    const me = await anonymous.get('/api/user', { headers: { Cookie: cookieOf(answer) } });
    expect(me.body).toMatchObject({ id: answer.body.id, username: subject, authProvider: 'okta' });
    expect(await storedUser(subject)).toMatchObject({
      first_name: 'Grace',
      last_name: 'Hopper',
      password_hash: null,
      auth_provider: 'okta',
    });
    const { rows } = await database.query(
      'SELECT success FROM identity.login_attempts WHERE user_id = $1 AND username = $2',
      [answer.body.id, subject],
    );
    expect(rows).toEqual([{ success: true }]);
  });

  it('remain the same user when they sign in again, with the current profile of the provider', async () => {
    const { subject } = addProviderUser();
    const first = done(await signIn(subject));
    const changedEmail = `${subject}.new@example.com`;
    stack.provider.people.set(subject, { email: changedEmail, email_verified: true, name: 'Renamed' });
    expect(done(await signIn(subject))).toMatchObject({
      id: first.id,
      username: subject,
      email: changedEmail,
      displayName: 'Renamed',
    });
    const auditLog = await admin.eventually(`/api/audit-logs?kind=user&pageSize=1000`, ({ body }) =>
      body.items.some((entry: Json) => entry.targetUserId === first.id && entry.action === 'ProfileChanged'),
    );
    const ownEntries = auditLog.body.items.filter((entry: Json) => entry.targetUserId === first.id);
    expect(ownEntries.map((entry: Json) => entry.action)).toEqual(
      expect.arrayContaining(['UserRegistered', 'IdentityLinked', 'ProfileChanged']),
    );
  });

  it('become one user even if they first sign in from several browsers at the same time', async () => {
    const { subject } = addProviderUser();
    const flows = await Promise.all([1, 2, 3].map(() => idTokenOf(stack.provider, stack.baseUrl, subject)));
    const answers = await Promise.all(flows.map(({ idToken, flow }) => postToken(idToken, flow)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  });

  it('get the first existing role that the claim names, otherwise the role of a viewer', async () => {
    for (const [claim, role] of [
      ['Steward', 'Steward'],
      [['no such role', 'approver'], 'Approver'],
      ['no such role', 'Viewer'],
      [7, 'Viewer'],
    ]) {
      const { subject } = addProviderUser({ [ROLE_CLAIM]: claim });
      expect(done(await signIn(subject)).roleName).toBe(role);
    }
  });

  it('keep the role that an administrator has assigned since their last sign-in', async () => {
    const { subject } = addProviderUser({ [ROLE_CLAIM]: 'Steward' });
    const { id } = done(await signIn(subject));
    done(await admin.patch(`/api/users/${id}`, { roleId: 3 }));
    expect(done(await signIn(subject)).roleName).toBe('Approver');
  });

  it('get another username if theirs is taken', async () => {
    const { subject } = addProviderUser({ preferred_username: 'admin@example.com' });
    expect(done(await signIn(subject)).username).toBe('admin-2');
  });

  it('never get access to an existing account that has their e-mail address', async () => {
    const { subject } = addProviderUser({ email: 'ADMIN@example.com' });
    const answer = await signIn(subject);
    expect(answer).toMatchObject({
      status: 409,
      body: {
        error:
          'An account with your e-mail address exists already and signs in another way. Ask an administrator for help.',
      },
    });
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(await storedUser(subject)).toBeUndefined();
    expect(done(await admin.get('/api/user'))).toMatchObject({ username: 'admin', authProvider: 'local' });
  });

  it('can sign in after an administrator released their address from an account that never proved it', async () => {
    const { subject, email } = addProviderUser();
    const squatter = new HttpClient(stack.baseUrl, newAddress());
    const password = 'Correct-horse-1';
    const account = done(
      await squatter.post('/api/register', { email, password, confirmPassword: password, username: `s${subject}` }),
    );
    const path = `/api/users/${account.id}`;
    expect(await signIn(subject)).toMatchObject({ status: 409 });

    await database.query('UPDATE identity.users SET email_proved_at = now() WHERE id = $1', [account.id]);
    expect(done(await admin.get(path)).isEmailProved).toBe(true);
    expect(await admin.post(`${path}/release-email`)).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining('has proved') },
    });
    await database.query('UPDATE identity.users SET email_proved_at = NULL WHERE id = $1', [account.id]);
    const { revision } = done(await admin.get(path));
    done(await admin.post(`${path}/release-email`));
    done(await admin.post(`${path}/release-email`));

    // The owner of the address becomes a new user; the other account keeps its username and has no address.
    const owner = done(await signIn(subject));
    expect(owner).toMatchObject({ email, username: subject, authProvider: 'okta' });
    expect(owner.id).not.toBe(account.id);
    expect(done(await squatter.get('/api/user'))).toMatchObject({ id: account.id, email: '' });
    const secondClient = new HttpClient(stack.baseUrl, newAddress());
    expect((await secondClient.signIn(email, password)).status).toBe(401);
    expect((await secondClient.signIn(`s${subject}`, password)).status).toBe(200);
    expect(done(await admin.get(path))).toMatchObject({ email: '', revision: revision + 1, isEmailProved: false });
    await squatter.post('/api/reset-password/request', { email });
    await expect.poll(async () => (await database.query('SELECT FROM identity.reset_requests')).rowCount).toBe(0);
    const { rowCount } = await database.query('SELECT FROM identity.mail_outbox WHERE user_id = $1', [account.id]);
    expect(rowCount).toBe(0);

    const auditLog = await admin.eventually('/api/audit-logs?sort=timestamp&order=DESC', ({ body }) =>
      body.items.some((entry: Json) => entry.action === 'EmailAddressReleased'),
    );
    const released = auditLog.body.items.filter((entry: Json) => entry.action === 'EmailAddressReleased');
    expect(released).toMatchObject([{ targetUserId: account.id, changeSummary: 'E-mail address released' }]);
    expect(JSON.stringify(released)).not.toContain(email);

    // The address of a second account can be released too, and an account without an address can get a new one.
    const other = addProviderUser();
    const second = done(
      await new HttpClient(stack.baseUrl, newAddress()).post('/api/register', {
        email: other.email,
        password,
        confirmPassword: password,
      }),
    );
    done(await admin.post(`/api/users/${second.id}/release-email`));
    done(await admin.patch(path, { email: `new.${email}` }));
    expect(done(await admin.get(path)).email).toBe(`new.${email}`);
    expect((await admin.post(`/api/users/${owner.id}/release-email`)).status).toBe(400);
  });

  it.each([{ email: undefined }, { email_verified: false }, { email: 'no address' }])(
    'are refused without an address that the provider confirms: %j',
    async (claims) => {
      const { subject } = addProviderUser(claims);
      expect((await signIn(subject)).status).toBe(400);
      expect(await storedUser(subject)).toBeUndefined();
    },
  );

  it('are refused after they are deactivated, and lose their sessions', async () => {
    const { subject } = addProviderUser();
    const answer = await signIn(subject);
    done(await admin.post(`/api/users/${answer.body.id}/deactivate`));
    expect(await signIn(subject)).toMatchObject({
      status: 401,
      body: { error: 'Your account is deactivated. Ask an administrator for help.' },
    });
    expect((await anonymous.get('/api/user', { headers: { Cookie: cookieOf(answer) } })).status).toBe(401);
  });

  it('have no password: none is accepted, set or requested', async () => {
    const { subject, email } = addProviderUser();
    const answer = await signIn(subject);
    const ownSession = { headers: { Cookie: cookieOf(answer) } };
    expect(
      await anonymous.post(
        '/api/change-password',
        { currentPassword: 'x', newPassword: 'Correct-horse-1' },
        ownSession,
      ),
    ).toMatchObject({
      status: 400,
      body: { error: 'Your sign-in provider manages your password: change it there' },
    });
    expect((await admin.post(`/api/users/${answer.body.id}/require-password-change`)).status).toBe(400);
    expect((await new HttpClient(stack.baseUrl).signIn(subject, 'Correct-horse-1')).status).toBe(401);
    await anonymous.post('/api/reset-password/request', { email });
    // The server decides after the response whether it sends a mail.
    await expect.poll(async () => (await database.query('SELECT FROM identity.reset_requests')).rowCount).toBe(0);
    const { rows } = await database.query('SELECT count(*)::int FROM identity.reset_tokens WHERE user_id = $1', [
      answer.body.id,
    ]);
    expect(rows).toEqual([{ count: 0 }]);
  });

  it('sign in only with tokens of the new key after the provider replaced its key', async () => {
    const { subject } = addProviderUser();
    done(await signIn(subject));
    const oldKey = stack.provider.key();
    await stack.provider.rotate();
    const until = Date.now() + 30_000;
    let answer = await signIn(subject);
    // The server fetches the keys again for an unknown key, but waits a few seconds between two fetches.
    while (answer.status !== 200 && Date.now() < until) answer = await signIn(subject);
    expect(answer.status).toBe(200);
    const flow = newFlow();
    const tokenWithOldKey = await stack.provider.sign(tokenOf(subject, flow), {}, oldKey);
    expect((await postToken(tokenWithOldKey, flow)).status).toBe(401);
  });
});

/** Returns the claims of a valid token. */
function tokenOf(subject: string, flow: Flow): JWTPayload {
  const now = Math.floor(Date.now() / 1_000);
  const email = `${subject}@example.com`;
  return {
    ...{ iss: stack.provider.issuer, aud: CLIENT_ID, sub: subject, nonce: flow.nonce, iat: now, exp: now + 300 },
    ...{ email, email_verified: true, preferred_username: subject },
  };
}

/**
 * Sign-ins with one invalid property, by this property. Each function returns the response of the server.
 */
const ATTACKS: Record<string, (subject: string, flow: Flow) => Promise<Answer>> = {
  'another issuer': (subject, flow) => sendForged(flow, { ...tokenOf(subject, flow), iss: 'https://evil.example' }),
  'the issuer with a slash at its end': (subject, flow) =>
    sendForged(flow, { ...tokenOf(subject, flow), iss: `${stack.provider.issuer}/` }),
  'no issuer': (subject, flow) => sendForged(flow, without(tokenOf(subject, flow), 'iss')),
  'another audience': (subject, flow) => sendForged(flow, { ...tokenOf(subject, flow), aud: 'another-client' }),
  'no audience': (subject, flow) => sendForged(flow, without(tokenOf(subject, flow), 'aud')),
  'several audiences and no authorised party': (subject, flow) =>
    sendForged(flow, { ...tokenOf(subject, flow), aud: [CLIENT_ID, 'another-client'] }),
  'another authorised party': (subject, flow) =>
    sendForged(flow, { ...tokenOf(subject, flow), aud: [CLIENT_ID, 'another-client'], azp: 'another-client' }),
  expired: (subject, flow) =>
    sendForged(flow, { ...tokenOf(subject, flow), iat: secondsFromNow(-400), exp: secondsFromNow(-60) }),
  'no time of expiry': (subject, flow) => sendForged(flow, without(tokenOf(subject, flow), 'exp')),
  'issued in the future': (subject, flow) => sendForged(flow, { ...tokenOf(subject, flow), iat: secondsFromNow(120) }),
  'issued long ago, valid for years': (subject, flow) =>
    sendForged(flow, { ...tokenOf(subject, flow), iat: secondsFromNow(-3_600), exp: secondsFromNow(1e8) }),
  'no time of issue': (subject, flow) => sendForged(flow, without(tokenOf(subject, flow), 'iat')),
  'not valid yet': (subject, flow) => sendForged(flow, { ...tokenOf(subject, flow), nbf: secondsFromNow(120) }),
  'no nonce': (subject, flow) => sendForged(flow, without(tokenOf(subject, flow), 'nonce')),
  'the nonce of another flow': (subject, flow) =>
    sendForged(flow, { ...tokenOf(subject, flow), nonce: newFlow().nonce }),
  'the verifier itself as nonce': (subject, flow) =>
    sendForged(flow, { ...tokenOf(subject, flow), nonce: flow.verifier }),
  'a list as nonce': (subject, flow) =>
    sendForged(flow, { ...tokenOf(subject, flow), nonce: [flow.nonce] as unknown as string }),
  'sent from another browser': (subject, flow) => sendForged(newFlow(), tokenOf(subject, flow)),
  'sent from a browser that began no sign-in': (subject, flow) =>
    sendForged({ cookie: 'other=1' }, tokenOf(subject, flow)),
  'with an empty verifier': (subject, flow) => sendForged({ cookie: 'sso_flow=.' }, tokenOf(subject, flow)),
  'no subject': (subject, flow) => sendForged(flow, without(tokenOf(subject, flow), 'sub')),
  'a number as subject': (subject, flow) =>
    sendForged(flow, { ...tokenOf(subject, flow), sub: 7 as unknown as string }),
  'an empty subject': (subject, flow) => sendForged(flow, { ...tokenOf(subject, flow), sub: '' }),
  'a subject with NUL': (subject, flow) => sendForged(flow, { ...tokenOf(subject, flow), sub: `${subject}\u0000` }),
  'algorithm none': async (subject, flow) => postToken(new UnsecuredJWT(tokenOf(subject, flow)).encode(), flow),
  'algorithm none, with a signature': async (subject, flow) => {
    const unsecured = new UnsecuredJWT(tokenOf(subject, flow)).encode();
    const signed = await stack.provider.sign(tokenOf(subject, flow));
    return postToken(`${unsecured}${signed.split('.')[2]}`, flow);
  },
  'HS256 with the public key as PEM': async (subject, flow) => {
    const key = await importJWK(stack.provider.key().publicJwk, 'ES256', { extractable: true });
    return postToken(await hmac(tokenOf(subject, flow), await exportSPKI(key as CryptoKey)), flow);
  },
  'HS256 with the public key as JSON': async (subject, flow) =>
    postToken(await hmac(tokenOf(subject, flow), JSON.stringify(stack.provider.key().publicJwk)), flow),
  'HS256 with the client id': async (subject, flow) => postToken(await hmac(tokenOf(subject, flow), CLIENT_ID), flow),
  "a foreign key under the provider's id": async (subject, flow) => {
    const key = await newKey(stack.provider.key().publicJwk.kid ?? '');
    return postToken(await stack.provider.sign(tokenOf(subject, flow), {}, key), flow);
  },
  'a foreign key with an unknown id': async (subject, flow) =>
    postToken(await stack.provider.sign(tokenOf(subject, flow), {}, await newKey('strange')), flow),
  'a foreign key in the header': async (subject, flow) => {
    const key = await newKey('inside');
    return postToken(await stack.provider.sign(tokenOf(subject, flow), { jwk: key.publicJwk }, key), flow);
  },
  'the address of foreign keys in the header': async (subject, flow) => {
    const header = { jku: 'https://evil.example/keys', x5u: 'https://evil.example/keys' };
    return postToken(await stack.provider.sign(tokenOf(subject, flow), header, await newKey('elsewhere')), flow);
  },
  'an unknown critical header': async (subject, flow) => {
    const signed = await stack.provider.sign(tokenOf(subject, flow));
    const header = Buffer.from(JSON.stringify({ alg: 'ES256', crit: ['exp'], exp: 1 })).toString('base64url');
    return postToken([header, ...signed.split('.').slice(1)].join('.'), flow);
  },
  'another payload under the same signature': async (subject, flow) => {
    const [header, , signature] = (await stack.provider.sign(tokenOf(subject, flow))).split('.');
    const claims = { ...tokenOf(subject, flow), [ROLE_CLAIM]: 'Administrator' };
    return postToken([header, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.'), flow);
  },
  'no signature': async (subject, flow) => {
    const [header, payload] = (await stack.provider.sign(tokenOf(subject, flow))).split('.');
    return postToken(`${header}.${payload}.`, flow);
  },
  'a text that is not a token': (_subject, flow) => postToken('not-a-token', flow),
  'sent from another site': async (subject, flow) =>
    postToken(await stack.provider.sign(tokenOf(subject, flow)), flow, { Origin: 'https://evil.example' }),
  'sent with the content type of a form': async (subject, flow) =>
    postToken(await stack.provider.sign(tokenOf(subject, flow)), flow, { 'Content-Type': 'text/plain' }),
  'used before': async (subject, flow) => {
    const token = await stack.provider.sign(tokenOf(subject, flow));
    done(await postToken(token, flow));
    return postToken(token, flow);
  },
  'used before, with another form of its signature': async (subject, flow) => {
    const token = await stack.provider.sign(tokenOf(subject, flow));
    done(await postToken(token, flow));
    return postToken(withOtherSignatureForm(token), flow);
  },
  'used three times at the same time': async (subject, flow) => {
    const token = await stack.provider.sign(tokenOf(subject, flow));
    const answers = await Promise.all([postToken(token, flow), postToken(token, flow), postToken(token, flow)]);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(2);
    return refused[0] as Answer;
  },
};

const secondsFromNow = (ahead: number) => Math.floor(Date.now() / 1_000) + ahead;
const sendForged = async (flow: Pick<Flow, 'cookie'>, claims: JWTPayload) =>
  postToken(await stack.provider.sign(claims), flow);
const without = (claims: JWTPayload, name: string): JWTPayload =>
  Object.fromEntries(Object.entries(claims).filter(([claim]) => claim !== name));
const hmac = (claims: JWTPayload, secret: string) =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256', kid: stack.provider.key().publicJwk.kid ?? '' })
    .sign(new TextEncoder().encode(secret));

const P256_ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** Returns the token with the other valid form of its ECDSA signature: (r, s) and (r, n − s) both verify. */
function withOtherSignatureForm(token: string): string {
  const [header, payload, signature] = token.split('.');
  const bytes = Buffer.from(signature ?? '', 'base64url');
  const s = P256_ORDER - BigInt(`0x${bytes.subarray(32).toString('hex')}`);
  const other = Buffer.concat([bytes.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, '0'), 'hex')]);
  return [header, payload, other.toString('base64url')].join('.');
}

describe('a sign-in with one invalid property', () => {
  const refused = new Map<string, number>();
  afterAll(() => {
    const total = Object.keys(ATTACKS).length;
    console.log(`Refused by the server: ${refused.size} of ${total} sign-ins with one invalid property`);
  });

  it('is accepted when that property is valid', async () => {
    const flow = newFlow();
    expect((await sendForged(flow, tokenOf(addProviderUser().subject, flow))).status).toBe(200);
    const other = newFlow();
    const claims = { ...tokenOf(addProviderUser().subject, other), aud: [CLIENT_ID, 'another-client'], azp: CLIENT_ID };
    expect((await sendForged(other, claims)).status).toBe(200);
  });

  it.each(Object.entries(ATTACKS))('is refused: %s', async (name, attack) => {
    const flow = newFlow();
    const answer = await attack(addProviderUser().subject, flow);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expect(answer.headers.getSetCookie()).toEqual([]);
    refused.set(name, answer.status);
  });

  it('gets an answer that does not state the reason', async () => {
    const flow = newFlow();
    const answer = await sendForged(flow, { ...tokenOf(addProviderUser().subject, flow), aud: 'another-client' });
    expect(answer).toMatchObject({
      status: 401,
      body: { error: 'The sign-in could not be verified. Please begin again.', code: 'UNAUTHENTICATED' },
    });
  });
});

describe('the provider', () => {
  it('refuses a code that was used before, and a code with the verifier of another flow', async () => {
    const { subject } = addProviderUser();
    const flow = newFlow();
    const code = (await authorize(stack.provider, stack.baseUrl, subject, flow)).get('code') ?? '';
    expect(await exchangeCode(stack.provider, stack.baseUrl, code, flow.verifier)).toMatchObject({ status: 200 });
    expect(await exchangeCode(stack.provider, stack.baseUrl, code, flow.verifier)).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    });
    const other = newFlow();
    const stolen = (await authorize(stack.provider, stack.baseUrl, subject, other)).get('code') ?? '';
    expect(await exchangeCode(stack.provider, stack.baseUrl, stolen, newFlow().verifier)).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    });
  });
});

describe('a user of the provider who must confirm an action', () => {
  const NEW_SIGN_IN = { prompt: 'login', max_age: '300' };
  let backupId: number;
  let operator: HttpClient;
  let subject: string;

  beforeAll(async () => {
    backupId = await newBackup(admin);
    await admin.eventually('/api/backups', ({ body }) =>
      body.items.some(({ id, status }: Json) => id === backupId && status === 'DONE'),
    );
    subject = addProviderUser().subject;
    const { idToken, flow } = await idTokenOf(stack.provider, stack.baseUrl, subject);
    operator = new HttpClient(stack.baseUrl, newAddress());
    const headers = { Cookie: flow.cookie };
    const { id } = done(await operator.post('/api/okta-login', { id_token: idToken }, { headers }));
    done(await admin.patch(`/api/users/${id}`, { roleId: ADMINISTRATOR_ROLE_ID }));
    await operator.eventually('/api/user', ({ body }) => body.isAdmin === true);
  });

  /** Requests the address of the backup file. The request must be confirmed. */
  const requestDownload = (proof: Json, flow?: Pick<Flow, 'cookie'>): Promise<Answer> =>
    operator.post(`/api/backups/${backupId}/download`, proof, {
      headers: { Cookie: [operator.cookie, flow?.cookie].filter(Boolean).join('; ') },
    });
  const signInAgainRefusal = (error: string) => ({ status: 422, body: { code: 'SIGN_IN_AGAIN', error } });

  it('signs in at the provider again for each action', async () => {
    const { idToken, flow } = await idTokenOf(stack.provider, stack.baseUrl, subject, NEW_SIGN_IN);
    const { url } = done(await requestDownload({ id_token: idToken }, flow));
    const headers = { Cookie: operator.cookie };
    expect((await fetch(`${stack.baseUrl}${url}`, { headers })).status).toBe(200);
    expect(await requestDownload({ id_token: idToken }, flow)).toMatchObject(
      signInAgainRefusal('Sign in at your provider again: each sign-in confirms one action'),
    );
  });

  it('is refused without a new sign-in, even with a password', async () => {
    for (const proof of [{}, { password: ADMIN_PASSWORD }]) {
      expect(await requestDownload(proof)).toMatchObject(
        signInAgainRefusal('Sign in at your provider again, then repeat this'),
      );
    }
  });

  it('needs a token from a recent sign-in by the same user in the same browser', async () => {
    const other = await idTokenOf(stack.provider, stack.baseUrl, addProviderUser().subject, NEW_SIGN_IN);
    expect(await requestDownload({ id_token: other.idToken }, other.flow)).toMatchObject(
      signInAgainRefusal('You signed in with another account. Use the account of this session.'),
    );
    const ownToken = await idTokenOf(stack.provider, stack.baseUrl, subject, NEW_SIGN_IN);
    expect(await requestDownload({ id_token: ownToken.idToken }, newFlow())).toMatchObject(
      signInAgainRefusal('The sign-in could not be verified. Please begin again.'),
    );
    const undatedFlow = newFlow();
    expect(
      await requestDownload({ id_token: await stack.provider.sign(tokenOf(subject, undatedFlow)) }, undatedFlow),
    ).toMatchObject(
      signInAgainRefusal('The sign-in provider does not report when you signed in. Ask an administrator for help.'),
    );
    const oldFlow = newFlow();
    const claims = { ...tokenOf(subject, oldFlow), auth_time: secondsFromNow(-301) };
    expect(await requestDownload({ id_token: await stack.provider.sign(claims) }, oldFlow)).toMatchObject(
      signInAgainRefusal('You signed in too long ago. Sign in at your provider again, then repeat this'),
    );
  });

  it('differs from a user with a password, who must enter the password', async () => {
    const { idToken } = await idTokenOf(stack.provider, stack.baseUrl, subject, NEW_SIGN_IN);
    for (const [proof, error] of [
      [{ id_token: idToken }, 'Enter your password'],
      [{ password: 'wrong' }, 'The password is not correct'],
    ] as const) {
      expect(await admin.post(`/api/backups/${backupId}/download`, proof)).toMatchObject({
        status: 422,
        body: { code: 'WRONG_PASSWORD', error },
      });
    }
    done(await admin.post(`/api/backups/${backupId}/download`, { password: ADMIN_PASSWORD }));
  });
});
