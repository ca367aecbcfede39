/** Refuses a request that exceeds a limit. */
import { setTimeout as pause } from 'node:timers/promises';
import { Refusal } from '@rdm/contracts';

const PAUSE_MS = 1_000;

/** Throws 429 after a second, so that clients that retry at once do not slow down other users. */
export async function refuseSlowly(message: string, retrySeconds: number): Promise<never> {
  await pause(PAUSE_MS);
  throw new Refusal('TOO_MANY_REQUESTS', message, undefined, retrySeconds);
}
