/** Cleans up after an earlier run in a data directory: stops servers without an owner and removes a stale pid file. */
import { readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { commandLineOf, end, identify, isRunning, type ProcessIdentity } from '../launcher/running-processes.ts';

/**
 * Ends all servers on the directory. Throws when the owner of the server still runs. A pid alone proves nothing (containers
 * reuse the same few): the command line must be PostgreSQL's on this directory.
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
  // PostgreSQL itself would trust the file whenever any process has that pid now.
  rmSync(pidFile(directory), { force: true });
}

const pidFile = (directory: string) => join(directory, 'postmaster.pid');

/**
 * The lines of PostgreSQL's pid file: pid, directory, start, port, …, and as the eighth the state. Empty if there is no file.
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

/** Backends outlive a killed postmaster until they notice; on Linux they are found by their working directory. */
function findBackends(directory: string): ProcessIdentity[] {
  if (process.platform !== 'linux') return [];
  const isServerInDirectory = (pid: number) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(directory) && commandLineOf(pid).includes('postgres');
    } catch {
      return false; // already ended, or another user's
    }
  };
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return pids.filter(isServerInDirectory).flatMap((pid) => identify(pid) ?? []);
}
