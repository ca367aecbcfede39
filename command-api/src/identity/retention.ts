/** What the vault forgets: where requests came from, tried sign-ins, ended sessions, old mail and people who never came to be. */
import type { Access, Queryable } from '@rdm/platform';
import { DEVICE_DAYS } from './sign-in/devices.ts';

/** Addresses and user agents explain the audit log for as long as disputes take; longer they are only a risk. */
const REQUEST_CONTEXT_DAYS = 400;
const LOGIN_ATTEMPT_DAYS = 400;
const ENDED_SESSION_DAYS = 30;
const MAIL_DAYS = 30;
/** Failures that nobody added to for so long no longer count; a lock lasts a day at most. */
const FAILURE_DAYS = 7;
/** A link is shown as spent no longer than this. */
const RESET_TOKEN_DAYS = 1;

/** Removes what is past its time; returns how many rows. */
export async function forget(db: Queryable, access: Pick<Access, 'current'>): Promise<number> {
  const old = [
    ['identity.request_contexts', 'at', REQUEST_CONTEXT_DAYS],
    // Filters may name people, too.
    ['command.selection_criteria', 'at', REQUEST_CONTEXT_DAYS],
    ['identity.login_attempts', 'attempted_at', LOGIN_ATTEMPT_DAYS],
    ['identity.sessions', 'coalesce(ended_at, last_active_at)', ENDED_SESSION_DAYS],
    ['identity.mail_outbox', 'created_at', MAIL_DAYS],
    ['identity.sign_in_locks', 'updated_at', FAILURE_DAYS],
    ['identity.devices', 'last_used_at', DEVICE_DAYS],
    ['identity.reset_tokens', 'expires_at', RESET_TOKEN_DAYS],
    ['identity.throttles', 'ends_at', 0],
  ] as const;
  let forgotten = await forgetUnregistered(db, access);
  for (const [table, at, days] of old) {
    const { rowCount } = await db.query(`DELETE FROM ${table} WHERE ${at} < now() - $1 * interval '1 day'`, [days]);
    forgotten += rowCount ?? 0;
  }
  return forgotten;
}

/**
 * People whose making was interrupted: stored an hour ago, and not in the log. Their names are free again. A run that
 * goes on after all has touched the row, or stores it again.
 */
async function forgetUnregistered(db: Queryable, access: Pick<Access, 'current'>): Promise<number> {
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
