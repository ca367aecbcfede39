import type { Migration } from '../migration.ts';

export const notificationMarks: Migration = {
  name: '0017-notification-marks',
  up: `
-- The notifications that a user has read or dismissed. This is no change of data, so there is no event.
CREATE TABLE identity.notification_marks (
  user_id bigint NOT NULL REFERENCES identity.users ON DELETE CASCADE,
  seq bigint NOT NULL,
  part integer NOT NULL,
  is_read boolean NOT NULL DEFAULT true,
  is_dismissed boolean NOT NULL DEFAULT false,
  PRIMARY KEY (user_id, seq, part)
);
-- The position up to which a user has seen all notifications. The mark of a single notification overrides it.
CREATE TABLE identity.notifications_seen (
  user_id bigint PRIMARY KEY REFERENCES identity.users ON DELETE CASCADE,
  read_up_to bigint NOT NULL DEFAULT 0,
  dismissed_up_to bigint NOT NULL DEFAULT 0
);`,
};
