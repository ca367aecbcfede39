/** The vault: credentials, profiles and sessions — what never enters an event. Written by the command side alone. */
import { randomUUID } from 'node:crypto';
import { type CreateUser, PASSWORD_HISTORY_LENGTH, Refusal } from '@rdm/contracts';
import { type Client, type Pool, type Queryable, transaction } from '@rdm/platform';
import { hashPassword, passwordFits } from './passwords.ts';

export interface VaultUser {
  id: number;
  username: string;
  email: string;
  password_hash: string | null;
  display_name: string | null;
  auth_provider: string;
  require_password_change: boolean;
  failed_login_attempts: number;
  lockouts: number;
  locked_until: Date | null;
}

const LOCK_AFTER_FAILURES = 5;
const LOCK_MINUTES = 15;
const LOCK_MINUTES_MAX = 24 * 60;

/** Finds by username or e-mail. */
export async function findUser(db: Queryable, usernameOrEmail: string): Promise<VaultUser | undefined> {
  const { rows } = await db.query<VaultUser>(
    'SELECT * FROM identity.users WHERE lower(username) = lower($1) OR lower(email) = lower($1) ORDER BY (lower(username) = lower($1)) DESC LIMIT 1',
    [usernameOrEmail],
  );
  return rows[0];
}

/**
 * Stores a user under an id; storing the same one again changes nothing. A name that is taken is found rather than run
 * into: the database's log would tell whose it is.
 */
export async function storeUser(db: Queryable, id: number, user: CreateUser): Promise<void> {
  const stored = await db.query(
    `INSERT INTO identity.users (id, username, email, password_hash, first_name, last_name, phone_number,
                                 display_name, department, job_title, require_password_change)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING`,
    [
      id,
      user.username,
      user.email,
      await hashPassword(user.password),
      user.firstName ?? null,
      user.lastName ?? null,
      user.phoneNumber ?? null,
      user.displayName ?? null,
      user.department ?? null,
      user.jobTitle ?? null,
      user.requirePasswordChange,
    ],
  );
  if (stored.rowCount === 1) return;
  const { rows } = await db.query<{ id: number; named: boolean }>(
    `SELECT id, lower(username) = lower($2) AS named FROM identity.users
      WHERE id = $1 OR lower(username) = lower($2) OR lower(email) = lower($3)`,
    [id, user.username, user.email],
  );
  if (rows.some((row) => row.id === id)) return;
  const what = rows.some((row) => row.named) ? 'username' : 'e-mail address';
  throw new Refusal('NAME_TAKEN', `This ${what} is taken`);
}

/** Takes a user back that was stored and never registered. */
export async function forgetUser(db: Queryable, id: number): Promise<void> {
  await db.query('DELETE FROM identity.users WHERE id = $1', [id]);
}

export interface Caller {
  ipAddress: string;
  userAgent: string;
}

/**
 * Checks a sign-in and opens a session. Five failures lock for 15 minutes, doubling up to a day; the words for a
 * wrong password and an unknown user are the same, and so is the time they take.
 */
export async function signIn(
  pool: Pool,
  usernameOrEmail: string,
  password: string,
  isActive: (userId: number) => boolean,
  caller: Caller,
): Promise<{ userId: number; sessionId: string }> {
  const user = await findUser(pool, usernameOrEmail);
  const fits = await passwordFits(user?.password_hash, password);
  const outcome = await transaction(pool, async (client) => {
    const current = user && (await lockUser(client, user.id));
    const locked = lockedFor(current);
    const admitted = fits && current !== undefined && locked === 0 && isActive(current.id);
    await client.query(
      `INSERT INTO identity.login_attempts (username, ip_address, user_agent, success, user_id)
       VALUES ($1, $2, $3, $4, $5)`,
      [usernameOrEmail, caller.ipAddress, caller.userAgent, admitted, user?.id ?? null],
    );
    if (admitted) {
      await client.query(
        `UPDATE identity.users SET failed_login_attempts = 0, lockouts = 0, locked_until = NULL, last_login_at = now()
          WHERE id = $1`,
        [current.id],
      );
      return { admitted: { userId: current.id, sessionId: await openSession(client, current.id) } };
    }
    const lockedNow = current && locked === 0 && !fits ? await countFailure(client, current) : locked;
    return { refused: lockedNow };
  });
  if (outcome.admitted) return outcome.admitted;
  if (outcome.refused > 0) {
    const minutes = Math.ceil(outcome.refused / 60);
    const message = `Account temporarily locked. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`;
    throw new Refusal('LOCKED_OUT', message, undefined, outcome.refused);
  }
  throw new Refusal('UNAUTHENTICATED', 'Invalid username or password');
}

async function lockUser(client: Client, id: number): Promise<VaultUser | undefined> {
  const { rows } = await client.query<VaultUser>('SELECT * FROM identity.users WHERE id = $1 FOR UPDATE', [id]);
  return rows[0];
}

