/** What a person has read or dismissed of their notifications: single marks, and up to where all of them are. */
import { NOTIFICATION_MARKS_KEPT, notificationOf } from '@rdm/contracts';
import { type Client, type Pool, transaction } from '@rdm/platform';

/** What is marked: some, or all up to the newest that was seen. */
export type Which = { ids: readonly string[] } | { upTo: string };

/** Marks as read or unread. */
export const markRead = (pool: Pool, userId: number, which: Which, read: boolean): Promise<void> =>
  transaction(pool, async (client) => {
    if ('upTo' in which) {
      await raise(client, userId, 'read_up_to', notificationOf(which.upTo).seq);
      await client.query(
        `DELETE FROM identity.notification_marks m USING identity.notifications_seen s
          WHERE m.user_id = $1 AND s.user_id = $1 AND m.seq <= s.read_up_to AND NOT m.is_dismissed`,
        [userId],
      );
    } else {
      await put(client, userId, which.ids, 'is_read', read);
    }
    await tell(client, userId);
  });

/** What is dismissed is not shown to them again. */
export const dismiss = (pool: Pool, userId: number, which: Which): Promise<void> =>
  transaction(pool, async (client) => {
    if ('upTo' in which) await dismissUpTo(client, userId, notificationOf(which.upTo).seq);
    else await put(client, userId, which.ids, 'is_dismissed', true);
    await tell(client, userId);
  });

async function put(
  client: Client,
  userId: number,
  ids: readonly string[],
  mark: 'is_read' | 'is_dismissed',
  value: boolean,
): Promise<void> {
  const keys = [...new Set(ids)].map(notificationOf);
  await client.query(
    `INSERT INTO identity.notification_marks (user_id, seq, part, ${mark})
     SELECT $1, seq, part, $4 FROM unnest($2::bigint[], $3::integer[]) AS k(seq, part)
     ON CONFLICT (user_id, seq, part) DO UPDATE SET ${mark} = excluded.${mark}`,
    [userId, keys.map(({ seq }) => seq), keys.map(({ part }) => part), value],
  );
  // Marks do not grow for ever: what is older than the newest of them is not shown any more.
  const { rows } = await client.query<{ seq: number }>(
    `SELECT seq FROM identity.notification_marks WHERE user_id = $1
      ORDER BY seq DESC, part DESC OFFSET ${NOTIFICATION_MARKS_KEPT} LIMIT 1`,
    [userId],
  );
  if (rows[0]) await dismissUpTo(client, userId, rows[0].seq);
}

async function dismissUpTo(client: Client, userId: number, seq: number): Promise<void> {
  await raise(client, userId, 'dismissed_up_to', seq);
  await client.query(
    `DELETE FROM identity.notification_marks m USING identity.notifications_seen s
      WHERE m.user_id = $1 AND s.user_id = $1 AND m.seq <= s.dismissed_up_to`,
    [userId],
  );
}

/** Never back, and never beyond what there is: nobody turns off what is still to come. */
async function raise(
  client: Client,
  userId: number,
  mark: 'read_up_to' | 'dismissed_up_to',
  seq: number,
): Promise<void> {
  await client.query(
    `INSERT INTO identity.notifications_seen AS s (user_id, ${mark})
     SELECT $1, least($2::bigint, r.seq) FROM platform.reader r
     ON CONFLICT (user_id) DO UPDATE SET ${mark} = greatest(s.${mark}, excluded.${mark})`,
    [userId, seq],
  );
}

/** Their other tabs hear of it once it is committed. */
const tell = (client: Client, userId: number) => client.query(`SELECT pg_notify('notified', $1)`, [String(userId)]);
