/** Locks a directory for one process. */
import { createHash } from 'node:crypto';
import { readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isOutOfSpace } from './disk.ts';

/** Thrown when another process has locked the directory. */
export class DirectoryInUse extends Error {
  override readonly name = 'DirectoryInUse';
}

/**
 * Locks the directory by listening on a local socket named after it, which the operating system frees however the process ends.
 * The file `owner` only names the process in error messages.
 */
export class DirectoryLock {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async acquire(directory: string): Promise<DirectoryLock> {
    const name = socketName(realpathSync(directory));
    const owner = join(directory, 'owner');
    try {
      const server = await listen(name).catch(async (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EADDRINUSE' || name.startsWith('\0') || (await answers(name))) throw error;
        // A socket that is a file remains when its process is killed.
        rmSync(name, { force: true });
        return listen(name);
      });
      writeOwner(owner);
      return new DirectoryLock(server);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
      throw new DirectoryInUse(`${directory} is in use by another event store${holder(owner)}`);
    }
  }

  async release(): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** The lock does not depend on this file, so a full disk is no reason to stop. */
function writeOwner(path: string): void {
  try {
    writeFileSync(path, `${process.pid}\n`, { mode: 0o600 });
  } catch (error) {
    if (!isOutOfSpace(error)) throw error;
  }
}

/** Linux has sockets without files, Windows named pipes; elsewhere the socket is a file. */
function socketName(directory: string): string {
  const name = `rdm-event-store-${createHash('sha256').update(directory).digest('hex').slice(0, 32)}`;
  if (process.platform === 'linux') return `\0${name}`;
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`);
}

function listen(name: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.unref();
    server.once('error', reject);
    server.listen(name, () => resolve(server));
  });
}

function answers(name: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(name);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

function holder(owner: string): string {
  try {
    return ` (process ${readFileSync(owner, 'utf8').trim()})`;
  } catch {
    return '';
  }
}
