import { setTimeout as pause } from 'node:timers/promises';

/** Reads until there is an answer, for two minutes at most. */
export async function until<T>(read: () => Promise<T | undefined>, intervalMs = 20): Promise<T> {
  for (const end = Date.now() + 120_000; ; await pause(intervalMs)) {
    const answer = await read();
    if (answer !== undefined) return answer;
    if (Date.now() > end) throw new Error('The expected state was not reached in time');
  }
}
