/** Changes passwords: checks the new password, and ends the user's sessions in other browsers. */
import { PASSWORD_HISTORY_LENGTH, Refusal } from '@rdm/contracts';
import { type Client, type Pool, type Queryable, transaction } from '@rdm/platform';
import { putInOutbox } from '../../runtime/outbox.ts';
import { deleteDevices } from '../sign-in/devices.ts';
import {
  afterFailure,
  clearFailures,
  formatMinutes,
  lockSubject,
  type Subject,
  storeLock,
} from '../sign-in/lockout.ts';
import { type RequestContext, userFact } from '../sign-in/sign-in.ts';
import { deleteLinks } from '../users/users-vault.ts';
import { endSessions, lockUser, type VaultUser } from '../vault.ts';
import { hashPassword, verifyPassword } from './hashing.ts';

/** Hashes a new password. Throws INVALID for the current password and the four passwords before the current one. */
export async function hashNewPassword(db: Queryable, user: VaultUser, password: string): Promise<string> {
  const { rows: earlier } = await db.query<{ password_hash: string }>(
    'SELECT password_hash FROM identity.password_history WHERE user_id = $1 ORDER BY id DESC LIMIT $2',
    [user.id, PASSWORD_HISTORY_LENGTH - 1],
  );
  for (const { password_hash } of [{ password_hash: user.password_hash }, ...earlier]) {
    if (await verifyPassword(password_hash, password)) {
      throw new Refusal('INVALID', `Choose a password that is not one of your last ${PASSWORD_HISTORY_LENGTH}`);
    }
  }
  return hashPassword(password);
}

/** The browser in which the user changes the password; its session is kept. Empty for a reset by a mailed link. */
export interface CurrentBrowser {
  sessionId?: string;
  device?: string | undefined;
}

/**
 * Stores a new password. Throws CONFLICT if another request changed the password meanwhile. Invalidates mailed
 * links, and ends the sessions and deletes the devices of the user, except those of `browser`.
 */
export async function setPassword(
  client: Client,
  user: VaultUser,
  newHash: string,
  browser: CurrentBrowser,
): Promise<void> {
  const current = await lockUser(client, user.id);
  if (current === undefined || current.password_hash !== user.password_hash) {
    throw new Refusal('CONFLICT', 'Your password was changed meanwhile');
  }
  if (user.password_hash !== null) {
    await client.query('INSERT INTO identity.password_history (user_id, password_hash) VALUES ($1, $2)', [
      user.id,
      user.password_hash,
    ]);
    await client.query(
      `DELETE FROM identity.password_history WHERE user_id = $1 AND id NOT IN
         (SELECT id FROM identity.password_history WHERE user_id = $1 ORDER BY id DESC LIMIT $2)`,
      [user.id, PASSWORD_HISTORY_LENGTH - 1],
    );
  }
  await client.query(
    'UPDATE identity.users SET password_hash = $2, require_password_change = false, updated_at = now() WHERE id = $1',
    [user.id, newHash],
  );
  await deleteLinks(client, user.id);
  await endSessions(client, user.id, browser.sessionId);
  await deleteDevices(client, user.id, browser.device);
}

export interface PasswordChange {
  userId: number;
  currentPassword: string;
  newPassword: string;
  browser: CurrentBrowser;
}

/**
 * Changes a password after verifying the current one. Failures are limited, because another person could otherwise
 * guess the password in an open session.
 */
export async function changePassword(pool: Pool, change: PasswordChange, context: RequestContext): Promise<void> {
  const { userId, currentPassword, newPassword, browser } = change;
  const user = (await pool.query<VaultUser>('SELECT * FROM identity.users WHERE id = $1', [userId])).rows[0];
  if (user?.auth_provider !== 'local') {
    throw new Refusal('INVALID', 'Your sign-in provider manages your password: change it there');
  }
  await checkCurrent(pool, user, currentPassword);
  const newHash = await hashNewPassword(pool, user, newPassword);
  await transaction(pool, async (client) => {
    await setPassword(client, user, newHash, browser);
    await putInOutbox(client, userFact(context, userId, userId, { type: 'PasswordChanged', data: { userId } }));
  });
}

/** Requires the user's own password for an action; failures are limited like those of sign-ins. */
export async function requireOwnPassword(pool: Pool, user: VaultUser, password: string | undefined): Promise<void> {
  if (password === undefined) throw new Refusal('WRONG_PASSWORD', 'Enter your password');
  if (!(await verifyAndCount(pool, user, password))) throw new Refusal('WRONG_PASSWORD', 'The password is not correct');
}

async function checkCurrent(pool: Pool, user: VaultUser, currentPassword: string): Promise<void> {
  if (!(await verifyAndCount(pool, user, currentPassword)))
    throw new Refusal('INVALID', 'Current password is incorrect');
}

/**
 * Returns whether this is the user's password. Counts failures, and clears the count after a success. Throws LOCKED_OUT
 * after too many failures, also for the correct password.
 */
async function verifyAndCount(pool: Pool, user: VaultUser, password: string): Promise<boolean> {
  const isCorrect = await verifyPassword(user.password_hash, password);
  const subject: Subject = `person:${user.id}`;
  const lockedFor = await transaction(pool, async (client) => {
    await lockUser(client, user.id);
    const lock = await lockSubject(client, subject, user.id);
    if (isCorrect && lock.lockedFor === 0) {
      await clearFailures(client, subject);
      return 0;
    }
    const newLock = afterFailure(lock);
    await storeLock(client, subject, newLock);
    return newLock.lockedFor;
  });
  if (lockedFor > 0) {
    const message = `Too many wrong passwords. Try again in ${formatMinutes(lockedFor)}`;
    throw new Refusal('LOCKED_OUT', message, undefined, lockedFor);
  }
  return isCorrect;
}
