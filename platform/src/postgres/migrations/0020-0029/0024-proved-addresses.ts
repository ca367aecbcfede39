import type { Migration } from '../migration.ts';

export const provedAddresses: Migration = {
  name: '0024-proved-addresses',
  up: `
-- When the user followed a link that was mailed to the address; null if nothing proves that the address belongs to the user.
ALTER TABLE identity.users ADD COLUMN email_proved_at timestamptz;
UPDATE identity.users u SET email_proved_at = t.used_at
  FROM (SELECT user_id, max(used_at) AS used_at FROM identity.reset_tokens GROUP BY user_id) t
 WHERE t.user_id = u.id AND EXISTS (
   SELECT FROM identity.mail_outbox m
    WHERE m.user_id = u.id AND m.status = 'SENT' AND lower(m.recipient) = lower(u.email));
-- The address of a user is empty after it was released, so several users may have an empty address.
DROP INDEX identity.users_email;
CREATE UNIQUE INDEX users_email ON identity.users (lower(email)) WHERE erased_at IS NULL AND email <> '';`,
};
