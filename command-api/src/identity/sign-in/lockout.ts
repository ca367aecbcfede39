/** Locks after wrong passwords: five in a row lock for 15 minutes, doubling up to a day, whatever they were tried on. */
import { createHmac } from 'node:crypto';
import type { Client, Queryable } from '@rdm/platform';

export const LOCK_AFTER_FAILURES = 5;
const LOCK_MINUTES = 15;
const LOCK_MINUTES_MAX = 24 * 60;

/** What failures count for: the name that was typed, whoever has it or nobody; a device of somebody's; a person who is signed in. */
export type Subject = `name:${string}` | `device:${string}` | `person:${number}`;

/** How a name is compared: in one place, for what two ways of folding tell apart would be guessed at twice. */
export const foldedName = (typed: string): string => typed.trim().toLowerCase();

/**
 * A name as it was typed, made unreadable: people's names stay in the profiles. Known and unknown names count alike, a
 * username and the e-mail address of one person apart: that both are one person's is not told either.
 */
export const nameSubject = (secret: string, typed: string): Subject =>
  `name:${createHmac('sha256', secret)
    .update(`sign-in name\0${foldedName(typed)}`)
    .digest('base64url')}`;

export interface Lock {
  failures: number;
  lockouts: number;
  /** Seconds it stays locked; 0 when it is open. */
  lockedFor: number;
}

/** Reads the lock of a subject and holds its row: whoever tries at the same time waits for this one's outcome. */
export async function holdLock(client: Client, subject: Subject, userId: number | null): Promise<Lock> {
  const { rows } = await client.query<Lock>(
    `INSERT INTO identity.sign_in_locks (subject, user_id) VALUES ($1, $2)
     ON CONFLICT (subject) DO UPDATE SET user_id = excluded.user_id, updated_at = now()
     RETURNING failures, lockouts,
       greatest(0, coalesce(ceil(extract(epoch FROM locked_until - now())), 0))::integer AS "lockedFor"`,
    [subject, userId],
  );
  return rows[0] as Lock;
}

/** What a lock becomes by one more failure; a locked one stays as it is. Pure. */
export function afterFailure(lock: Lock): Lock & { lockedMinutes: number } {
  if (lock.lockedFor > 0) return { ...lock, lockedMinutes: 0 };
  const failures = lock.failures + 1;
  if (failures < LOCK_AFTER_FAILURES) return { ...lock, failures, lockedMinutes: 0 };
  const lockedMinutes = Math.min(LOCK_MINUTES * 2 ** lock.lockouts, LOCK_MINUTES_MAX);
  return { failures: 0, lockouts: lock.lockouts + 1, lockedFor: lockedMinutes * 60, lockedMinutes };
}

/** Writes down what a failure made of a lock. Trying while it is locked does not make it longer. */
export async function keepLock(client: Client, subject: Subject, lock: ReturnType<typeof afterFailure>): Promise<void> {
  await client.query(
    `UPDATE identity.sign_in_locks SET failures = $2, lockouts = $3,
            locked_until = CASE WHEN $4::integer > 0 THEN now() + $4 * interval '1 minute' ELSE locked_until END
      WHERE subject = $1`,
    [subject, lock.failures, lock.lockouts, lock.lockedMinutes],
  );
}

export async function forgetFailures(client: Client, subject: Subject): Promise<void> {
  await client.query('DELETE FROM identity.sign_in_locks WHERE subject = $1', [subject]);
}

/** Shows a person's locks in their profile, for administrators; the locks themselves decide. */
export async function showLocks(client: Client, userId: number | null): Promise<void> {
  await client.query(
    `UPDATE identity.users SET (failed_login_attempts, lockouts, locked_until) =
       (SELECT coalesce(max(failures), 0), coalesce(max(lockouts), 0), max(locked_until)
          FROM identity.sign_in_locks WHERE user_id = $1 AND NOT starts_with(subject, 'person:'))
      WHERE id = $1`,
    [userId],
  );
}

/**
 * Forgets every failure that was counted against a person, under whatever name, on whatever device. Rows are taken in
 * the order in which signing in takes them: the person's first.
 */
export async function unlock(db: Queryable, userId: number): Promise<void> {
  await db.query(
    'UPDATE identity.users SET failed_login_attempts = 0, lockouts = 0, locked_until = NULL WHERE id = $1',
    [userId],
  );
  await db.query('DELETE FROM identity.sign_in_locks WHERE user_id = $1', [userId]);
}

/** Seconds as people read them. */
export function inMinutes(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  return `${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`;
}
