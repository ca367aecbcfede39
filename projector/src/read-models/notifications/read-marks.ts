/** Read marks of notifications compared with the log: a restored log may end before what users have read. */
import { type Pool, transaction } from '@rdm/platform';

/**
 * Removes read marks beyond the end of the log: new events reuse these numbers, and would count as read. Runs once everything
 * is projected; before that the log may contain more.
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
