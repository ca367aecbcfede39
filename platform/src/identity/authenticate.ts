/** Authenticates the caller of a new socket, and repeatedly the caller of an open stream, download or upload. */
import type { IncomingHttpHeaders } from 'node:http';
import { isActive } from '@rdm/contracts';
import type { Settings } from '../config.ts';
import type { Queryable } from '../postgres/postgres.ts';
import type { Access } from './access.ts';
import { apiKeyIn, findApiKey } from './api-keys.ts';
import { actorOf, cookieName, findPrincipal, type Principal, readCookie, verifySession } from './session.ts';

/** The dependencies of authentication: the stores of sessions, keys and accounts. */
export interface AuthenticationContext {
  pool: Queryable;
  access: Pick<Access, 'snapshot'>;
  settings: Pick<Settings, 'PUBLIC_URL' | 'SESSION_SECRET'>;
}

/**
 * Returns the principal of the cookie or API key of a request; undefined if the session or key is not valid now, the
 * account is not active, or its password must be changed first.
 */
export async function authenticate(
  headers: IncomingHttpHeaders,
  { pool, access, settings }: AuthenticationContext,
): Promise<Principal | undefined> {
  const secret = apiKeyIn((name) => headers[name.toLowerCase()]?.toString());
  const principal = secret === undefined ? await person() : await key(secret);
  if (!principal || principal.requirePasswordChange) return undefined;
  return isActive(access.snapshot(), actorOf(principal)) ? principal : undefined;

  async function person(): Promise<Principal | undefined> {
    const token = readCookie(headers.cookie, cookieName(settings.PUBLIC_URL));
    const sessionId = token && verifySession(token, settings.SESSION_SECRET);
    return sessionId ? findPrincipal(pool, sessionId) : undefined;
  }

  async function key(presented: string): Promise<Principal | undefined> {
    const apiKey = await findApiKey(pool, presented);
    return apiKey && { userId: -apiKey.apiKeyId, sessionId: '', requirePasswordChange: false, apiKey };
  }
}
