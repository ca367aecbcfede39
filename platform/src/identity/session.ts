/** Who is asking: a cookie with a signed token that names a session row of the vault. */
import { createSecretKey, type KeyObject } from 'node:crypto';
import { type Actor, type ApiKeyActor, SESSION_TIMEOUT_MINUTES } from '@rdm/contracts';
import jsonwebtoken from 'jsonwebtoken';
import type { Queryable } from '../postgres/postgres.ts';

/** Who a request acts for. */
export interface Principal {
  /** Of a key, the negative of its id: nobody's grants, and its own uploads and selections. */
  userId: number;
  /** Empty for a key. */
  sessionId: string;
  apiKey?: ApiKeyActor;
  /** Until the password is changed, only the calls that change it are answered. */
  requirePasswordChange: boolean;
  /** Known from a request before: the session is asked for again in the snapshot of the answer, or before it is sent. */
  unconfirmed?: boolean;
}

/** Who is asked for when levels, abilities and routes are. */
export const actorOf = (principal: Pick<Principal, 'userId' | 'apiKey'>): Actor => principal.apiKey ?? principal.userId;

/** `__Host-` where TLS serves: such a cookie cannot be set by a neighbour. */
export const cookieName = (publicUrl: string): string =>
  publicUrl.startsWith('https:') ? '__Host-session' : 'session';

/** As a text it would be tried as a public key first, with every token. */
const keys = new Map<string, KeyObject>();
function keyOf(secret: string): KeyObject {
  const key = keys.get(secret) ?? createSecretKey(secret, 'utf8');
  keys.set(secret, key);
  return key;
}

/** Signs a token for a session; it says nothing but which row to look at. */
export const signSession = (sessionId: string, secret: string, hours: number): string =>
  jsonwebtoken.sign({ sid: sessionId }, keyOf(secret), { algorithm: 'HS256', expiresIn: Math.ceil(hours * 3_600) });

/** The session a token names, or undefined when it is not ours, or too old. */
export function verifySession(token: string, secret: string): string | undefined {
  try {
    const payload = jsonwebtoken.verify(token, keyOf(secret), { algorithms: ['HS256'] });
    return typeof payload === 'object' && typeof payload['sid'] === 'string' ? payload['sid'] : undefined;
  } catch {
    return undefined; // A forged or expired token is no session: the caller answers 401.
  }
}

/** Condition on `identity.sessions s`: it neither ended nor idled out nor grew too old. */
export const SESSION_LIVES = `s.ended_at IS NULL
  AND s.last_active_at > now() - interval '${SESSION_TIMEOUT_MINUTES} minutes'
  AND s.expires_at > now()`;

/** So many sessions are remembered, each for so long since it was last asked for by itself. */
const REMEMBERED_SESSIONS = 10_000;
const REMEMBERED_MS = 60_000;

/**
 * Whose the tokens are that were good a moment ago. It answers for nothing: a session that it names is asked for again
 * together with what is read (docs/decisions/0023), so that one that ended is refused at once.
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

/** The principal of a live session; undefined when it ended, idled out or grew too old. */
export async function findPrincipal(db: Queryable, sessionId: string): Promise<Principal | undefined> {
  const { rows } = await db.query({ ...FIND_SESSION, values: [sessionId] });
  const row = rows[0] as { user_id: number; require_password_change: boolean } | undefined;
  return row && { userId: row.user_id, sessionId, requirePasswordChange: row.require_password_change };
}

/** Reads one cookie out of a Cookie header. */
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
    return undefined; // Nothing that we set: no cookie of ours.
  }
}
