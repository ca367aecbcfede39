/** Stores when a user first translated a value by a crosswalk: the last step of the guided start. */
import type { Log, Queryable } from '@rdm/platform';

export interface FirstTranslations {
  /** Stores the time of a user's first translation in the background. Later calls change nothing. */
  note(userId: number): void;
}

/** The set of users whose translation was noted is cleared when it has this many entries. */
const NOTED_USERS_MAX = 100_000;

export function openFirstTranslations(db: Queryable, log: Log): FirstTranslations {
  const notedUsers = new Set<number>();
  return {
    note(userId) {
      if (notedUsers.has(userId)) return;
      if (notedUsers.size >= NOTED_USERS_MAX) notedUsers.clear();
      notedUsers.add(userId);
      void insertFirstTranslation(db, userId).catch((error: unknown) => {
        notedUsers.delete(userId);
        log.warn({ err: error }, 'A first translation could not be stored: the next one is stored instead');
      });
    },
  };
}

const insertFirstTranslation = (db: Queryable, userId: number): Promise<unknown> =>
  db.query(
    `INSERT INTO identity.home_marks AS m (user_id, translated_at) SELECT id, now() FROM identity.users WHERE id = $1
     ON CONFLICT (user_id) DO UPDATE SET translated_at = coalesce(m.translated_at, excluded.translated_at)`,
    [userId],
  );
