/** The lock by which one backup, restore, purge or scavenge runs at a time. */
import { ADVISORY_LOCKS, type Client, type Pool } from '@rdm/platform';
import { lockMaintenance } from './backup.ts';

/** Runs work on a connection of its own that holds the lock. */
export async function withMaintenanceLock<Result>(
  pool: Pool,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await lockMaintenance(client);
    return await work(client);
  } catch (error) {
    // A transaction or the lock may be unfinished: the connection is not used again.
    broken = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    if (broken === undefined) await client.query('SELECT pg_advisory_unlock($1)', [ADVISORY_LOCKS.maintenance]);
    client.release(broken);
  }
}
