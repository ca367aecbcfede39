/** Who asks, outside of declared routes: when a socket is opened, and again while a stream or a download lasts. */
import type { IncomingHttpHeaders } from 'node:http';
import { isActive } from '@rdm/contracts';
import {
  actorOf,
  apiKeyIn,
  cookieName,
  findApiKey,
  findPrincipal,
  type Principal,
  readCookie,
  verifySession,
} from '@rdm/platform';
import type { Floor } from './floor.ts';

/** The principal of a request's cookie or key, if it may be answered as things stand now. */
export async function whoAsks(
  headers: IncomingHttpHeaders,
  { pool, access, settings }: Pick<Floor, 'pool' | 'access' | 'settings'>,
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
