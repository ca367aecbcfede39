/** Kills a part and ends all leases of jobs. */
import { setTimeout as pause } from 'node:timers/promises';
import type { SupervisedPart } from '@rdm/embedded/launcher/supervisor';
import type pg from 'pg';

/**
 * Kills a part, ends all leases, and waits until the part serves again. With FAULTS=long or `keepLeases`, the leases
 * expire after up to 15 seconds instead. `whileLeased` runs when the part serves again, before the leases end.
 */
export async function killAndExpireLeases(
  part: SupervisedPart | undefined,
  pool: pg.Pool,
  { keepLeases = false, whileLeased }: { keepLeases?: boolean; whileLeased?: () => Promise<void> } = {},
): Promise<void> {
  const pid = part?.pid;
  if (part === undefined || pid === undefined) throw new Error('The part to kill is not running');
  part.kill9();
  while (isRunning(pid)) await pause(2);
  if (whileLeased) {
    await part.ready();
    await whileLeased();
  }
  if (!keepLeases && process.env['FAULTS'] !== 'long')
    await pool.query('UPDATE jobs.progress SET leased_until = now() WHERE leased_until > now()');
  await part.ready();
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
