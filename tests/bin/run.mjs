/** Runs every check and test there is and counts them: the last line is `N passed, N failed`, after the names of what failed. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const results = join(root, 'test-results');
rmSync(results, { recursive: true, force: true });
mkdirSync(results, { recursive: true });

let passed = 0;
const failed = [];

/** Says what it does as it goes on, or all at once at its end where something else is talking meanwhile. */
const run = (name, command, args, { env = {}, aside = false } = {}) =>
  new Promise((resolve) => {
    console.log(`\n── ${name}${aside ? ': begun, told when done' : ''}`);
    const started = Date.now();
    const child = spawn(command, args, {
      cwd: root,
      stdio: aside ? ['inherit', 'pipe', 'pipe'] : 'inherit',
      env: { ...process.env, ...env },
      shell: process.platform === 'win32',
    });
    const said = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => said.push(chunk));
    child.on('close', (code) => {
      process.stdout.write(Buffer.concat(said));
      console.log(`── ${name}: ${code === 0 ? 'done' : 'FAILED'} in ${Math.round((Date.now() - started) / 1000)} s`);
      resolve(code ?? 1);
    });
  });

/** A step without tests of its own counts as one. */
async function step(name, command, args) {
  if ((await run(name, command, args)) === 0) passed += 1;
  else failed.push(name);
}

/** A runner counts its own tests; one that fails without a failed test counts as one failure more. */
async function tests(name, command, args, file, how, read) {
  const code = await run(name, command, args, how);
  let counted = { passed: 0, failed: [] };
  try {
    counted = read(JSON.parse(readFileSync(join(results, file), 'utf8')));
  } catch (error) {
    console.log(`${name} left no result to count: ${error.message}`);
  }
  passed += counted.passed;
  failed.push(...counted.failed);
  if (counted.failed.length === 0 && (code !== 0 || counted.passed === 0)) failed.push(name);
}

/** What did not pass: a pending test is a skipped one, and a file that could not be read is one failure. */
function ofVitest({ testResults }) {
  const all = testResults.flatMap(({ name, status, assertionResults }) => {
    const file = relative(root, name);
    const each = assertionResults.map((test) => ({ ...test, named: `${file} › ${test.fullName}` }));
    return status === 'failed' && each.every((test) => test.status === 'passed') ? [...each, { named: file }] : each;
  });
  return named(all, ({ status }) => status === 'passed');
}

/** Suites hold suites; a test that passed in the end did pass. */
function ofPlaywright({ suites }) {
  const all = [];
  const collect = (suite, path) => {
    for (const inner of suite.suites ?? []) collect(inner, [...path, inner.title]);
    for (const { title, tests } of suite.specs ?? []) {
      for (const { status } of tests) all.push({ status, named: [...path, title].join(' › ') });
    }
  };
  for (const suite of suites) collect(suite, [`tests/browser/${suite.title}`]);
  return named(all, ({ status }) => status === 'expected' || status === 'flaky');
}

const named = (all, isPassed) => ({
  passed: all.filter(isPassed).length,
  failed: all.filter((test) => !isPassed(test)).map((test) => test.named),
});

/** An empty database cluster: those of the specs and stories, dozens of them, begin as its copies. */
async function clusterTemplate() {
  const { startPostgres } = await import('../../embedded/dist/postgres.js');
  const dir = join(results, 'cluster');
  await (await startPostgres({ dir, log: () => {} })).stop();
  return dir;
}

// The stories run in containers too where a Docker engine answers; where none does, nothing is counted.
const docker = spawnSync('docker', ['info'], { stdio: 'ignore' }).status === 0;
if (!docker) console.log('No Docker engine answers: the stories are not run in containers.');

await step('types, lint, format, dependency rules', 'npm', ['run', '--silent', 'check']);
await step('build', 'npm', ['run', '--silent', 'build']);
if (failed.length === 0) {
  const env = { CLUSTER_TEMPLATE: await clusterTemplate() };
  // Most stories wait for servers or for pages: side by side they leave no processor idle, and share nothing but that.
  await Promise.all([
    tests(
      'browser stories',
      'npx',
      ['playwright', 'test', '--config', 'tests/playwright.config.ts'],
      'playwright.json',
      { env, aside: true },
      ofPlaywright,
    ),
    tests(
      'specs, conformance, stories and faults',
      'npx',
      ['vitest', 'run', '--reporter=default', '--reporter=json', '--outputFile.json=test-results/vitest.json'],
      'vitest.json',
      { env: { ...env, ...(docker ? { CONTAINERS: '1' } : {}) } },
      ofVitest,
    ),
  ]);
  rmSync(env.CLUSTER_TEMPLATE, { recursive: true, force: true });
}
if (failed.length > 0) console.log(['\nFailed:', ...failed.map((name) => `  ${name}`)].join('\n'));
console.log(`\n${passed} passed, ${failed.length} failed`);
process.exit(failed.length === 0 ? 0 : 1);
