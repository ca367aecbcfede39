/** Signing in through the configured OpenID Connect provider: an id_token of this very browser opens a session (specification §4 and §7). */
import { randomUUID } from 'node:crypto';
import { type ProductEvent, Refusal, SsoLogin, type SsoProvider, streams } from '@rdm/contracts';
import { SSO_COOKIE } from '@rdm/contracts/identity/single-sign-on';
import {
  type Access,
  type ApiRequest,
  type Log,
  type Pool,
  type Route,
  readCookie,
  route,
  transaction,
} from '@rdm/platform';
import type { Commands } from '../../runtime/commands.ts';
import { outboxFact, putInOutbox } from '../../runtime/outbox.ts';
import type { Person } from '../users/users-vault.ts';
import { openSession } from '../vault.ts';
import { type Cookies, currentUser, giveSession } from './session-response.ts';
import { record } from './sign-in.ts';
import { type IdToken, openTokens, UnverifiedToken } from './sso-tokens.ts';
import { type Described, described, linkedUser, linkIdentity, refreshProfile, roleNamed } from './sso-users.ts';
import { FAILURES_FROM_ADDRESS, giveBackTurn, lineOf, requireTurn } from './throttle.ts';

export interface SsoDependencies {
  /** Without one there is no such route. */
  provider: SsoProvider | undefined;
  /** The claim that names the role of people who come first. */
  roleClaim: string | undefined;
  commands: Commands;
  pool: Pool;
  access: Access;
  cookies: Cookies;
  log: Log;
}

type Asking = Pick<ApiRequest, 'requestId' | 'correlationId' | 'sourceType' | 'ipAddress' | 'userAgent'>;

const NOT_VERIFIED = 'The sign-in could not be verified. Please begin again.';
const DEACTIVATED = 'Your account is deactivated. Ask an administrator for help.';

export function ssoRoutes(deps: SsoDependencies): Route[] {
  const { provider, commands, pool, access, cookies, log } = deps;
  if (provider === undefined) return [];
  commands.register([linkIdentity]);
  const tokens = openTokens(provider);

  async function verified(request: ApiRequest<{ id_token: string }>): Promise<IdToken> {
    try {
      return await tokens.verify(request.body.id_token, codeVerifierOf(request));
    } catch (error) {
      if (!(error instanceof UnverifiedToken)) throw error;
      log.warn({ requestId: request.requestId, why: error.message }, 'An id_token was refused');
      await record(pool, provider?.name ?? '', request, null, false);
      throw new Refusal('UNAUTHENTICATED', NOT_VERIFIED);
    }
  }

  return [
    route('post', `/api/${provider.name}-login`, { public: true }, { body: SsoLogin }, async (request) => {
      const line = lineOf(request.ipAddress);
      await requireTurn(pool, cookies.sessionSecret, FAILURES_FROM_ADDRESS, line);
      const token = await verified(request);
      const person = described(provider.name, token.subject, token.claims);
      const userId = (await linkedUser(pool, person)) ?? 0;
      if (!request.access.users.has(userId)) {
        const roleId = roleNamed(request.access, deps.roleClaim && token.claims[deps.roleClaim]);
        const { requestId, correlationId, sourceType } = request;
        const by = { actorId: null, requestId, correlationId, sourceType };
        await commands.runAs(linkIdentity, `sso:${randomUUID()}`, { person, roleId }, by);
      }
      const opened = await admit(deps, person, token, request);
      await giveBackTurn(pool, cookies.sessionSecret, FAILURES_FROM_ADDRESS, line);
      giveSession(request, cookies, opened.sessionId);
      return { body: await currentUser(pool, await access.current(), opened.userId) };
    }),
  ];
}

/** The verifier that the sending browser keeps: `<code verifier>.<state>`. */
const codeVerifierOf = (request: Pick<ApiRequest, 'raw'>): string | undefined =>
  readCookie(request.raw.get('Cookie'), SSO_COOKIE)?.split('.')[0] || undefined;

/** Opens a session with a token that was not used before, for somebody who is active; the profile becomes what it says. */
async function admit(
  { pool, access, cookies }: Pick<SsoDependencies, 'pool' | 'access' | 'cookies'>,
  person: Described,
  token: IdToken,
  asking: Asking,
): Promise<{ userId: number; sessionId: string }> {
  const outcome = await transaction(pool, async (client) => {
    await client.query('DELETE FROM identity.used_id_tokens WHERE expires_at < now()');
    const used = await client.query(
      'INSERT INTO identity.used_id_tokens (hash, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      [token.useHash, token.expiresAt],
    );
    const { rows } = await client.query<Person>(
      'SELECT * FROM identity.users WHERE auth_provider = $1 AND okta_id = $2 FOR UPDATE',
      [person.provider, person.subject],
    );
    const held = rows[0];
    // Asked while the person is held: whoever is deactivated meanwhile is so before, or loses this session too.
    const active = held !== undefined && (await access.current()).users.get(held.id)?.active === true;
    const admitted = used.rowCount === 1 && active;
    await record(client, held?.username ?? person.provider, asking, held?.id ?? null, admitted);
    if (used.rowCount !== 1) return { refused: NOT_VERIFIED };
    if (!active) return { refused: DEACTIVATED };
    const fields = await refreshProfile(client, held, person);
    if (fields.length > 0) {
      const event: ProductEvent = { type: 'ProfileChanged', data: { userId: held.id, fields } };
      const { requestId, correlationId, sourceType } = asking;
      const meta = { commandId: randomUUID(), actorId: held.id, requestId, correlationId, sourceType };
      await putInOutbox(client, outboxFact(meta, streams.user(held.id), event, new Date()));
    }
    await client.query('UPDATE identity.users SET last_login_at = now() WHERE id = $1', [held.id]);
    return { admitted: { userId: held.id, sessionId: await openSession(client, held.id, cookies.sessionHours) } };
  });
  if (outcome.admitted) return outcome.admitted;
  throw new Refusal('UNAUTHENTICATED', outcome.refused);
}
