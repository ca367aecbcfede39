/** A person's password becomes another: what may be chosen, and what ends with the old one. */
import { PASSWORD_HISTORY_LENGTH, Refusal } from '@rdm/contracts';
import { type Client, type Pool, type Queryable, transaction } from '@rdm/platform';
import { putInOutbox } from '../../runtime/outbox.ts';
import { forgetDevices } from '../sign-in/devices.ts';
import { afterFailure, forgetFailures, holdLock, inMinutes, keepLock, type Subject } from '../sign-in/lockout.ts';
import { type Asking, factAbout } from '../sign-in/sign-in.ts';
import { forgetLinks } from '../users/users-vault.ts';
import { endSessions, lockUser, type VaultUser } from '../vault.ts';
import { hashPassword, passwordFits } from './hashing.ts';

/** Hashes a password that a person may choose: none of their last five, the current one among them. */
export async function hashChosen(db: Queryable, user: VaultUser, password: string): Promise<string> {
  const { rows: earlier } = await db.query<{ password_hash: string }>(
    'SELECT password_hash FROM identity.password_history WHERE user_id = $1 ORDER BY id DESC LIMIT $2',
    [user.id, PASSWORD_HISTORY_LENGTH - 1],
  );
  for (const { password_hash } of [{ password_hash: user.password_hash }, ...earlier]) {
    if (await passwordFits(password_hash, password)) {
      throw new Refusal('INVALID', `Choose a password that is not one of your last ${PASSWORD_HISTORY_LENGTH}`);
    }
  }
  return hashPassword(password);
}

/** What stays open where a password was changed: the browser in which it was. */
export interface Staying {
  sessionId?: string;
  device?: string | undefined;
}

/**
 * Writes a chosen password down, unless another was chosen meanwhile. Links sent before are good no longer, and whoever
 * signed in with the old one is signed out.
 */
export async function setPassword(client: Client, user: VaultUser, newHash: string, staying: Staying): Promise<void> {
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
  await forgetLinks(client, user.id);
  await endSessions(client, user.id, staying.sessionId);
  await forgetDevices(client, user.id, staying.device);
}

export interface Change {
  userId: number;
  currentPassword: string;
  newPassword: string;
  staying: Staying;
}

/** Changes a password for who knows the current one; whoever found an open session may not guess it for ever. */
export async function changePassword(pool: Pool, change: Change, asking: Asking): Promise<void> {
  const { userId, currentPassword, newPassword, staying } = change;
  const user = (await pool.query<VaultUser>('SELECT * FROM identity.users WHERE id = $1', [userId])).rows[0];
  if (user?.auth_provider !== 'local') {
    throw new Refusal('INVALID', 'Your password is kept by your sign-in provider: change it there');
  }
  await checkCurrent(pool, user, currentPassword);
  const newHash = await hashChosen(pool, user, newPassword);
  await transaction(pool, async (client) => {
    await setPassword(client, user, newHash, staying);
    await putInOutbox(client, factAbout(asking, userId, userId, { type: 'PasswordChanged', data: { userId } }));
  });
}

async function checkCurrent(pool: Pool, user: VaultUser, currentPassword: string): Promise<void> {
  const fits = await passwordFits(user.password_hash, currentPassword);
  const subject: Subject = `person:${user.id}`;
  const lockedFor = await transaction(pool, async (client) => {
    await lockUser(client, user.id);
    const lock = await holdLock(client, subject, user.id);
    if (fits && lock.lockedFor === 0) {
      await forgetFailures(client, subject);
      return 0;
    }
    const next = afterFailure(lock);
    await keepLock(client, subject, next);
    return next.lockedFor;
  });
  if (lockedFor > 0) {
    const message = `Too many wrong passwords. Try again in ${inMinutes(lockedFor)}`;
    throw new Refusal('LOCKED_OUT', message, undefined, lockedFor);
  }
  if (!fits) throw new Refusal('INVALID', 'Current password is incorrect');
}
