/** Stores, reads and deletes the plans (dry runs) of purges, which the maintenance process makes. */
import {
  type PlanPurge,
  PURGE_PLAN_HOURS,
  type PurgeKind,
  type PurgePlan,
  type PurgeScope,
  Refusal,
} from '@rdm/contracts';
import type { Pool } from '@rdm/platform';

export interface StoredPlan {
  kind: PurgeKind;
  scope: PurgeScope;
  before: Date;
  plan: PurgePlan | null;
  planHash: string | null;
  counts: Record<string, number> | null;
  problem: string | null;
  isExpired: boolean;
}

/** Stores the request for a plan, which the maintenance process then makes. A repeated command stores one request. */
export async function storePlanRequest(
  pool: Pool,
  purgeId: number,
  plannedBy: number,
  { kind, scope, before }: PlanPurge,
): Promise<void> {
  await pool.query(
    `INSERT INTO command.purge_plans (purge_id, kind, scope, before, planned_by) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT DO NOTHING`,
    [purgeId, kind, JSON.stringify(scope), before, plannedBy],
  );
}

/** Throws NOT_FOUND for an unknown plan. */
export async function loadPlan(pool: Pool, purgeId: number): Promise<StoredPlan> {
  const { rows } = await pool.query<StoredPlan>(
    `SELECT kind, scope, before, plan, plan_hash AS "planHash", counts, problem,
            planned_at < now() - $2 * interval '1 hour' AS "isExpired"
       FROM command.purge_plans WHERE purge_id = $1`,
    [purgeId, PURGE_PLAN_HOURS],
  );
  const [stored] = rows;
  if (!stored) throw new Refusal('NOT_FOUND', 'This purge does not exist');
  return stored;
}

/** Clears the plan of a purge that has ended, because the plan contains names. The counts of the plan stay. */
export const closePlan = async (pool: Pool, purgeId: number): Promise<void> => {
  await pool.query(
    'UPDATE command.purge_plans SET plan = NULL, step = NULL, closed_at = coalesce(closed_at, now()) WHERE purge_id = $1',
    [purgeId],
  );
};

/** Deletes a plan. Throws NOT_FOUND for an unknown plan. */
export async function deletePlan(pool: Pool, purgeId: number): Promise<void> {
  const { rowCount } = await pool.query('DELETE FROM command.purge_plans WHERE purge_id = $1', [purgeId]);
  if (rowCount === 0) throw new Refusal('NOT_FOUND', 'This purge does not exist');
}
