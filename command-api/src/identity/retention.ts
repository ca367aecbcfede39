/**
 * Deletes expired personal data, such as request contexts, sign-in attempts, ended sessions and old mail, and users
 * whose creation was interrupted.
 */
import type { Access, Queryable } from '@rdm/platform';
import { DEVICE_DAYS } from './sign-in/devices.ts';

/** Addresses and user agents help to investigate entries of the audit log. After this time they are only a risk. */
const REQUEST_CONTEXT_DAYS = 400;
const LOGIN_ATTEMPT_DAYS = 400;
const ENDED_SESSION_DAYS = 30;
const MAIL_DAYS = 30;
/** Counts of failed sign-ins are deleted this many days after the last attempt; a lock lasts at most a day. */
const FAILURE_DAYS = 7;
/** Links are deleted this many days after they expire. */
const RESET_TOKEN_DAYS = 1;

/** Deletes expired rows and users whose creation was interrupted; returns the number of deleted rows. */
export async function deleteExpired(db: Queryable, access: Pick<Access, 'current'>): Promise<number> {
  const expiries = [
    ['identity.request_contexts', 'at', REQUEST_CONTEXT_DAYS],
    // Filters may contain names of people.
    ['command.selection_criteria', 'at', REQUEST_CONTEXT_DAYS],
    ['identity.login_attempts', 'attempted_at', LOGIN_ATTEMPT_DAYS],
    ['identity.sessions', 'coalesce(ended_at, last_active_at)', ENDED_SESSION_DAYS],
    ['identity.mail_outbox', 'created_at', MAIL_DAYS],
    ['identity.sign_in_locks', 'updated_at', FAILURE_DAYS],
    ['identity.devices', 'last_used_at', DEVICE_DAYS],
    ['identity.reset_tokens', 'expires_at', RESET_TOKEN_DAYS],
    ['identity.throttles', 'ends_at', 0],
  ] as const;
  let deleted = await deleteUnregistered(db, access);
  for (const [table, at, days] of expiries) {
    const { rowCount } = await db.query(`DELETE FROM ${table} WHERE ${at} < now() - $1 * interval '1 day'`, [days]);
    deleted += rowCount ?? 0;
  }
  return deleted;
}

/**
 * Deletes users whose creation was interrupted: the row has not changed for an hour and the log has no such user. A
 * command that resumes later stores the row again.
 */
async function deleteUnregistered(db: Queryable, access: Pick<Access, 'current'>): Promise<number> {
  const stale = `updated_at < now() - interval '1 hour'`;
  const { rows } = await db.query<{ id: number }>(`SELECT id FROM identity.users WHERE ${stale}`);
  const { users } = await access.current();
  const unknown = rows.flatMap(({ id }) => (users.has(id) ? [] : [id]));
  if (unknown.length === 0) return 0;
  const { rowCount } = await db.query(`DELETE FROM identity.users WHERE id = ANY($1::bigint[]) AND ${stale}`, [
    unknown,
  ]);
  return rowCount ?? 0;
}
