/** Signs and verifies the tokens in session cookies, and reads sessions from the vault. */
import { createSecretKey, type KeyObject } from 'node:crypto';
import { type Actor, type ApiKeyActor, SESSION_TIMEOUT_MINUTES } from '@rdm/contracts';
import jsonwebtoken from 'jsonwebtoken';
import type { Queryable } from '../postgres/postgres.ts';

/** The user or API key of a request. */
export interface Principal {
  /**
   * The id of the user. For an API key it is the negated id of the key, so that each key owns its uploads and
   * selections. It is 0 on public routes and routes for services.
   */
  userId: number;
  /** The id of the session; empty without a session. */
  sessionId: string;
  apiKey?: ApiKeyActor;
  /** Whether the user must change the password; until then, only routes with `beforePasswordChange` may be called. */
  requirePasswordChange: boolean;
  /** Set if the session comes from memory. The database must confirm the session before the answer is sent. */
  unconfirmed?: boolean;
}

/** The actor for checks of levels, abilities and routes. */
export const actorOf = (principal: Pick<Principal, 'userId' | 'apiKey'>): Actor => principal.apiKey ?? principal.userId;

/**
 * The name of the session cookie. With TLS it has the prefix `__Host-`, so that no other host of the domain can set the
 * cookie.
 */
export const cookieName = (publicUrl: string): string =>
  publicUrl.startsWith('https:') ? '__Host-session' : 'session';

/** Key objects by secret. `jsonwebtoken` would try to parse a secret text as a public key for every token. */
const keys = new Map<string, KeyObject>();
function keyOf(secret: string): KeyObject {
  const key = keys.get(secret) ?? createSecretKey(secret, 'utf8');
  keys.set(secret, key);
  return key;
}

/** Signs a token with the id of a session; it is valid for `hours`. */
export const signSession = (sessionId: string, secret: string, hours: number): string =>
  jsonwebtoken.sign({ sid: sessionId }, keyOf(secret), { algorithm: 'HS256', expiresIn: Math.ceil(hours * 3_600) });

/** Returns the session id of a token; undefined for a forged or expired token. */
export function verifySession(token: string, secret: string): string | undefined {
  try {
    const payload = jsonwebtoken.verify(token, keyOf(secret), { algorithms: ['HS256'] });
    return typeof payload === 'object' && typeof payload['sid'] === 'string' ? payload['sid'] : undefined;
  } catch {
    return undefined;
  }
}

/** SQL condition on `identity.sessions s`: the session has not ended, was not idle for too long, and is not too old. */
export const SESSION_LIVES = `s.ended_at IS NULL
  AND s.last_active_at > now() - interval '${SESSION_TIMEOUT_MINUTES} minutes'
  AND s.expires_at > now()`;

/** The limits of the session memory: the number of sessions, and their age since the read from the database. */
const REMEMBERED_SESSIONS = 10_000;
const REMEMBERED_MS = 60_000;

/**
 * Remembers the principals of recent tokens. The database still confirms each session, so that an ended session is
 * refused at once (docs/decisions/0023).
 */
export interface SessionMemory {
  principal(token: string): Principal | undefined;
  remember(token: string, principal: Principal): void;
}

export function openSessionMemory(now: () => number = Date.now): SessionMemory {
  const remembered = new Map<string, { principal: Principal; until: number }>();
  return {
    principal(token) {
      const entry = remembered.get(token);
      if (entry && entry.until > now()) return { ...entry.principal, unconfirmed: true };
      remembered.delete(token);
      return undefined;
    },
    remember(token, principal) {
      if (principal.requirePasswordChange) return;
      remembered.delete(token);
      remembered.set(token, { principal, until: now() + REMEMBERED_MS });
      const [oldest] = remembered.keys();
      if (remembered.size > REMEMBERED_SESSIONS && oldest !== undefined) remembered.delete(oldest);
    },
  };
}

const FIND_SESSION = {
  name: 'find-session',
  text: `SELECT s.user_id, u.require_password_change
           FROM identity.sessions s JOIN identity.users u ON u.id = s.user_id
          WHERE s.id = $1 AND ${SESSION_LIVES}`,
};

/** Returns the principal of a session; undefined for a session that is no longer valid. */
export async function findPrincipal(db: Queryable, sessionId: string): Promise<Principal | undefined> {
  const { rows } = await db.query({ ...FIND_SESSION, values: [sessionId] });
  const row = rows[0] as { user_id: number; require_password_change: boolean } | undefined;
  return row && { userId: row.user_id, sessionId, requirePasswordChange: row.require_password_change };
}

/**
 * Whether the database has the row of a session, valid or ended. Rows outlive tokens: a valid token without a row means
 * that a restore replaced the database or that the user was erased.
 */
export async function isKnownSession(db: Queryable, sessionId: string): Promise<boolean> {
  const { rowCount } = await db.query('SELECT FROM identity.sessions WHERE id = $1', [sessionId]);
  return rowCount === 1;
}

/** Returns the value of one cookie of a Cookie header. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const part of header?.split(';') ?? []) {
    const equals = part.indexOf('=');
    if (part.slice(0, equals).trim() === name) return decodeCookieValue(part.slice(equals + 1).trim());
  }
  return undefined;
}

function decodeCookieValue(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined; // The product did not set this cookie, so it is ignored.
  }
}
