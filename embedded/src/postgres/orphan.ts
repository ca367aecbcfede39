/**
 * Cleans up a data directory after an earlier run: stops servers whose owner process has ended, and removes a stale pid
 * file.
 */
import { readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { commandLineOf, end, identify, isRunning, type ProcessIdentity } from '../launcher/running-processes.ts';

/**
 * Ends all servers on the directory. Throws if a server runs and `owner`, the process that started the server, still
 * runs. A pid alone does not identify a server, because containers reuse pids, so the command line is compared too.
 */
export async function stopOrphans(directory: string, owner: ProcessIdentity | undefined): Promise<void> {
  const postmaster = findPostmaster(directory);
  if (postmaster !== undefined) {
    if (owner !== undefined && isRunning(owner))
      throw new Error(`The database in ${directory} is in use by process ${owner.pid}. Stop that process first.`);
    await end(postmaster, [
      ['SIGINT', 10_000],
      ['SIGQUIT', 3_000],
    ]);
  }
  for (const backend of findBackends(directory)) await end(backend, [['SIGQUIT', 2_000]]);
  // PostgreSQL refuses to start if another process has the pid in the file.
  rmSync(pidFile(directory), { force: true });
}

const pidFile = (directory: string) => join(directory, 'postmaster.pid');

/**
 * Returns the lines of PostgreSQL's pid file: pid, directory, start time, port, …; the eighth is the state. Returns no
 * lines if there is no file.
 */
export function readPidFile(directory: string): string[] {
  try {
    return readFileSync(pidFile(directory), 'utf8').split('\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function findPostmaster(directory: string): ProcessIdentity | undefined {
  const pid = Number(readPidFile(directory)[0]);
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  const commandLine = commandLineOf(pid);
  return commandLine.includes('postgres') && commandLine.includes(directory) ? identify(pid) : undefined;
}

/**
 * Finds backends that still run after their postmaster was killed, by their working directory. Returns none on systems
 * other than Linux.
 */
function findBackends(directory: string): ProcessIdentity[] {
  if (process.platform !== 'linux') return [];
  const isServerInDirectory = (pid: number) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(directory) && commandLineOf(pid).includes('postgres');
    } catch {
      return false; // already ended, or a process of another user
    }
  };
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return pids.filter(isServerInDirectory).flatMap((pid) => identify(pid) ?? []);
}
