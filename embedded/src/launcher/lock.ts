/** Locks a data directory for one process, such as the launcher. A second process is refused while the first runs. */
import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identify, isRunning, type ProcessIdentity } from './running-processes.ts';

type Holder = ProcessIdentity & { token: string };

export class DirectoryInUse extends Error {
  readonly pid: number;
  constructor(directory: string, pid: number) {
    super(
      `The data in ${directory} are in use by another instance (process ${pid}). Stop that instance first ` +
        `(Ctrl-C in its terminal, or: kill ${pid}), or set DATA_DIR to another folder.`,
    );
    this.name = 'DirectoryInUse';
    this.pid = pid;
  }
}

/**
 * Takes the lock and returns the function that releases it. Throws DirectoryInUse if a running process holds the lock.
 * The lock file is written under another name and then linked, so that it is never read incompletely. It contains the
 * pid and the start time of its holder, so that an ended holder is recognised even if its pid was reused.
 */
export function lockDirectory(directory: string): () => void {
  mkdirSync(directory, { recursive: true });
  const path = join(directory, 'launcher.lock');
  const self = identify(process.pid);
  if (self === undefined) throw new Error(`The process table of this machine cannot be read (process ${process.pid})`);
  const ownHolder: Holder = { ...self, token: randomUUID() };
  const ownPath = `${path}.${ownHolder.token}`;
  writeFileSync(ownPath, JSON.stringify(ownHolder));
  try {
    while (!link(ownPath, path)) {
      const holder = read(path);
      if (holder === undefined) continue; // released meanwhile
      if (isRunning(holder)) throw new DirectoryInUse(directory, holder.pid);
      removeStale(path, holder, `${ownPath}.stale`);
    }
  } finally {
    rmSync(ownPath, { force: true });
  }
  return () => {
    if (read(path)?.token === ownHolder.token) rmSync(path, { force: true });
  };
}

/** Removes the lock of an ended holder. If the moved file is the new lock of another process, moves the file back. */
function removeStale(path: string, endedHolder: Holder, stalePath: string): void {
  try {
    renameSync(path, stalePath);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return; // another process was faster
    throw error;
  }
  if (read(stalePath)?.token !== endedHolder.token) link(stalePath, path);
  rmSync(stalePath, { force: true });
}

function link(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function read(path: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Holder;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
