/**
 * Makes dry runs and executes confirmed purges, one at a time. Polls `command.purge_plans`, and reads the status of a
 * purge from its stream.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  countsOf,
  evolvePurge,
  PURGE_PLAN_HOURS,
  type Purge,
  type PurgeEvent,
  type PurgeKind,
  type PurgeScope,
  streams,
} from '@rdm/contracts';
import { type EventStore, openAccess, type Pool } from '@rdm/platform';
import { MaintenanceError } from '../errors.ts';
import { planHash, planPurge } from '../purge/plan.ts';
import { type PurgeRunDependencies, runPurge } from '../purge/run.ts';
import { openProgress } from './progress.ts';

const POLL_MS = 1_000;
const RETRY_MS = 5_000;

export type PurgeWorkDependencies = Omit<PurgeRunDependencies, 'onProgress'>;

export interface PurgeWork {
  stop(): Promise<void>;
}

interface PlanRow {
  purgeId: number;
  kind: PurgeKind;
  scope: PurgeScope;
  before: Date;
  isPlanned: boolean;
  isExpired: boolean;
}

const ENDED_STATUSES = new Set<Purge['status']>(['DONE', 'DECLINED', 'CANCELLED']);
const WORKING_STATUSES = new Set<Purge['status']>(['CONFIRMED', 'RUNNING']);

export function startPurgeWork(deps: PurgeWorkDependencies): PurgeWork {
  const { pool, store, log } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  const access = openAccess(store);

  /** Makes the next dry run or executes the next purge; returns false if there is neither. */
  async function workOnce(): Promise<boolean> {
    for (const row of await loadOpenPlans(pool)) {
      if (!row.isPlanned) {
        await makePlan(row);
        return true;
      }
      const purge = await readPurge(store, row.purgeId);
      if (purge === undefined) {
        if (row.isExpired) await pool.query('DELETE FROM command.purge_plans WHERE purge_id = $1', [row.purgeId]);
      } else if (ENDED_STATUSES.has(purge.status)) {
        await closePlan(pool, row.purgeId);
      } else if (WORKING_STATUSES.has(purge.status)) {
        const progress = openProgress(pool, row.purgeId);
        await runPurge({ ...deps, onProgress: progress.report }, purge, signal);
        const after = await readPurge(store, row.purgeId);
        if (after?.status === 'DONE') await progress.end('DONE');
        if (after?.status === 'FAILED') await progress.end('FAILED');
        return true;
      }
    }
    return false;
  }

  async function makePlan(row: PlanRow): Promise<void> {
    const { purgeId, kind } = row;
    try {
      const plan = await planPurge({ pool, store, access: await access.current() }, row, signal);
      await pool.query(
        `UPDATE command.purge_plans SET plan = $2, plan_hash = $3, counts = $4, planned_at = now() WHERE purge_id = $1`,
        [purgeId, JSON.stringify(plan), planHash(row, plan), JSON.stringify(countsOf(kind, plan))],
      );
    } catch (error) {
      if (signal.aborted) throw error;
      log.warn({ err: error, purgeId }, 'A purge could not be planned');
      const problem =
        'The dry run failed for a reason that is in the log of the maintenance process. Make a new dry run.';
      await pool.query('UPDATE command.purge_plans SET problem = $2, planned_at = now() WHERE purge_id = $1', [
        purgeId,
        problem,
      ]);
    }
  }

  const running = (async () => {
    while (!signal.aborted) {
      try {
        if (!(await workOnce())) await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof MaintenanceError)) {
          log.warn({ err: error }, 'Could not process the dry runs and purges: trying again');
        }
        await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  })();

  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

async function loadOpenPlans(pool: Pool): Promise<PlanRow[]> {
  const { rows } = await pool.query<PlanRow>(
    `SELECT purge_id AS "purgeId", kind, scope, before, planned_at IS NOT NULL AS "isPlanned",
            coalesce(planned_at < now() - $1 * interval '1 hour', false) AS "isExpired"
       FROM command.purge_plans WHERE closed_at IS NULL ORDER BY purge_id`,
    [PURGE_PLAN_HOURS],
  );
  return rows;
}

async function readPurge(store: Pick<EventStore, 'read'>, id: number): Promise<Purge | undefined> {
  let purge: Purge | undefined;
  for await (const event of store.read(streams.purge(id))) purge = evolvePurge(purge, event as unknown as PurgeEvent);
  return purge;
}

const closePlan = (pool: Pool, id: number) =>
  pool.query('UPDATE command.purge_plans SET plan = NULL, step = NULL, closed_at = now() WHERE purge_id = $1', [id]);
