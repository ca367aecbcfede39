/** Lowers the scheduling priority of processes and of worker threads. */
import { readdirSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

const LOWEST = 19;

/** Raises the niceness of this process by `steps`, so that other processes run first. */
export function lowerPriority(steps: number): void {
  const niceness = Math.min(getPriority() + steps, LOWEST);
  // Linux has a priority per thread, and Node.js starts some threads before any code runs.
  const threads = process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [process.pid];
  for (const thread of threads) {
    try {
      setPriority(thread, niceness);
    } catch (error) {
      if (!hasEnded(error)) throw error;
    }
  }
}

/** Whether a thread has ended since it was listed. */
const hasEnded = (error: unknown): boolean => (error as { info?: { code?: string } }).info?.code === 'ESRCH';

/**
 * Gives this worker thread the lowest scheduling priority. Only Linux has a priority per thread; elsewhere the function
 * does nothing.
 */
export function lowerThreadPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(constants.priority.PRIORITY_LOW);
  } catch {
    // Without the right to change the priority, the thread has the default priority.
  }
}
