/** What the vault forgets: where requests came from, tried sign-ins and ended sessions, each after its time. */
import type { Queryable } from '@rdm/platform';

/** Addresses and user agents explain the audit log for as long as disputes take; longer they are only a risk. */
const REQUEST_CONTEXT_DAYS = 400;
const LOGIN_ATTEMPT_DAYS = 400;
const ENDED_SESSION_DAYS = 30;

/** Removes what is past its time; returns how many rows. */
export async function forget(db: Queryable): Promise<number> {
  const old = [
    ['identity.request_contexts', 'at', REQUEST_CONTEXT_DAYS],
    ['identity.login_attempts', 'attempted_at', LOGIN_ATTEMPT_DAYS],
    ['identity.sessions', 'coalesce(ended_at, last_active_at)', ENDED_SESSION_DAYS],
  ] as const;
  let forgotten = 0;
  for (const [table, at, days] of old) {
    const { rowCount } = await db.query(`DELETE FROM ${table} WHERE ${at} < now() - $1 * interval '1 day'`, [days]);
    forgotten += rowCount ?? 0;
  }
  return forgotten;
}
