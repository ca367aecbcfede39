/** Creates a database cluster on disk atomically; stores its password inside, readable only by the owner. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ProcessIdentity } from '../launcher/running-processes.ts';
import type { Binaries } from './binaries.ts';
import type { Runner } from './unprivileged.ts';

/**
 * The database and the role that owns it. The role is no superuser: a query of the application cannot access the file system.
 */
const NAME = 'rdm';

export type ClusterRecord = {
  password: string;
  /** The port on which it listened last. */
  port?: number;
  /** The process that started it last. */
  owner?: ProcessIdentity;
};

export const databaseUrl = (password: string, port: number) =>
  `postgres://${NAME}:${password}@127.0.0.1:${port}/${NAME}`;

/**
 * Creates the cluster in a temporary folder and renames it, so that an interrupted start leaves no incomplete cluster. Tests
 * create dozens: if CLUSTER_TEMPLATE names an empty, stopped cluster that was created here, they copy it.
 */
export async function createCluster(directory: string, binaries: Binaries, runner: Runner): Promise<void> {
  if (existsSync(join(directory, 'PG_VERSION'))) return;
  const fresh = `${directory}.new`;
  await mkdir(dirname(directory), { recursive: true });
  await rm(fresh, { recursive: true, force: true });
  const template = process.env['CLUSTER_TEMPLATE'];
  const password = template ? await copyCluster(template, fresh) : await initialiseCluster(fresh, binaries, runner);
  await writeRecord(fresh, { password });
  await rename(fresh, directory);
}

async function copyCluster(template: string, fresh: string): Promise<string> {
  const record = await readRecord(template);
  if (record === undefined)
    throw new Error(`CLUSTER_TEMPLATE names ${template}, which is no cluster that was made here.`);
  cpSync(template, fresh, { recursive: true });
  return record.password;
}

async function initialiseCluster(fresh: string, { initdb, postgres }: Binaries, runner: Runner): Promise<string> {
  const superuserPassword = `${fresh}.password`;
  const password = randomBytes(24).toString('base64url');
  await writeFile(superuserPassword, randomBytes(24).toString('base64url'), { mode: 0o600 });
  try {
    await run(runner, [
      ...[initdb, '--pgdata', fresh, '--username', 'postgres', '--pwfile', superuserPassword],
      ...['--auth', 'scram-sha-256', '--data-checksums', '--encoding', 'UTF8', '--no-instructions'],
      // The same sort order and letter case on every platform, independent of its locales.
      ...['--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8', '--locale', 'C'],
    ]);
    await run(
      runner,
      [postgres, '--single', '-D', fresh, '-c', 'exit_on_error=on', 'postgres'],
      [
        `CREATE ROLE ${NAME} LOGIN CREATEDB PASSWORD '${password}'`,
        `GRANT pg_monitor TO ${NAME}`,
        `CREATE DATABASE ${NAME} OWNER ${NAME}`,
      ],
    );
  } finally {
    await rm(superuserPassword, { force: true });
  }
  return password;
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

/** Runs one of PostgreSQL's programs to its end, with one command per line as input; throws with its output when it fails. */
function run(runner: Runner, args: string[], commands: string[] = []): Promise<void> {
  const [program = '', ...rest] = [...runner.prefix, ...args];
  return new Promise((resolve, reject) => {
    const child = spawn(program, rest, { stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true });
    let output = '';
    const collect = (chunk: Buffer) => {
      output += chunk;
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.stdin.on('error', () => {}); // a failed program does not read its input; its exit is handled
    child.once('error', reject);
    child.once('close', (code, signal) =>
      code === 0 ? resolve() : reject(new Error(`${args[0]} failed (${signal ?? code}): ${output.trim()}`)),
    );
    child.stdin.end(commands.map((command) => `${command}\n`).join(''));
  });
}
