/**
 * Runs the long versions of tests that `npm test` runs in a short version: hundreds of kills, tens of thousands of commands,
 * hundreds of keys. `SEED=… npm run faults` repeats a run.
 */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

function run(command, ...args) {
  const env = { ...process.env, FAULTS: 'long' };
  return (
    spawnSync(command, args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32', env }).status === 0
  );
}

/** Stories that `npm test` runs in a short version. */
const STORIES = [
  ...['bulk-decisions', 'large-deletions', 'stories/relationships', 'stories/commands', 'mapping-exchange'],
  ...['export-round-trips', 'import-zoo', 'request-origin', 'stories/purges', 'stories/schema'],
];

if (!run('npm', 'run', '--silent', 'build')) process.exit(1);
const results = [
  run('npx', 'vitest', 'run', '--project', 'faults', '--project', 'conformance', ...process.argv.slice(2)),
  run('npx', 'vitest', 'run', '--project', 'unit', 'query-api/src/list/', 'projector/determinism'),
  run('npx', 'vitest', 'run', '--project', 'stories', ...STORIES),
  run('npx', 'vitest', 'run', '--project', 'stories scaled'),
  run('npx', 'playwright', 'test', '--config', 'tests/playwright.config.ts', 'keyboard-only', 'import-to-approval'),
];
process.exit(results.every(Boolean) ? 0 : 1);
