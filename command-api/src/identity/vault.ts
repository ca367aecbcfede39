/**
 * Reads and writes users, sessions and the origins of requests in the vault. These data never enter an event. While the
 * product runs, only command-api writes these data.
 */
import { randomUUID } from 'node:crypto';
import { type CreateUser, HEARTBEAT_INTERVAL_MS, Refusal } from '@rdm/contracts';
import type { Client, Queryable } from '@rdm/platform';
import { hashPassword } from './passwords/hashing.ts';
import { requireDistinct } from './users/look-alikes.ts';

export interface VaultUser {
  id: number;
  username: string;
  email: string;
  password_hash: string | null;
  display_name: string | null;
  auth_provider: string;
  /** The subject at the sign-in provider. */
  okta_id: string | null;
  require_password_change: boolean;
  failed_login_attempts: number;
  lockouts: number;
  locked_until: Date | null;
}

/** Reads a user's row and locks it for the transaction; returns undefined if the id is null or no user has it. */
export async function lockUser(client: Client, id: number | null): Promise<VaultUser | undefined> {
  const { rows } = await client.query<VaultUser>('SELECT * FROM identity.users WHERE id = $1 FOR UPDATE', [id]);
  return rows[0];
}

/** Returns the first and last name as one text; null if both are missing. */
const fullName = ({ firstName, lastName }: CreateUser): string | null =>
  [firstName, lastName].filter((name) => name !== undefined).join(' ') || null;

/**
 * Stores a user under an id. If the id is already stored, only marks its row as in use. Throws NAME_TAKEN if the name
 * or the e-mail address is taken, or if the name looks like a taken or reserved one. The insert ignores conflicts,
 * because a unique violation would write personal data into the database's log.
 */
export async function storeUser(db: Queryable, id: number, user: CreateUser): Promise<void> {
  await requireDistinct(db, id, user.username);
  const stored = await db.query(
    `INSERT INTO identity.users (id, username, email, password_hash, first_name, last_name, phone_number,
                                 display_name, department, job_title, require_password_change)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING`,
    [
      id,
      user.username,
      user.email,
      user.password === undefined ? null : await hashPassword(user.password),
      user.firstName ?? null,
      user.lastName ?? null,
      user.phoneNumber ?? null,
      user.displayName ?? fullName(user),
      user.department ?? null,
      user.jobTitle ?? null,
      user.requirePasswordChange,
    ],
  );
  if (stored.rowCount === 1) return;
  const { rows } = await db.query<{ id: number; named: boolean }>(
    `SELECT id, lower(username) = lower($2) AS named FROM identity.users
      WHERE id = $1 OR (erased_at IS NULL AND (lower(username) = lower($2) OR lower(email) = lower($3)))`,
    [id, user.username, user.email],
  );
  if (rows.some((row) => row.id === id)) {
    // Mark the row as in use, so that retention does not delete an interrupted registration that resumes.
    await db.query('UPDATE identity.users SET updated_at = now() WHERE id = $1', [id]);
    return;
  }
  const takenName = rows.some((row) => row.named) ? 'username' : 'e-mail address';
  throw new Refusal('NAME_TAKEN', `This ${takenName} is taken`);
}

/** Deletes a user whose row was stored but whose registration is not in the log. */
export async function deleteUnregisteredUser(db: Queryable, id: number): Promise<void> {
  await db.query('DELETE FROM identity.users WHERE id = $1', [id]);
}

export interface Caller {
  ipAddress: string;
  userAgent: string;
}

/** Opens a session that expires after `hours`; returns its id. */
export async function openSession(db: Queryable, userId: number, hours: number): Promise<string> {
  const sessionId = randomUUID();
  await db.query(
    `INSERT INTO identity.sessions (id, user_id, expires_at) VALUES ($1, $2, now() + $3 * interval '1 hour')`,
    [sessionId, userId, hours],
  );
  return sessionId;
}

export async function endSession(db: Queryable, sessionId: string): Promise<void> {
  await db.query('UPDATE identity.sessions SET ended_at = now() WHERE id = $1 AND ended_at IS NULL', [sessionId]);
}

/**
 * Ends the user's sessions except `except`; returns their number. The next request of an ended session fails, because
 * every request checks its session row.
 */
export async function endSessions(db: Queryable, userId: number, except?: string): Promise<number> {
  const { rowCount } = await db.query(
    'UPDATE identity.sessions SET ended_at = now() WHERE user_id = $1 AND id IS DISTINCT FROM $2 AND ended_at IS NULL',
    [userId, except ?? null],
  );
  return rowCount ?? 0;
}

/** Records activity in a session, at most once per half heartbeat interval. */
export async function recordActivity(db: Queryable, sessionId: string): Promise<void> {
  await db.query(
    `UPDATE identity.sessions SET last_active_at = now()
      WHERE id = $1 AND ended_at IS NULL AND last_active_at < now() - interval '${HEARTBEAT_INTERVAL_MS / 2} milliseconds'`,
    [sessionId],
  );
}

/**
 * Stores the address and user agent of a request in the vault and not in events, so that they can be deleted before the
 * events. The row has the user id, so that an erasure of the user finds the row.
 */
export async function storeRequestContext(
  db: Queryable,
  requestId: string,
  caller: Caller,
  userId: number | null,
): Promise<void> {
  await db.query(
    `INSERT INTO identity.request_contexts (request_id, ip_address, user_agent, user_id) VALUES ($1, $2, $3, $4)
     ON CONFLICT (request_id) DO NOTHING`,
    [requestId, caller.ipAddress, caller.userAgent, userId],
  );
}
