/** Stores visits of the start page, and whether a user dismissed its guided start: telemetry, not commands. */
import { ChangeHome } from '@rdm/contracts';
import { type Pool, type Route, route } from '@rdm/platform';

export const HOME = '/api/home';

/** A request that follows the previous request by more than this many minutes begins a new visit. */
const VISIT_MINUTES = 30;

export const homeRoutes = (pool: Pool): Route[] => [
  route(
    'patch',
    HOME,
    { person: true },
    {
      summary: 'Note a visit of the start page, and dismiss or restore the guided start',
      answers: { 204: null },
      example: { body: { visited: true } },
      body: ChangeHome,
    },
    async ({ body, principal }) => {
      await changeHome(pool, principal.userId, body);
      return { status: 204 };
    },
  ),
];

async function changeHome(pool: Pool, userId: number, { visited, guideDismissed }: ChangeHome): Promise<void> {
  await pool.query(
    `INSERT INTO identity.home_marks AS m (user_id, visited_at, guide_dismissed)
     VALUES ($1, CASE WHEN $2 THEN now() END, coalesce($3, false))
     ON CONFLICT (user_id) DO UPDATE SET
       previous_visit_at = CASE WHEN $2 AND m.visited_at < now() - ${VISIT_MINUTES} * interval '1 minute'
         THEN m.visited_at ELSE m.previous_visit_at END,
       visited_at = CASE WHEN $2 THEN now() ELSE m.visited_at END,
       guide_dismissed = coalesce($3, m.guide_dismissed)`,
    [userId, visited ?? false, guideDismissed ?? null],
  );
}
