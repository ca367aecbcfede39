/** Reports the database lock that the projector waits for, so that operators see why read models fall behind. */
import type { Queryable } from '@rdm/platform';
import { WRITER_APPLICATION } from './leadership.ts';

/** Shorter waits are usual, because other transactions use the same rows. */
const REPORTED_AFTER_MS = 10_000;

/** The tables whose lock was not granted in time, each with the start of the work that needs the lock. */
export type LockTimeouts = ReadonlyMap<string, Date>;

interface LockWait {
  table: string | null;
  seconds: number;
  holders: string | null;
}

/**
 * The locks that the writing connections wait for, the longest wait first. A wait for a row is a wait for the lock of
 * another transaction, and this lock names no table. The tuple lock of the waiting transaction names the table.
 */
const LOCK_WAITS = `
  SELECT coalesce(l.relation, r.relation)::regclass::text AS "table",
         extract(epoch FROM clock_timestamp() - l.waitstart)::float8 AS seconds,
         (SELECT string_agg(concat_ws(' ', h.pid, '(' || nullif(h.application_name, '') || ')'), ', ' ORDER BY h.pid)
            FROM pg_stat_activity h WHERE h.pid = ANY(pg_blocking_pids(l.pid))) AS holders
    FROM pg_locks l JOIN pg_stat_activity a USING (pid)
    LEFT JOIN pg_locks r ON r.pid = l.pid AND r.locktype = 'tuple' AND r.granted
   WHERE NOT l.granted AND l.waitstart IS NOT NULL AND l.locktype IN ('relation', 'tuple', 'transactionid')
     AND a.datname = current_database() AND a.application_name = $1
   ORDER BY l.waitstart`;

/** Returns the longest wait for a lock as a sentence for operators; undefined if no wait is long enough. */
export async function lockWarning(
  db: Queryable,
  timeouts: LockTimeouts,
  reportedAfterMs = REPORTED_AFTER_MS,
): Promise<string | undefined> {
  const { rows } = await db.query<LockWait>(LOCK_WAITS, [WRITER_APPLICATION]);
  const waits = [
    ...rows.map(({ seconds, ...wait }) => ({ ...wait, since: new Date(Date.now() - seconds * 1_000) })),
    // Between two attempts, no connection waits for the lock, so its holder may be unknown.
    ...[...timeouts].map(([table, since]) => ({
      table,
      since,
      holders: rows.find((wait) => wait.table === table)?.holders ?? null,
    })),
  ].sort((a, b) => a.since.getTime() - b.since.getTime());
  const [longest] = waits;
  if (longest === undefined || Date.now() - longest.since.getTime() < reportedAfterMs) return undefined;
  const since = longest.since.toISOString().replace('T', ' ').slice(0, 16);
  const heldBy = longest.holders
    ? ` It is held by the PostgreSQL session ${longest.holders}: end its transaction.`
    : '';
  return `The projector has waited since ${since} UTC for a lock on the table ${longest.table ?? 'unknown'}: newer changes do not appear.${heldBy}`;
}
