/** Locks the stores, so that only one backup, restore, purge or scavenge runs at a time. */
import { ADVISORY_LOCKS, type Client, type Pool } from '@rdm/platform';
import { MaintenanceError } from './errors.ts';

/** Runs work on the connection that holds the lock. Rejects with MAINTENANCE_RUNNING if other work holds the lock. */
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
    // Do not use the connection again: it may have an open transaction, an unfinished COPY or the lock.
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
  const message = 'Another backup, restore, purge or scavenge is running. Wait until it has ended, then try again.';
  throw new MaintenanceError('MAINTENANCE_RUNNING', message);
}
