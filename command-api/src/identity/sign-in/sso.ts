/**
 * Signs users in through the configured OpenID Connect provider, with an id_token requested by the same browser
 * (specification §4 and §7).
 */
import { randomUUID } from 'node:crypto';
import { CurrentUser, type ProductEvent, Refusal, SsoLogin, type SsoProvider, streams } from '@rdm/contracts';
import { SSO_COOKIE } from '@rdm/contracts/identity/single-sign-on';
import {
  type Access,
  type ApiRequest,
  type Log,
  type Pool,
  type Queryable,
  type Route,
  readCookie,
  route,
  transaction,
} from '@rdm/platform';
import type { Commands } from '../../runtime/commands.ts';
import { outboxFact, putInOutbox } from '../../runtime/outbox.ts';
import type { UserRow } from '../users/users-vault.ts';
import { openSession } from '../vault.ts';
import { type Cookies, currentUser, setSessionCookie } from './session-response.ts';
import { recordAttempt } from './sign-in.ts';
import { type IdToken, type TokenVerifier, UnverifiedToken } from './sso-tokens.ts';
import {
  findLinkedUser,
  linkIdentity,
  type ProviderProfile,
  profileFromClaims,
  refreshProfile,
  roleFromClaim,
} from './sso-users.ts';
import { FAILURES_FROM_ADDRESS, networkOf, refundHit, requireWithinLimit } from './throttle.ts';

export interface SsoDependencies {
  /** Undefined if no provider is configured. */
  sso: { provider: SsoProvider; tokens: TokenVerifier } | undefined;
  /** The claim that names the role of new users. */
  roleClaim: string | undefined;
  commands: Commands;
  pool: Pool;
  access: Access;
  cookies: Cookies;
  log: Log;
}

type RequestContext = Pick<ApiRequest, 'requestId' | 'correlationId' | 'sourceType' | 'ipAddress' | 'userAgent'>;

const NOT_VERIFIED = 'The sign-in could not be verified. Please begin again.';
const DEACTIVATED = 'Your account is deactivated. Ask an administrator for help.';

export function ssoRoutes(deps: SsoDependencies): Route[] {
  const { sso, commands, pool, access, cookies, log } = deps;
  if (sso === undefined) return [];
  const { provider, tokens } = sso;
  commands.register([linkIdentity]);

  async function verifyToken(request: ApiRequest<{ id_token: string }>): Promise<IdToken> {
    try {
      return await tokens.verify(request.body.id_token, codeVerifierOf(request));
    } catch (error) {
      if (!(error instanceof UnverifiedToken)) throw error;
      log.warn({ requestId: request.requestId, why: error.message }, 'An id_token was refused');
      await recordAttempt(pool, provider.name, request, null, false);
      throw new Refusal('UNAUTHENTICATED', NOT_VERIFIED);
    }
  }

  return [
    route(
      'post',
      `/api/${provider.name}-login`,
      { public: true },
      {
        summary: 'Sign in with a token of the provider',
        answers: { 200: CurrentUser },
        errors: ['UNAUTHENTICATED', 'FORBIDDEN', 'LOCKED_OUT', 'NAME_TAKEN', 'NOT_FOUND'],
        example: { body: { id_token: 'the-token-of-the-provider' } },
        body: SsoLogin,
      },
      async (request) => {
        const network = networkOf(request.ipAddress);
        await requireWithinLimit(pool, cookies.sessionSecret, FAILURES_FROM_ADDRESS, network);
        const token = await verifyToken(request);
        const person = profileFromClaims(provider.name, token.subject, token.claims);
        const userId = (await findLinkedUser(pool, person)) ?? 0;
        if (!request.access.users.has(userId)) {
          const roleId = roleFromClaim(request.access, deps.roleClaim && token.claims[deps.roleClaim]);
          const { requestId, correlationId, sourceType } = request;
          const by = { actorId: null, requestId, correlationId, sourceType };
          await commands.runAs(linkIdentity, `sso:${randomUUID()}`, { person, roleId }, by);
        }
        const session = await admit(deps, person, token, request);
        await refundHit(pool, cookies.sessionSecret, FAILURES_FROM_ADDRESS, network);
        setSessionCookie(request, cookies, session.sessionId);
        return { body: await currentUser(pool, await access.current(), session.userId) };
      },
    ),
  ];
}

/** Returns the code verifier from the cookie `<code verifier>.<state>`; undefined if there is none. */
export const codeVerifierOf = (request: Pick<ApiRequest, 'raw'>): string | undefined =>
  readCookie(request.raw.get('Cookie'), SSO_COOKIE)?.split('.')[0] || undefined;

/** Marks a token as used; returns whether this is its first use. */
export async function takeToken(db: Queryable, { useHash, expiresAt }: IdToken): Promise<boolean> {
  await db.query('DELETE FROM identity.used_id_tokens WHERE expires_at < now()');
  const { rowCount } = await db.query(
    'INSERT INTO identity.used_id_tokens (hash, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING',
    [useHash, expiresAt],
  );
  return rowCount === 1;
}

/** Opens a session and updates the profile. Refuses a used token and a user who is not active. */
async function admit(
  { pool, access, cookies }: Pick<SsoDependencies, 'pool' | 'access' | 'cookies'>,
  person: ProviderProfile,
  token: IdToken,
  context: RequestContext,
): Promise<{ userId: number; sessionId: string }> {
  const outcome = await transaction(pool, async (client) => {
    const isUnused = await takeToken(client, token);
    const { rows } = await client.query<UserRow>(
      'SELECT * FROM identity.users WHERE auth_provider = $1 AND okta_id = $2 FOR UPDATE',
      [person.provider, person.subject],
    );
    const current = rows[0];
    // Check while the user's row is locked: a concurrent deactivation either comes first or also ends this session.
    const active = current !== undefined && (await access.current()).users.get(current.id)?.active === true;
    const isAdmitted = isUnused && active;
    await recordAttempt(client, current?.username ?? person.provider, context, current?.id ?? null, isAdmitted);
    if (!isUnused) return { refused: NOT_VERIFIED };
    if (!active) return { refused: DEACTIVATED };
    const fields = await refreshProfile(client, current, person);
    if (fields.length > 0) {
      const event: ProductEvent = { type: 'ProfileChanged', data: { userId: current.id, fields } };
      const { requestId, correlationId, sourceType } = context;
      const meta = { commandId: randomUUID(), actorId: current.id, requestId, correlationId, sourceType };
      await putInOutbox(client, outboxFact(meta, streams.user(current.id), event, new Date()));
    }
    await client.query('UPDATE identity.users SET last_login_at = now() WHERE id = $1', [current.id]);
    return { admitted: { userId: current.id, sessionId: await openSession(client, current.id, cookies.sessionHours) } };
  });
  if (outcome.admitted) return outcome.admitted;
  throw new Refusal('UNAUTHENTICATED', outcome.refused);
}
