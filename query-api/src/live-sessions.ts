/** Which of many sessions are still alive: one question for all live clients. */
import { SESSION_ABSOLUTE_HOURS, SESSION_TIMEOUT_MINUTES } from '@rdm/contracts';
import type { Queryable } from '@rdm/platform';

const ALIVE = `
  SELECT s.id, u.require_password_change AS "requirePasswordChange"
    FROM identity.sessions s JOIN identity.users u ON u.id = s.user_id
   WHERE s.id = ANY($1::uuid[]) AND s.ended_at IS NULL
     AND s.last_active_at > now() - interval '${SESSION_TIMEOUT_MINUTES} minutes'
     AND s.created_at > now() - interval '${SESSION_ABSOLUTE_HOURS} hours'`;

export async function liveSessions(
  db: Queryable,
  sessionIds: string[],
): Promise<Map<string, { requirePasswordChange: boolean }>> {
  const { rows } = await db.query(ALIVE, [sessionIds]);
  return new Map(rows.map(({ id, requirePasswordChange }) => [id as string, { requirePasswordChange }]));
}
