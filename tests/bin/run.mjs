/** Runs every check and test there is and counts them: the last line is `N passed, N failed`. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const results = join(root, 'test-results');
rmSync(results, { recursive: true, force: true });
mkdirSync(results, { recursive: true });

const run = (name, command, args, env = {}) =>
  new Promise((resolve) => {
    console.log(`\n── ${name}`);
    const started = Date.now();
    const child = spawn(command, args, {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, ...env },
      shell: process.platform === 'win32',
    });
    child.on('exit', (code) => {
      console.log(`── ${name}: ${code === 0 ? 'done' : 'FAILED'} in ${Math.round((Date.now() - started) / 1000)} s`);
      resolve(code ?? 1);
    });
  });

let passed = 0;
let failed = 0;

/** A step without tests of its own counts as one. */
async function step(name, command, args) {
  if ((await run(name, command, args)) === 0) passed += 1;
  else failed += 1;
}

/** A runner counts its own tests; one that fails without a failed test counts as one failure more. */
async function tests(name, command, args, file, env, count) {
  const code = await run(name, command, args, env);
  let counted = { passed: 0, failed: 0 };
  try {
    counted = count(JSON.parse(readFileSync(join(results, file), 'utf8')));
  } catch (error) {
    console.log(`${name} left no result to count: ${error.message}`);
  }
  passed += counted.passed;
  failed += counted.failed + (code !== 0 && counted.failed === 0 ? 1 : 0);
  if (counted.passed + counted.failed === 0) failed += 1;
}

// The stories run in containers too where a Docker engine answers; where none does, nothing is counted.
const docker = spawnSync('docker', ['info'], { stdio: 'ignore' }).status === 0;
if (!docker) console.log('No Docker engine answers: the stories are not run in containers.');

await step('types, lint, format, dependency rules', 'npm', ['run', '--silent', 'check']);
await step('build', 'npm', ['run', '--silent', 'build']);
if (failed === 0) {
  await tests(
    'specs, conformance, stories and faults',
    'npx',
    ['vitest', 'run', '--reporter=default', '--reporter=json', '--outputFile.json=test-results/vitest.json'],
    'vitest.json',
    docker ? { CONTAINERS: '1' } : {},
    // A pending test is a skipped one: it did not pass.
    (report) => ({
      passed: report.numPassedTests,
      failed: report.numFailedTests + report.numPendingTests + report.numTodoTests,
    }),
  );
  await tests(
    'browser stories',
    'npx',
    ['playwright', 'test', '--config', 'tests/playwright.config.ts'],
    'playwright.json',
    { PLAYWRIGHT_JSON_OUTPUT_NAME: join(results, 'playwright.json') },
    ({ stats }) => ({ passed: stats.expected + stats.flaky, failed: stats.unexpected + stats.skipped }),
  );
}
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
