/** Lowers the scheduling priority of processes and of worker threads. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
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
  if (isSessionLeader()) lowerSession(process.pid, niceness);
}

/** Whether a thread has ended since it was listed. */
const hasEnded = (error: unknown): boolean => (error as { info?: { code?: string } }).info?.code === 'ESRCH';

/** Whether this process began its session, so that the session contains no process of the user, such as a shell. */
function isSessionLeader(): boolean {
  if (process.platform !== 'linux') return false;
  // The name of the program, in parentheses, can contain spaces. It is followed by: state, parent, process group, session.
  const stat = readFileSync('/proc/self/stat', 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[3]) === process.pid;
}

/**
 * Sets the niceness of a process that leads a session, for example of a server process of PostgreSQL on this machine.
 * Without the right to do this, the priority stays as it is.
 */
export function setLeaderPriority(leader: number, niceness: number): void {
  try {
    setPriority(leader, niceness);
  } catch {
    return;
  }
  lowerSession(leader, niceness);
}

/** Without privileges, Linux permits one change of a session in 100 ms on the whole machine. */
const RETRY_MS = 250;
const RETRIES_MAX = 20;

/**
 * Sets the niceness of a session. Many Linux distributions share the CPU between sessions (autogroups), and the
 * niceness of a process only counts within its session. Tries again later if the system has changed a session just now.
 */
function lowerSession(leader: number, niceness: number, retries = RETRIES_MAX): void {
  if (process.platform !== 'linux') return;
  try {
    writeFileSync(`/proc/${leader}/autogroup`, String(niceness));
  } catch (error) {
    // Other errors: the kernel has no autogroups, the process has ended, or this process may not change it.
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || retries === 0) return;
    const pause = RETRY_MS * (1 + Math.random());
    setTimeout(() => lowerSession(leader, niceness, retries - 1), pause).unref();
  }
}

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
