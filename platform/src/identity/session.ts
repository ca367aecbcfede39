/** Sessions: a cookie with a signed token that names a session row of the vault. */
import { createSecretKey, type KeyObject } from 'node:crypto';
import { type Actor, type ApiKeyActor, SESSION_TIMEOUT_MINUTES } from '@rdm/contracts';
import jsonwebtoken from 'jsonwebtoken';
import type { Queryable } from '../postgres/postgres.ts';

/** The user or API key of a request. */
export interface Principal {
  /** For an API key the negative of its id: it has no user's grants, and its own uploads and selections. */
  userId: number;
  /** Empty for an API key. */
  sessionId: string;
  apiKey?: ApiKeyActor;
  /** Until the password is changed, only the requests that change it are answered. */
  requirePasswordChange: boolean;
  /** Remembered from an earlier request: the session is confirmed in the snapshot of the answer, or before it is sent. */
  unconfirmed?: boolean;
}

/** The actor for checks of levels, abilities and routes. */
export const actorOf = (principal: Pick<Principal, 'userId' | 'apiKey'>): Actor => principal.apiKey ?? principal.userId;

/** `__Host-` with TLS: a neighbouring host cannot set such a cookie. */
export const cookieName = (publicUrl: string): string =>
  publicUrl.startsWith('https:') ? '__Host-session' : 'session';

/** Given as a text, it would be tried as a public key first for every token. */
const keys = new Map<string, KeyObject>();
function keyOf(secret: string): KeyObject {
  const key = keys.get(secret) ?? createSecretKey(secret, 'utf8');
  keys.set(secret, key);
  return key;
}

/** Signs a token for a session; it contains nothing but the id of the row. */
export const signSession = (sessionId: string, secret: string, hours: number): string =>
  jsonwebtoken.sign({ sid: sessionId }, keyOf(secret), { algorithm: 'HS256', expiresIn: Math.ceil(hours * 3_600) });

/** The session of a token; undefined if the signature is not the product's, or the token is too old. */
export function verifySession(token: string, secret: string): string | undefined {
  try {
    const payload = jsonwebtoken.verify(token, keyOf(secret), { algorithms: ['HS256'] });
    return typeof payload === 'object' && typeof payload['sid'] === 'string' ? payload['sid'] : undefined;
  } catch {
    return undefined; // A forged or expired token is no session: the caller answers 401.
  }
}

/** Condition on `identity.sessions s`: not ended, not idle for too long, and not too old. */
export const SESSION_LIVES = `s.ended_at IS NULL
  AND s.last_active_at > now() - interval '${SESSION_TIMEOUT_MINUTES} minutes'
  AND s.expires_at > now()`;

/** How many sessions are remembered, and for how long after their last confirmation. */
const REMEMBERED_SESSIONS = 10_000;
const REMEMBERED_MS = 60_000;

/**
 * Remembers the users of recently valid tokens. It authorises nothing by itself: each session is confirmed together with what
 * is read (docs/decisions/0023), so that an ended session is refused at once.
 */
export interface SessionMemory {
  principal(token: string): Principal | undefined;
  remember(token: string, principal: Principal): void;
}

export function openSessionMemory(now: () => number = Date.now): SessionMemory {
  const known = new Map<string, { principal: Principal; until: number }>();
  return {
    principal(token) {
      const found = known.get(token);
      if (found && found.until > now()) return { ...found.principal, unconfirmed: true };
      known.delete(token);
      return undefined;
    },
    remember(token, principal) {
      if (principal.requirePasswordChange) return;
      known.delete(token);
      known.set(token, { principal, until: now() + REMEMBERED_MS });
      const [oldest] = known.keys();
      if (known.size > REMEMBERED_SESSIONS && oldest !== undefined) known.delete(oldest);
    },
  };
}

const FIND_SESSION = {
  name: 'find-session',
  text: `SELECT s.user_id, u.require_password_change
           FROM identity.sessions s JOIN identity.users u ON u.id = s.user_id
          WHERE s.id = $1 AND ${SESSION_LIVES}`,
};

/** The principal of a live session; undefined if it has ended, was idle for too long, or is too old. */
export async function findPrincipal(db: Queryable, sessionId: string): Promise<Principal | undefined> {
  const { rows } = await db.query({ ...FIND_SESSION, values: [sessionId] });
  const row = rows[0] as { user_id: number; require_password_change: boolean } | undefined;
  return row && { userId: row.user_id, sessionId, requirePasswordChange: row.require_password_change };
}

/**
 * Whether the database has the session, also an ended one. Rows are kept for longer than tokens are valid: a valid token of
 * an unknown session was issued before a restore replaced the database, or its user was erased.
 */
export async function isKnownSession(db: Queryable, sessionId: string): Promise<boolean> {
  const { rowCount } = await db.query('SELECT FROM identity.sessions WHERE id = $1', [sessionId]);
  return rowCount === 1;
}

/** Returns the value of one cookie of a Cookie header. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const part of header?.split(';') ?? []) {
    const equals = part.indexOf('=');
    if (part.slice(0, equals).trim() === name) return decoded(part.slice(equals + 1).trim());
  }
  return undefined;
}

function decoded(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined; // Not set by the product: no session.
  }
}
