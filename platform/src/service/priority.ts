import { readdirSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

const LOWEST = 19;

/** Lowers the scheduling priority of this process by `steps` (niceness), so that requests to other processes go first. */
export function lowerPriority(steps: number): void {
  const niceness = Math.min(getPriority() + steps, LOWEST);
  // Linux has a priority per thread, and the threads that compress, hash and collect garbage start before any code runs.
  const threads = process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [process.pid];
  for (const thread of threads) setPriority(thread, niceness);
}
