/** Runs PostgreSQL without root rights, because PostgreSQL refuses root, and ends PostgreSQL with this process. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';

/** The id of the user `nobody`, which is the same on every Linux. */
const NOBODY = 65534;

export type Runner = {
  /** The command to put before a program and its arguments. */
  prefix: string[];
  /** Makes the user of the programs the owner of a data directory. */
  takeOwnership(directory: string): void;
};

const dieWithParent = ['setpriv', '--pdeathsig', 'INT'];

/** Whether a program can be started with this prefix. */
export type CanRun = (args: string[]) => boolean;

/**
 * Returns the runner for PostgreSQL. If this process is root, PostgreSQL runs in a user namespace that maps root to
 * `nobody`: root still owns the files, so a private folder of root is accessible. If namespaces fail, as in many
 * containers, PostgreSQL runs as the real user `nobody` with the capability to access every folder. Throws if this
 * fails too.
 * Other users need a namespace only if the user id has no name, because initdb requires a name.
 * `pdeathsig` is set last, because a change of the user clears this setting.
 */
export function unprivilegedRunner(canRun: CanRun): Runner {
  if (process.platform !== 'linux') return { prefix: [], takeOwnership: () => {} };
  const namespace = ['unshare', '--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`, '--', ...dieWithParent];
  if (process.getuid?.() !== 0) {
    const prefix = [...(hasUserName() ? [] : [namespace]), dieWithParent].find(canRun) ?? [];
    return { prefix, takeOwnership: () => {} };
  }
  if (canRun(namespace)) return { prefix: namespace, takeOwnership: (directory) => giveTo(0, directory) };

  const canReach = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override'];
  const nobody = [
    'setpriv',
    `--reuid=${NOBODY}`,
    `--regid=${NOBODY}`,
    '--clear-groups',
    ...canReach,
    '--pdeathsig',
    'INT',
  ];
  if (canRun(nobody)) return { prefix: nobody, takeOwnership: (directory) => giveTo(NOBODY, directory) };

  throw new Error(
    'PostgreSQL does not run as root, and neither unshare nor setpriv (util-linux) can drop the rights here. ' +
      'Start as a plain user, or set DATABASE_URL to a PostgreSQL server.',
  );
}

/** Returns a test of a prefix: whether a process with this prefix can execute the program and write to the folder. */
export function prefixTest(program: string, folder: string): CanRun {
  return ([command = '', ...options]) => {
    const test = ['sh', '-c', 'test -x "$1" && test -w "$2"', 'sh', program, folder];
    return spawnSync(command, [...options, ...test], { stdio: 'ignore' }).status === 0;
  };
}

function hasUserName(): boolean {
  try {
    return userInfo().username !== '';
  } catch {
    return false;
  }
}

function giveTo(uid: number, directory: string): void {
  if (!existsSync(directory) || statSync(directory).uid === uid) return;
  execFileSync('chown', ['-R', `${uid}:${uid}`, directory]);
}
