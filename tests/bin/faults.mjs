/**
 * Runs the tests of the folders `long`, which `npm test` leaves out, and the long form of tests that `npm test` runs in
 * a short form. `npm run faults -- <words>` runs the files whose path contains one of the words. SEED in the
 * environment repeats the random numbers of a run.
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

const words = process.argv.slice(2);

/** Stories that `npm test` leaves out or runs in a short form. */
const STORIES = [
  'stories/long/',
  ...['bulk-decisions', 'large-deletions', 'stories/relationships', 'stories/commands', 'request-origin'],
  'stories/schema',
  'stories/scaled/revocation',
];

if (!run('npm', 'run', '--silent', 'build')) process.exit(1);
const playwright = (...args) => run('npx', 'playwright', 'test', '--config', 'tests/playwright.config.ts', ...args);
const results =
  words.length > 0
    ? [run('npx', 'vitest', 'run', '--passWithNoTests', ...words), playwright('--pass-with-no-tests', ...words)]
    : [
        run('npx', 'vitest', 'run', '--project', 'faults', '--project', 'conformance'),
        run('npx', 'vitest', 'run', '--project', 'conformance scavenged', 'subscribe'),
        run('npx', 'vitest', 'run', '--project', 'unit', '/long/', 'query-api/src/list/', 'projector/determinism'),
        run('npx', 'vitest', 'run', '--project', 'stories', ...STORIES),
        run('npx', 'vitest', 'run', '--project', 'stories scaled'),
        playwright('/long/', 'import-to-approval'),
      ];
process.exit(results.every(Boolean) ? 0 : 1);
