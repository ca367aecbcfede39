/** What people have read of their notifications, held against the log: a restored one may end before what was read. */
import { type Pool, transaction } from '@rdm/platform';

/**
 * Takes back marks of notifications that the log does not tell of: those that it goes on with have the same numbers, and
 * would count as read. Asked once everything is projected; until then the log may tell of more.
 */
export const lowerReadMarks = (pool: Pool): Promise<void> =>
  transaction(pool, async (client) => {
    await client.query(
      `UPDATE identity.notifications_seen s
          SET read_up_to = least(s.read_up_to, r.seq), dismissed_up_to = least(s.dismissed_up_to, r.seq)
         FROM platform.reader r WHERE greatest(s.read_up_to, s.dismissed_up_to) > r.seq`,
    );
    await client.query('DELETE FROM identity.notification_marks m USING platform.reader r WHERE m.seq > r.seq');
  });
