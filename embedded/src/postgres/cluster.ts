/** Creates a database cluster on disk atomically, with its password in a file that only the owner can read. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ProcessIdentity } from '../launcher/running-processes.ts';
import type { Binaries } from './binaries.ts';
import type { Runner } from './unprivileged.ts';

/**
 * The database and the role that owns it. The role is not a superuser, so that a query of the application cannot access
 * the file system.
 */
const NAME = 'rdm';

/**
 * The rights that purges need to remove deleted bytes: to make checkpoints, to switch to a new file of the write-ahead
 * log, and to vacuum tables. Increase the version with each change, so that the next start of a cluster applies them.
 */
const GRANTS_VERSION = 1;
const GRANTS = [
  `GRANT pg_checkpoint, pg_maintain TO ${NAME}`,
  // This grant is only valid in the database in which it was made.
  `GRANT EXECUTE ON FUNCTION pg_switch_wal() TO ${NAME}`,
];

export type ClusterRecord = {
  password: string;
  /** The version of the grants that the cluster has. */
  grants?: number;
  /** The last port on which the server listened. */
  port?: number;
  /** The process that last started the server. */
  owner?: ProcessIdentity;
};

export const databaseUrl = (password: string, port: number) =>
  `postgres://${NAME}:${password}@127.0.0.1:${port}/${NAME}`;

/**
 * Creates a cluster if the folder has none. The rename at the end prevents incomplete clusters after an interrupted
 * start. CLUSTER_TEMPLATE names an empty, stopped cluster to copy, because tests create dozens of clusters.
 */
export async function createCluster(directory: string, binaries: Binaries, runner: Runner): Promise<void> {
  if (existsSync(join(directory, 'PG_VERSION'))) return;
  const newDirectory = `${directory}.new`;
  await mkdir(dirname(directory), { recursive: true });
  await rm(newDirectory, { recursive: true, force: true });
  const template = process.env['CLUSTER_TEMPLATE'];
  const record = template
    ? await copyCluster(template, newDirectory)
    : await initialiseCluster(newDirectory, binaries, runner);
  await writeRecord(newDirectory, record);
  await rename(newDirectory, directory);
}

async function copyCluster(template: string, newDirectory: string): Promise<ClusterRecord> {
  const record = await readRecord(template);
  if (record === undefined)
    throw new Error(`CLUSTER_TEMPLATE names ${template}, which is not a cluster of this product.`);
  cpSync(template, newDirectory, { recursive: true });
  const { password, grants } = record;
  return { password, ...(grants !== undefined && { grants }) };
}

/**
 * Grants the role the rights that a cluster of an earlier version lacks. The server must not run. Returns the record
 * with the current version of the grants.
 */
export async function updateGrants(
  directory: string,
  record: ClusterRecord,
  binaries: Binaries,
  runner: Runner,
): Promise<ClusterRecord> {
  if (record.grants === GRANTS_VERSION) return record;
  await runAlone(directory, NAME, GRANTS, binaries, runner);
  const updated = { ...record, grants: GRANTS_VERSION };
  await writeRecord(directory, updated);
  return updated;
}

/** Runs commands as the superuser, in single-user mode. The server must not run. */
export async function runAlone(
  directory: string,
  database: string,
  commands: string[],
  { postgres }: Pick<Binaries, 'postgres'>,
  runner: Runner,
): Promise<void> {
  await run(runner, [postgres, '--single', '-D', directory, '-c', 'exit_on_error=on', database], commands);
}

async function initialiseCluster(newDirectory: string, binaries: Binaries, runner: Runner): Promise<ClusterRecord> {
  const superuserPasswordFile = `${newDirectory}.password`;
  const password = randomBytes(24).toString('base64url');
  await writeFile(superuserPasswordFile, randomBytes(24).toString('base64url'), { mode: 0o600 });
  try {
    await run(runner, [
      ...[binaries.initdb, '--pgdata', newDirectory, '--username', 'postgres', '--pwfile', superuserPasswordFile],
      ...['--auth', 'scram-sha-256', '--data-checksums', '--encoding', 'UTF8', '--no-instructions'],
      // Sort order and case conversion must be the same on every platform, regardless of its locales.
      ...['--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8', '--locale', 'C'],
    ]);
    const commands = [
      `CREATE ROLE ${NAME} LOGIN CREATEDB PASSWORD '${password}'`,
      `GRANT pg_monitor TO ${NAME}`,
      `CREATE DATABASE ${NAME} OWNER ${NAME}`,
    ];
    await runAlone(newDirectory, 'postgres', commands, binaries, runner);
    await runAlone(newDirectory, NAME, GRANTS, binaries, runner);
  } finally {
    await rm(superuserPasswordFile, { force: true });
  }
  return { password, grants: GRANTS_VERSION };
}

const recordFile = (directory: string) => join(directory, 'embedded.json');

export async function readRecord(directory: string): Promise<ClusterRecord | undefined> {
  const text = await readFile(recordFile(directory), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return text === undefined ? undefined : (JSON.parse(text) as ClusterRecord);
}

export async function writeRecord(directory: string, record: ClusterRecord): Promise<void> {
  const path = recordFile(directory);
  await writeFile(`${path}.new`, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/** Runs a PostgreSQL program with one command per line as input. Rejects with the output of a failed program. */
function run(runner: Runner, args: string[], commands: string[] = []): Promise<void> {
  const [program = '', ...programArgs] = [...runner.prefix, ...args];
  return new Promise((resolve, reject) => {
    const child = spawn(program, programArgs, { stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true });
    let output = '';
    const collect = (chunk: Buffer) => {
      output += chunk;
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.stdin.on('error', () => {}); // A failed program does not read its input; `close` reports the failure.
    child.once('error', reject);
    child.once('close', (code, signal) =>
      code === 0 ? resolve() : reject(new Error(`${args[0]} failed (${signal ?? code}): ${output.trim()}`)),
    );
    child.stdin.end(commands.map((command) => `${command}\n`).join(''));
  });
}
