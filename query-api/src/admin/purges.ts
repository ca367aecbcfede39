/** Routes of purges for administrators: the dry runs, and the state of each requested purge. */
import {
  type AccessState,
  administrators,
  confirmationBy,
  PURGE_PLAN_HOURS,
  PurgeDetailsView,
  type PurgePlan,
  PurgesView,
  type PurgeView,
  purgePhrase,
} from '@rdm/contracts';
import { idParam, type Route, route } from '@rdm/platform';
import type { QueryContext } from '../query-context.ts';
import { answer, type Tables } from '../read-models/read-models.ts';
import { type Sql, sql } from '../read-models/sql.ts';

interface Row extends Omit<PurgeView, 'jobId' | 'phrase' | 'mayConfirm' | 'confirmNeedsPassword' | 'confirmFrom'> {
  requestedById: number | null;
  /** Undefined in the list, which does not contain plans. */
  plan?: PurgePlan | null;
}

/** The query for purges and dry runs. */
const purgeList = (tables: Tables, more: Sql, where: Sql): Sql => sql`
  SELECT p.purge_id AS id, p.kind, p.scope, p.before, coalesce(r.status, 'DRY_RUN') AS status,
    p.planned_at IS NOT NULL AS "isPlanned",
    CASE WHEN r.id IS NULL THEN p.planned_at + ${PURGE_PLAN_HOURS} * interval '1 hour' END AS "expiresAt",
    coalesce(r.counts, p.counts) AS counts, r.reason, r.requested_by AS "requestedById",
    u.username AS "requestedBy", r.requested_at AS "requestedAt", c.username AS "confirmedBy",
    r.confirmed_at AS "confirmedAt", coalesce(r.is_sealed, false) AS "isSealed",
    CASE r.status WHEN 'FAILED' THEN r.failed_step WHEN 'CONFIRMED' THEN p.step WHEN 'RUNNING' THEN p.step END AS step,
    coalesce(r.problem, p.problem) AS problem, r.command, r.stored, r.bytes, coalesce(r.leftovers, '[]') AS leftovers,
    p.created_at AS "createdAt", r.ended_at AS "endedAt" ${more}
  FROM command.purge_plans p
  LEFT JOIN ${tables('purges')} r ON r.id = p.purge_id
  LEFT JOIN identity.users u ON u.id = coalesce(r.requested_by, p.planned_by)
  LEFT JOIN identity.users c ON c.id = r.confirmed_by
  WHERE ${where}
  ORDER BY p.purge_id DESC`;

/** The list omits expired dry runs. A dry run without a plan is running or has failed. */
const IN_LIST = sql`r.id IS NOT NULL OR p.planned_at IS NULL OR p.planned_at > now() - ${PURGE_PLAN_HOURS} * interval '1 hour'`;

function toView({ requestedById, plan: _, ...row }: Row, userId: number, access: AccessState): PurgeView {
  const isWaiting = row.status === 'REQUESTED';
  const { isOwn, isOnlyAdministrator, from } = confirmationBy(
    { requestedBy: requestedById, requestedAt: row.requestedAt ?? row.createdAt },
    { userId, administrators: administrators(access) },
  );
  return {
    ...row,
    jobId: row.id,
    phrase: row.status === 'DRY_RUN' && row.counts ? purgePhrase(row.kind, row.counts['items'] ?? 0) : null,
    mayConfirm: isWaiting && (!isOwn || (from !== null && new Date() >= from)),
    confirmNeedsPassword: isWaiting && isOnlyAdministrator,
    confirmFrom: isWaiting ? (from?.toISOString() ?? null) : null,
  };
}

export const purgeRoutes = ({ readModels }: QueryContext): Route[] => [
  route(
    'get',
    '/api/purges',
    { administrator: true },
    { summary: 'List the purges and dry runs', hasPast: false, answers: { 200: PurgesView } },
    async (request) => {
      const result = await readModels.read<Row>(request, (tables) => purgeList(tables, sql``, IN_LIST));
      const items = result.rows.map((row) => toView(row, request.principal.userId, request.access));
      return answer(result, { items, total: items.length });
    },
  ),
  route(
    'get',
    '/api/purges/:id',
    { administrator: true },
    { summary: 'Read a purge or dry run with its plan', hasPast: false, answers: { 200: PurgeDetailsView } },
    async (request) => {
      const id = idParam(request);
      const result = await readModels.read<Row>(request, (tables) =>
        purgeList(tables, sql`, p.plan`, sql`p.purge_id = ${id}::bigint`),
      );
      const row = result.one();
      return answer(result, { ...toView(row, request.principal.userId, request.access), plan: row.plan ?? null });
    },
  ),
];
