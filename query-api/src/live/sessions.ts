/** Checks the sessions of all clients of the live channel with one query. */
import { type Queryable, SESSION_LIVES } from '@rdm/platform';

const VALID_SESSIONS = `
  SELECT s.id, u.require_password_change AS "requirePasswordChange"
    FROM identity.sessions s JOIN identity.users u ON u.id = s.user_id
   WHERE s.id = ANY($1::uuid[]) AND ${SESSION_LIVES}`;

/** Returns the sessions that are still valid, by id. */
export async function findValidSessions(
  db: Queryable,
  sessionIds: string[],
): Promise<Map<string, { requirePasswordChange: boolean }>> {
  const { rows } = await db.query(VALID_SESSIONS, [sessionIds]);
  return new Map(rows.map(({ id, requirePasswordChange }) => [id as string, { requirePasswordChange }]));
}
