/** Runs a program of this workspace. Builds the workspace first if the program is missing. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** `program` is the name of a file in `src` without its extension. */
export async function runBuilt(program) {
  const workspace = join(dirname(fileURLToPath(import.meta.url)), '..');
  const main = join(workspace, 'dist', `${program}.js`);
  if (!existsSync(main)) {
    const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
    const built = spawnSync(process.execPath, [join(typescript, 'bin', 'tsc'), '-b', workspace], { stdio: 'inherit' });
    if (built.status !== 0) process.exit(built.status ?? 1);
  }
  const { programUrl } = await import('../../platform/dist/service/programs.js');
  await import(programUrl(`embedded/dist/${program}.js`).href);
}
