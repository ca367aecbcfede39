/**
 * Locks sign-in for 15 minutes after five wrong passwords in a row. Each further lock lasts twice as long, up to a day.
 */
import { createHmac } from 'node:crypto';
import { LOCK_AFTER_FAILURES } from '@rdm/contracts';
import type { Client, Queryable } from '@rdm/platform';

const LOCK_MINUTES = 15;
const LOCK_MINUTES_MAX = 24 * 60;

/** Failures are counted by entered name, by device of a user, and by signed-in user. The name need not exist. */
export type Subject = `name:${string}` | `device:${string}` | `person:${number}`;

/** Normalises an entered name, so that upper case and surrounding spaces never lead to a separate count. */
export const normalisedName = (entered: string): string => entered.trim().toLowerCase();

/**
 * The subject of an entered name: a keyed hash, so that the counts contain no names. A username and an e-mail address
 * have separate subjects, so that a lock does not reveal that both belong to one user.
 */
export const nameSubject = (secret: string, entered: string): Subject =>
  `name:${createHmac('sha256', secret)
    .update(`sign-in name\0${normalisedName(entered)}`)
    .digest('base64url')}`;

export interface Lock {
  failures: number;
  lockouts: number;
  /** Remaining seconds of the lock; 0 if the subject is not locked. */
  lockedFor: number;
}

/**
 * Returns the sign-in lock of a subject, and adds its row if there is none. Locks the database row, so that concurrent
 * attempts wait for this attempt.
 */
export async function lockSubject(client: Client, subject: Subject, userId: number | null): Promise<Lock> {
  const { rows } = await client.query<Lock>(
    `INSERT INTO identity.sign_in_locks (subject, user_id) VALUES ($1, $2)
     ON CONFLICT (subject) DO UPDATE SET user_id = excluded.user_id, updated_at = now()
     RETURNING failures, lockouts,
       greatest(0, coalesce(ceil(extract(epoch FROM locked_until - now())), 0))::integer AS "lockedFor"`,
    [subject, userId],
  );
  return rows[0] as Lock;
}

/** Returns the lock after one more failure. An active lock stays unchanged. `lockedMinutes` is 0 without a new lock. */
export function afterFailure(lock: Lock): Lock & { lockedMinutes: number } {
  if (lock.lockedFor > 0) return { ...lock, lockedMinutes: 0 };
  const failures = lock.failures + 1;
  if (failures < LOCK_AFTER_FAILURES) return { ...lock, failures, lockedMinutes: 0 };
  const lockedMinutes = Math.min(LOCK_MINUTES * 2 ** lock.lockouts, LOCK_MINUTES_MAX);
  return { failures: 0, lockouts: lock.lockouts + 1, lockedFor: lockedMinutes * 60, lockedMinutes };
}

/** Stores a lock after a failure. Attempts during a lock do not extend it. */
export async function storeLock(
  client: Client,
  subject: Subject,
  lock: ReturnType<typeof afterFailure>,
): Promise<void> {
  await client.query(
    `UPDATE identity.sign_in_locks SET failures = $2, lockouts = $3,
            locked_until = CASE WHEN $4::integer > 0 THEN now() + $4 * interval '1 minute' ELSE locked_until END
      WHERE subject = $1`,
    [subject, lock.failures, lock.lockouts, lock.lockedMinutes],
  );
}

export async function clearFailures(client: Client, subject: Subject): Promise<void> {
  await client.query('DELETE FROM identity.sign_in_locks WHERE subject = $1', [subject]);
}

/**
 * Copies the highest counts and the latest lock of a user's names and devices to the profile. Administrators see the
 * copy; sign-in does not read it.
 */
export async function updateProfileLocks(client: Client, userId: number | null): Promise<void> {
  await client.query(
    `UPDATE identity.users SET (failed_login_attempts, lockouts, locked_until) =
       (SELECT coalesce(max(failures), 0), coalesce(max(lockouts), 0), max(locked_until)
          FROM identity.sign_in_locks WHERE user_id = $1 AND NOT starts_with(subject, 'person:'))
      WHERE id = $1`,
    [userId],
  );
}

/** Clears all failures and sign-in locks of a user. Locks the user's row first, like sign-in, to prevent a deadlock. */
export async function unlock(db: Queryable, userId: number): Promise<void> {
  await db.query(
    'UPDATE identity.users SET failed_login_attempts = 0, lockouts = 0, locked_until = NULL WHERE id = $1',
    [userId],
  );
  await db.query('DELETE FROM identity.sign_in_locks WHERE user_id = $1', [userId]);
}

/** Formats seconds as minutes, rounded up. */
export function formatMinutes(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  return `${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`;
}
