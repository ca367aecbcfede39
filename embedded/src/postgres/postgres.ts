/** The embedded PostgreSQL server: its binaries are from npm; it listens only on loopback and requires a password. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, realpath } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../launcher/ports.ts';
import { end, identify } from '../launcher/running-processes.ts';
import { type Binaries, findBinaries } from './binaries.ts';
import { createCluster, databaseUrl, readRecord, updateGrants, writeRecord } from './cluster.ts';
import { readPidFile, stopOrphans } from './orphan.ts';
import { prefixTest, type Runner, unprivilegedRunner } from './unprivileged.ts';

export type PostgresOptions = {
  /** The folder of the cluster; created if it does not exist. */
  dir: string;
  /** The port to listen on; by default the last used port or, if it is not free, any free port. */
  port?: number;
  /** Receives the log of the server, line by line. */
  log: (line: string) => void;
  /** How to run the programs of PostgreSQL; by default `unprivilegedRunner`, because they refuse to run as root. */
  runner?: Runner;
};

export type RunningPostgres = {
  url: string;
  port: number;
  pid: number;
  /** Resolves when the server has ended, for any reason. */
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Closes the connections and stops the server; kills it after a timeout (not on Windows). */
  stop(): Promise<void>;
};

/**
 * The settings for a machine with two cores that also runs the services. Settings for durability have their defaults.
 */
const SETTINGS: Record<string, string | number> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: 120,
  shared_buffers: '256MB',
  effective_cache_size: `${Math.max(512, Math.floor(totalmem() / 2 ** 21))}MB`,
  work_mem: '16MB',
  maintenance_work_mem: '256MB',
  jit: 'off',
  random_page_cost: 1.1,
  max_parallel_workers_per_gather: 1,
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  // There is no replication. With `minimal`, COPY into a table that the same transaction created skips the WAL.
  wal_level: 'minimal',
  max_wal_senders: 0,
  min_wal_size: '256MB',
  max_wal_size: '2GB',
  wal_compression: 'on',
  // A recycled file would still contain the data that a purge has deleted.
  wal_recycle: 'off',
  checkpoint_timeout: '10min',
  // Cancel queries whose client was killed.
  client_connection_check_interval: '5s',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
};

/**
 * Settings of the allocator of glibc; other systems ignore them. A session reuses up to 8 MiB of freed memory.
 * Returning the memory to the kernel after each large value would make imports 50% slower.
 */
const ALLOCATOR = { MALLOC_MMAP_THRESHOLD_: `${4 * 1024 ** 2}`, MALLOC_TRIM_THRESHOLD_: `${8 * 1024 ** 2}` };

const START_TIMEOUT_MS = 60_000;
const ATTEMPTS = 5;

/** Starts the server, and creates its cluster first if there is none. Resolves when the server accepts connections. */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const { dir, port, log } = options;
  const directory = await canonicalPath(dir);
  const binaries = await findBinaries();
  const { runner = unprivilegedRunner(prefixTest(binaries.postgres, dirname(directory))) } = options;
  await createCluster(directory, binaries, runner);
  runner.takeOwnership(directory);
  let record = await readRecord(directory);
  if (record === undefined) throw new Error(`${directory} holds a database that this product did not create.`);

  for (let attempt = 1; ; attempt++) {
    await stopOrphans(directory, record.owner);
    record = await updateGrants(directory, record, binaries, runner).catch((error: Error) => {
      throw isDiskFull(error.message) ? diskFull(directory) : error;
    });
    const chosenPort = port ?? (await freePort(record.port));
    const server = serve(directory, chosenPort, binaries, runner, log);
    if (await server.ready) {
      const self = identify(process.pid);
      await writeRecord(directory, { ...record, port: chosenPort, ...(self && { owner: self }) });
      return { ...server, url: databaseUrl(record.password, chosenPort), port: chosenPort };
    }
    if (isDiskFull(server.lastLines())) throw diskFull(directory);
    if (attempt === ATTEMPTS) throw new Error(`PostgreSQL did not start in ${directory}: ${server.lastLines()}`);
    await pause(200); // the previous server may not have released its port or memory yet
  }
}

const isDiskFull = (output: string): boolean => output.includes('No space left on device');

function diskFull(directory: string): Error {
  const message = `PostgreSQL cannot start because the disk that holds ${directory} is full. Free space on it`;
  return Object.assign(new Error(message), { code: 'ENOSPC' });
}

/** Creates the parent folder; returns the path as the kernel reports it, so that the path can identify processes. */
async function canonicalPath(dir: string): Promise<string> {
  const parent = dirname(resolve(dir));
  await mkdir(parent, { recursive: true });
  return join(await realpath(parent), basename(dir));
}

function serve(directory: string, port: number, binaries: Binaries, runner: Runner, log: (line: string) => void) {
  const settings = Object.entries({ ...SETTINGS, port }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const [program = '', ...args] = [...runner.prefix, binaries.postgres, '-D', directory, ...settings];
  // A separate session: Ctrl-C in the terminal reaches only the launcher, which stops the parts in order.
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...ALLOCATOR },
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
  const recent: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => {
      recent.push(line);
      if (recent.length > 20) recent.shift();
      log(line);
    });
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((settle, reject) => {
    child.once('error', reject);
    // Do not wait for 'close': after a kill, the backends keep the pipe of the log open a little longer.
    child.once('exit', (code, signal) => settle({ code, signal }));
  });
  return {
    pid: child.pid ?? 0,
    exited,
    ready: waitUntilReady(directory, child, exited),
    lastLines: () => recent.join('\n'),
    stop: () => stop(directory, child, exited, binaries),
  };
}

/**
 * Waits until the pid file reports that PostgreSQL is ready. Kills PostgreSQL after START_TIMEOUT_MS. Returns false if
 * PostgreSQL ended or was killed.
 */
async function waitUntilReady(directory: string, child: ChildProcess, exited: Promise<unknown>): Promise<boolean> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  const ended = exited.then(() => true);
  while (Date.now() < deadline) {
    const lines = readPidFile(directory);
    if (Number(lines[0]) === child.pid && lines[7]?.trim() === 'ready') return true;
    if (await Promise.race([ended, pause(10, false)])) return false;
  }
  child.kill('SIGKILL');
  await exited;
  return false;
}

async function stop(directory: string, child: ChildProcess, exited: Promise<unknown>, { pgCtl }: Binaries) {
  const server = child.exitCode === null && child.signalCode === null && child.pid ? identify(child.pid) : undefined;
  if (server !== undefined && process.platform === 'win32')
    spawn(pgCtl, ['stop', '-D', directory, '-m', 'fast', '-W'], { stdio: 'ignore', windowsHide: true });
  else if (server !== undefined)
    await end(server, [
      ['SIGINT', 20_000],
      ['SIGQUIT', 5_000],
    ]);
  await exited;
}
