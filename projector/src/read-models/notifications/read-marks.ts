/** Corrects read marks after a restore: the restored log may end before the notifications that users have read. */
import { type Pool, transaction } from '@rdm/platform';

/**
 * Lowers read marks to the end of the log, and removes single marks after the end. Otherwise the notifications of new
 * events, which reuse these seqs, would count as read. Requires that all events are projected: only then is the seq of
 * the reader the end of the log.
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
