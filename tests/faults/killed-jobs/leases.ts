/** Kills a part and ends all leases of jobs. */
import { setTimeout as pause } from 'node:timers/promises';
import type { SupervisedPart } from '@rdm/embedded/launcher/supervisor';
import type pg from 'pg';

/**
 * Kills a part, ends all leases, which would otherwise last for up to 15 seconds, and waits until the part serves
 * again. With FAULTS=long, or with `keepLeases`, the leases expire by themselves. `whileLeased` runs when the part
 * serves again, before this function ends the leases.
 */
export async function killAndExpireLeases(
  part: SupervisedPart | undefined,
  pool: pg.Pool,
  { keepLeases = false, whileLeased }: { keepLeases?: boolean; whileLeased?: () => Promise<void> } = {},
): Promise<void> {
  const pid = part?.pid;
  if (part === undefined || pid === undefined) throw new Error('The part to kill does not run');
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
