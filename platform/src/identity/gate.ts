/** Authenticates requests by session, API key or service secret, and checks the access that the route declares. */
import { type AccessState, isActive, Refusal } from '@rdm/contracts';
import type { Request, Response } from 'express';
import { type RouteAccess, requireRole } from '../http/route-access.ts';
import type { Queryable } from '../postgres/postgres.ts';
import type { Allowance, ApiKeyUse } from './api-key-use.ts';
import { apiKeyIn, findApiKey } from './api-keys.ts';
import { checkOrigin } from './origin.ts';
import {
  actorOf,
  cookieName,
  findPrincipal,
  isKnownSession,
  type Principal,
  readCookie,
  type SessionMemory,
  verifySession,
} from './session.ts';

export interface GateDependencies {
  db: Queryable;
  sessionSecret: string;
  serviceSecret: string;
  publicUrl: string;
  /** Left out if no route accepts API keys. */
  apiKeyUse?: ApiKeyUse;
  /** Left out if no route confirms sessions itself: then every request reads its session from the database. */
  sessions?: SessionMemory;
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Confirms a session from the session memory: throws if it has ended, or if the user must change the password. */
export async function confirm(principal: Principal | undefined, { db }: GateDependencies): Promise<void> {
  if (!principal?.unconfirmed) return;
  principal.unconfirmed = false;
  const current = await findPrincipal(db, principal.sessionId);
  if (!current) throw new Refusal('UNAUTHENTICATED', 'Sign in first');
  if (current.requirePasswordChange) throw new Refusal('PASSWORD_CHANGE_REQUIRED', 'Change your password first');
}

/** Authenticates a request, and refuses it if the route's declared access does not allow it. */
export async function authorise(
  { access, confirmsSession }: { access: RouteAccess; confirmsSession: boolean },
  req: Request,
  res: Response,
  state: AccessState,
  deps: GateDependencies,
): Promise<Principal> {
  if ('service' in access) {
    if (req.get('X-Service-Secret') !== deps.serviceSecret) throw new Refusal('NOT_FOUND', 'Not found');
    return { userId: 0, sessionId: '', requirePasswordChange: false };
  }
  const secret = 'public' in access ? undefined : apiKeyIn((name) => req.get(name));
  // A page of another site can make a browser send a cookie, but not an API key. So a request with a key needs no check
  // of its origin.
  if (!SAFE_METHODS.has(req.method) && secret === undefined) checkOrigin(req, deps.publicUrl);
  if ('public' in access) return { userId: 0, sessionId: '', requirePasswordChange: false };

  const principal =
    secret === undefined
      ? await authenticateSession(req, state, deps, confirmsSession)
      : await authenticateKey(secret, res, deps);
  if (principal.requirePasswordChange && !('person' in access && access.beforePasswordChange)) {
    throw new Refusal('PASSWORD_CHANGE_REQUIRED', 'Change your password first');
  }
  if ('person' in access && principal.apiKey) {
    throw new Refusal('FORBIDDEN', 'This is for people who signed in, not for API keys');
  }
  requireRole(access, state, actorOf(principal));
  return principal;
}

async function authenticateSession(
  req: Request,
  state: AccessState,
  { publicUrl, sessionSecret, db, sessions }: GateDependencies,
  mayUseMemory: boolean,
): Promise<Principal> {
  const token = readCookie(req.get('Cookie'), cookieName(publicUrl));
  let principal = token && mayUseMemory ? sessions?.principal(token) : undefined;
  if (token && !principal) {
    const sessionId = verifySession(token, sessionSecret);
    principal = sessionId ? await findPrincipal(db, sessionId) : undefined;
    if (sessionId && !principal && !(await isKnownSession(db, sessionId))) {
      throw new Refusal(
        'SESSION_UNKNOWN',
        'This session is unknown, for example because a backup was restored. Sign in again.',
      );
    }
    if (principal) sessions?.remember(token, principal);
  }
  if (!principal || !isActive(state, principal.userId)) throw new Refusal('UNAUTHENTICATED', 'Sign in first');
  return principal;
}

async function authenticateKey(secret: string, res: Response, deps: GateDependencies): Promise<Principal> {
  const apiKey = deps.apiKeyUse && (await findApiKey(deps.db, secret));
  if (!deps.apiKeyUse || !apiKey) throw new Refusal('UNAUTHENTICATED', 'This API key is unknown, revoked or expired');
  requireAllowance(await deps.apiKeyUse.take(apiKey.apiKeyId), res);
  return { userId: -apiKey.apiKeyId, sessionId: '', requirePasswordChange: false, apiKey };
}

/** Sets the rate limit headers. Refuses a request above the limit, with Retry-After. */
function requireAllowance({ limit, remaining, resetSeconds, retryAfter }: Allowance, res: Response): void {
  res.setHeader('X-RateLimit-Limit', limit);
  res.setHeader('X-RateLimit-Remaining', remaining);
  res.setHeader('X-RateLimit-Reset', resetSeconds);
  if (retryAfter === 0) return;
  throw new Refusal('TOO_MANY_REQUESTS', `This API key may send ${limit} requests a minute`, undefined, retryAfter);
}
