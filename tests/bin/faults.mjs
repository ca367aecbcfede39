/** Runs the fault checks in full: hundreds of kills, tens of thousands of commands. `SEED=… npm run faults` replays a run. */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const options = { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' };
if (spawnSync('npx', ['tsc', '-b'], options).status !== 0) process.exit(1);
const run = spawnSync(
  'npx',
  ['vitest', 'run', '--project', 'faults', '--project', 'conformance', ...process.argv.slice(2)],
  { ...options, env: { ...process.env, FAULTS: 'long' } },
);
process.exit(run.status ?? 1);
