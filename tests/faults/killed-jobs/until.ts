import { setTimeout as pause } from 'node:timers/promises';

/** Reads until the result is defined. Throws after two minutes. */
export async function until<T>(read: () => Promise<T | undefined>, intervalMs = 20): Promise<T> {
  for (const end = Date.now() + 120_000; ; await pause(intervalMs)) {
    const answer = await read();
    if (answer !== undefined) return answer;
    if (Date.now() > end) throw new Error('The expected state was not reached in time');
  }
}