/** Seconds the account stays locked; 0 when it is open. */
const lockedFor = (user: VaultUser | undefined): number =>
  user?.locked_until ? Math.max(0, Math.ceil((user.locked_until.getTime() - Date.now()) / 1_000)) : 0;

/** Counts a failure; returns the seconds of the lock it caused, or 0. */
async function countFailure(client: Client, user: VaultUser): Promise<number> {
  const failures = user.failed_login_attempts + 1;
  if (failures < LOCK_AFTER_FAILURES) {
    await client.query('UPDATE identity.users SET failed_login_attempts = $2 WHERE id = $1', [user.id, failures]);
    return 0;
  }
  const minutes = Math.min(LOCK_MINUTES * 2 ** user.lockouts, LOCK_MINUTES_MAX);
  await client.query(
    `UPDATE identity.users SET failed_login_attempts = 0, lockouts = lockouts + 1,
            locked_until = now() + $2 * interval '1 minute' WHERE id = $1`,
    [user.id, minutes],
  );
  return minutes * 60;
}

async function openSession(db: Queryable, userId: number): Promise<string> {
  const sessionId = randomUUID();
  await db.query('INSERT INTO identity.sessions (id, user_id) VALUES ($1, $2)', [sessionId, userId]);
  return sessionId;
}

export async function endSession(db: Queryable, sessionId: string): Promise<void> {
  await db.query('UPDATE identity.sessions SET ended_at = now() WHERE id = $1 AND ended_at IS NULL', [sessionId]);
}

/** Real activity keeps a session alive. */
export async function keepAlive(db: Queryable, sessionId: string): Promise<void> {
  await db.query('UPDATE identity.sessions SET last_active_at = now() WHERE id = $1 AND ended_at IS NULL', [sessionId]);
}

/** A fact of the vault for the log; the relay appends it in order. */
export interface OutboxFact {
  eventId: string;
  stream: string;
  type: string;
  data: Record<string, unknown>;
  metadata: Record<string, unknown>;
}

/**
 * Changes a password: the current one must fit, none of the last five may come back, and every other session ends.
 * The fact for the log is written in the same transaction.
 */
export async function changePassword(
  pool: Pool,
  userId: number,
  currentPassword: string,
  newPassword: string,
  keepSession: string,
  fact: OutboxFact,
): Promise<void> {
  const user = (await pool.query<VaultUser>('SELECT * FROM identity.users WHERE id = $1', [userId])).rows[0];
  if (user?.auth_provider !== 'local') {
    throw new Refusal('INVALID', 'Your password is kept by your sign-in provider: change it there');
  }
  if (!(await passwordFits(user.password_hash, currentPassword))) {
    throw new Refusal('INVALID', 'Current password is incorrect');
  }
  const { rows: earlier } = await pool.query<{ password_hash: string }>(
    'SELECT password_hash FROM identity.password_history WHERE user_id = $1 ORDER BY id DESC LIMIT $2',
    [userId, PASSWORD_HISTORY_LENGTH - 1],
  );
  for (const { password_hash } of [{ password_hash: user.password_hash }, ...earlier]) {
    if (await passwordFits(password_hash, newPassword)) {
      throw new Refusal('INVALID', `Choose a password that is not one of your last ${PASSWORD_HISTORY_LENGTH}`);
    }
  }
  const newHash = await hashPassword(newPassword);
  await transaction(pool, async (client) => {
    const current = await lockUser(client, userId);
    if (current?.password_hash !== user.password_hash) {
      throw new Refusal('CONFLICT', 'Your password was changed meanwhile');
    }
    await client.query('INSERT INTO identity.password_history (user_id, password_hash) VALUES ($1, $2)', [
      userId,
      user.password_hash,
    ]);
    await client.query(
      `UPDATE identity.users SET password_hash = $2, require_password_change = false, updated_at = now() WHERE id = $1`,
      [userId, newHash],
    );
    await client.query(
      'UPDATE identity.sessions SET ended_at = now() WHERE user_id = $1 AND id <> $2 AND ended_at IS NULL',
      [userId, keepSession],
    );
    await putInOutbox(client, fact);
  });
}

export async function putInOutbox(db: Queryable, fact: OutboxFact): Promise<void> {
  await db.query('INSERT INTO identity.outbox (event_id, stream, type, data, metadata) VALUES ($1, $2, $3, $4, $5)', [
    fact.eventId,
    fact.stream,
    fact.type,
    JSON.stringify(fact.data),
    JSON.stringify(fact.metadata),
  ]);
}

/** Remembers where a request came from, beside the log and with its own retention: addresses never enter an event. */
export async function rememberRequest(db: Queryable, requestId: string, caller: Caller): Promise<void> {
  await db.query(
    `INSERT INTO identity.request_contexts (request_id, ip_address, user_agent) VALUES ($1, $2, $3)
     ON CONFLICT (request_id) DO NOTHING`,
    [requestId, caller.ipAddress, caller.userAgent],
  );
}
