/** How to run PostgreSQL, which refuses to run as root, whoever we are; and so that it ends when we are killed. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';

/** The user "nobody", whose number is the same on every Linux. */
const NOBODY = 65534;

export type Runner = {
  /** The words to put before a program and its arguments. */
  prefix: string[];
  /** Gives a data directory to the user under whom the programs see themselves as its owner. */
  takeOwnership(directory: string): void;
};

const dieWithParent = ['setpriv', '--pdeathsig', 'INT'];

/** Whether a program can be started behind these words. */
export type CanRun = (args: string[]) => boolean;

/**
 * As root, a user namespace in which we are nobody: no user is created, and files stay root's, so that a data directory in
 * root's private folder is reachable. Where namespaces are forbidden (many containers) or the folder is private to another
 * user, nobody in earnest, who keeps the one capability that lets it reach every folder. A plain user needs neither, unless
 * the number has no name (initdb asks for it), as in containers run with a made-up one: the namespace again. `pdeathsig`
 * is set last: a change of user clears it.
 */
export function unprivilegedRunner(canRun: CanRun): Runner {
  if (process.platform !== 'linux') return { prefix: [], takeOwnership: () => {} };
  const namespace = ['unshare', '--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`, '--', ...dieWithParent];
  if (process.getuid?.() !== 0) {
    const prefix = [...(hasName() ? [] : [namespace]), dieWithParent].find(canRun) ?? [];
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

/** Tries it: the program must be found and the folder be writable from there. */
export function reaching(program: string, folder: string): CanRun {
  return ([first = '', ...rest]) => {
    const test = ['sh', '-c', 'test -x "$1" && test -w "$2"', 'sh', program, folder];
    return spawnSync(first, [...rest, ...test], { stdio: 'ignore' }).status === 0;
  };
}

function hasName(): boolean {
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
