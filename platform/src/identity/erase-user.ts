/** Erases a user in the vault. */
import { FORMER_USER, streams } from '@rdm/contracts';
import type { Client } from '../postgres/postgres.ts';

/** Keeps the row of the user as “Former user”, because events refer to its id. */
export async function eraseUser(
  client: Client,
  person: { id: number; username: string; email: string },
): Promise<void> {
  const { id, username, email } = person;
  for (const table of [
    'password_history',
    'sessions',
    'devices',
    'sign_in_locks',
    'reset_tokens',
    'notification_marks',
    'notifications_seen',
    'home_marks',
  ]) {
    await client.query(`DELETE FROM identity.${table} WHERE user_id = $1`, [id]);
  }
  await client.query('DELETE FROM identity.mail_outbox WHERE user_id = $1 OR lower(recipient) = lower($2)', [
    id,
    email,
  ]);
  await client.query(
    `UPDATE identity.login_attempts SET username = $4, ip_address = NULL, user_agent = NULL
      WHERE user_id = $1 OR lower(username) IN (lower($2), lower($3))`,
    [id, username, email, FORMER_USER],
  );
  // A password reset by mail has no session, so its request context has no user id: find the context by the request id
  // in the outbox.
  await client.query(
    `DELETE FROM identity.request_contexts
      WHERE user_id = $1 OR request_id IN (
        SELECT metadata ->> 'requestId' FROM identity.outbox
         WHERE stream = $2 AND coalesce((metadata ->> 'actorId')::bigint, $1) = $1)`,
    [id, streams.user(id)],
  );
  await client.query(
    `UPDATE identity.users
        SET username = $2, email = '', password_hash = NULL, first_name = NULL, last_name = NULL, display_name = NULL,
            phone_number = NULL, department = NULL, job_title = NULL, okta_id = NULL, require_password_change = false,
            email_proved_at = NULL, last_login_at = NULL, failed_login_attempts = 0, lockouts = 0, locked_until = NULL,
            erased_at = now(), updated_at = now()
      WHERE id = $1`,
    [id, FORMER_USER],
  );
}
