/** Lets a backup, restore, purge or scavenge run alone. */
import { ADVISORY_LOCKS, type Client, type Pool } from '@rdm/platform';
import { MaintenanceError } from './errors.ts';

/** Does the work on the connection that holds the lock. Rejects with MAINTENANCE_RUNNING while other work holds it. */
export async function withMaintenanceLock<Result>(
  pool: Pool,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await lock(client);
    return await work(client);
  } catch (error) {
    // A transaction, a COPY or the lock may be unfinished: the connection is not used again.
    broken = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    if (broken === undefined) await client.query('SELECT pg_advisory_unlock($1)', [ADVISORY_LOCKS.maintenance]);
    client.release(broken);
  }
}

async function lock(client: Client): Promise<void> {
  const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [
    ADVISORY_LOCKS.maintenance,
  ]);
  if (rows[0]?.locked) return;
  const message =
    'Another backup, a restore, a purge or a scavenge runs. Wait until it has ended, then start this one again.';
  throw new MaintenanceError('MAINTENANCE_RUNNING', message);
}
