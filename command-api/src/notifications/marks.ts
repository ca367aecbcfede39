/** Stores which notifications a user has read or dismissed, one by one or up to a limit. */
import { NOTIFICATION_MARKS_KEPT, parseNotificationId } from '@rdm/contracts';
import { type Client, type Pool, transaction } from '@rdm/platform';

/** The notifications to mark: those in a list, or all up to the newest one that the user saw. */
export type MarkedNotifications = { ids: readonly string[] } | { upTo: string };

/** Marks notifications as read or unread. With `upTo`, marks notifications as read and ignores `read`. */
export const markRead = (
  pool: Pool,
  userId: number,
  notifications: MarkedNotifications,
  read: boolean,
): Promise<void> =>
  transaction(pool, async (client) => {
    if ('upTo' in notifications) {
      await raiseLimit(client, userId, 'read_up_to', parseNotificationId(notifications.upTo).seq);
      await client.query(
        `DELETE FROM identity.notification_marks m USING identity.notifications_seen s
          WHERE m.user_id = $1 AND s.user_id = $1 AND m.seq <= s.read_up_to AND NOT m.is_dismissed`,
        [userId],
      );
    } else {
      await setMark(client, userId, notifications.ids, 'is_read', read);
    }
    await notifyClients(client, userId);
  });

/** Dismisses notifications, which hides them for the user. */
export const dismiss = (pool: Pool, userId: number, notifications: MarkedNotifications): Promise<void> =>
  transaction(pool, async (client) => {
    if ('upTo' in notifications) await dismissUpTo(client, userId, parseNotificationId(notifications.upTo).seq);
    else await setMark(client, userId, notifications.ids, 'is_dismissed', true);
    await notifyClients(client, userId);
  });

async function setMark(
  client: Client,
  userId: number,
  ids: readonly string[],
  mark: 'is_read' | 'is_dismissed',
  value: boolean,
): Promise<void> {
  const keys = [...new Set(ids)].map(parseNotificationId);
  await client.query(
    `INSERT INTO identity.notification_marks (user_id, seq, part, ${mark})
     SELECT $1, seq, part, $4 FROM unnest($2::bigint[], $3::integer[]) AS k(seq, part)
     ON CONFLICT (user_id, seq, part) DO UPDATE SET ${mark} = excluded.${mark}`,
    [userId, keys.map(({ seq }) => seq), keys.map(({ part }) => part), value],
  );
  // Only the newest marks are stored one by one. Raising the limit dismisses all older notifications.
  const { rows } = await client.query<{ seq: number }>(
    `SELECT seq FROM identity.notification_marks WHERE user_id = $1
      ORDER BY seq DESC, part DESC OFFSET ${NOTIFICATION_MARKS_KEPT} LIMIT 1`,
    [userId],
  );
  if (rows[0]) await dismissUpTo(client, userId, rows[0].seq);
}

async function dismissUpTo(client: Client, userId: number, seq: number): Promise<void> {
  await raiseLimit(client, userId, 'dismissed_up_to', seq);
  await client.query(
    `DELETE FROM identity.notification_marks m USING identity.notifications_seen s
      WHERE m.user_id = $1 AND s.user_id = $1 AND m.seq <= s.dismissed_up_to`,
    [userId],
  );
}

/** Raises a limit, at most to the newest event, so that future notifications are shown. Never lowers a limit. */
async function raiseLimit(
  client: Client,
  userId: number,
  limit: 'read_up_to' | 'dismissed_up_to',
  seq: number,
): Promise<void> {
  await client.query(
    `INSERT INTO identity.notifications_seen AS s (user_id, ${limit})
     SELECT $1, least($2::bigint, r.seq) FROM platform.reader r
     ON CONFLICT (user_id) DO UPDATE SET ${limit} = greatest(s.${limit}, excluded.${limit})`,
    [userId, seq],
  );
}

/** Notifies all clients of the user once the change is committed. */
const notifyClients = (client: Client, userId: number) =>
  client.query(`SELECT pg_notify('notified', $1)`, [String(userId)]);
