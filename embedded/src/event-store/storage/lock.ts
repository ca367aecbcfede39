/** Locks a directory for one process. */
import { createHash } from 'node:crypto';
import { readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isOutOfSpace } from './disk.ts';

/** Thrown when another event store has locked the directory. */
export class StoreInUse extends Error {
  override readonly name = 'StoreInUse';
}

/**
 * Locks the directory by listening on a local socket with a name derived from the directory. The operating system
 * releases the socket when the process ends, even if the process is killed. The file `owner` names the process
 * in error messages.
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
        if (error.code !== 'EADDRINUSE' || name.startsWith('\0') || (await acceptsConnections(name))) throw error;
        // On systems where sockets are files, a killed process leaves its file.
        rmSync(name, { force: true });
        return listen(name);
      });
      writeOwner(owner);
      return new DirectoryLock(server);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
      throw new StoreInUse(`${directory} is in use by another event store${ownerText(owner)}`);
    }
  }

  async release(): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Writes the id of this process. Ignores a full disk, because the lock does not depend on the file. */
function writeOwner(path: string): void {
  try {
    writeFileSync(path, `${process.pid}\n`, { mode: 0o600 });
  } catch (error) {
    if (!isOutOfSpace(error)) throw error;
  }
}

/** Returns the name of the socket: on Linux a socket without a file, on Windows a named pipe, elsewhere a file. */
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

function acceptsConnections(name: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(name);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

function ownerText(owner: string): string {
  try {
    return ` (process ${readFileSync(owner, 'utf8').trim()})`;
  } catch {
    return '';
  }
}
