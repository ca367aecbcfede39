/**
 * `npm test` runs all checks, and all tests outside of the folders `long`; `npm test -- <path or title>` runs selected
 * tests. After a run of all tests with at most `RERUN_MAX` failed files, each failed file runs again, alone. A test
 * that then passes is listed as unstable and counts as passed. The last line is `N passed, N failed`;
 * `test-results/failures/` contains the output of each failed or unstable test.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { keepErrors, keepTest, nameOf } from '../suite/failures.mjs';
import { compareRuns } from '../suite/rerun.mjs';
import { playwright, results, run, vitest } from '../suite/runners.mjs';
import { escaped, select } from '../suite/selection.mjs';
import { openWorkspace } from '../suite/workspace.mjs';

/** If more files fail, no file runs again, because they probably fail for a common reason. */
const RERUN_MAX = 12;

const TRACED = ['--trace', 'retain-on-failure'];
/** A run of more selected browser files records no traces, because traces cost a seventh of the time. */
const TRACED_MAX = 3;

const words = process.argv.slice(2);
const selection = words.length === 0 ? undefined : readSelection();
rmSync(results, { recursive: true, force: true });
mkdirSync(results, { recursive: true });

const workspace = openWorkspace();
const { env } = workspace;
// Also clean up after an interrupted run.
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, async () => {
    await workspace.close({ isInterrupted: true });
    process.exit(1);
  });
let passed = 0;
/** The lines of the report. The line of a test names the folder of its output. */
const failed = [];
const unstable = [];

if (await build()) await test();
const leftovers = await workspace.close();
if (leftovers.length > 0) failed.push(`The run left processes or files behind:\n    ${leftovers.join('\n    ')}`);
else passed += 1;
report();

function readSelection() {
  try {
    return select(words);
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}

/** Runs a step that has no tests; it counts as one test. */
async function step(name, command, args) {
  const { code } = await run(name, command, args);
  if (code === 0) passed += 1;
  else failed.push(name);
  return code === 0;
}

async function build() {
  const steps = [
    () => selection !== undefined || step('types, lint, format, dependency rules', 'npm', ['run', '--silent', 'check']),
    () =>
      selection?.needsPages === false
        ? step('build', 'npx', ['tsc', '-b'])
        : step('build', 'npm', ['run', '--silent', 'build']),
  ];
  for (const each of steps) if (!(await each())) return false;
  // Create an empty database cluster, because the tests create dozens of clusters as copies of it.
  const { startPostgres } = await import('../../embedded/dist/postgres/postgres.js');
  await (await startPostgres({ dir: workspace.template, log: () => {} })).stop();
  return true;
}

async function test() {
  const runs = selection === undefined ? await runAll() : await runSelection();
  addErrors(runs.flatMap(({ errors }) => errors));
  const files = runs.flatMap((each) => each.files);
  const failedFiles = files.filter((file) => file.tests.some((each) => !each.passed));
  passed += files.filter((file) => !failedFiles.includes(file)).reduce((sum, file) => sum + file.tests.length, 0);
  const isRerun = selection === undefined && failedFiles.length <= RERUN_MAX;
  if (!isRerun && failedFiles.length > RERUN_MAX)
    console.log(`\n${failedFiles.length} files failed, so none runs again.`);
  for (const [index, file] of failedFiles.entries()) add(file, isRerun ? await runAgain(file, `again-${index}`) : file);
}

/**
 * Runs all projects of Vitest and then the browser stories. A concurrent run would not be faster, and each test would
 * take twice as long.
 */
async function runAll() {
  // If a Docker engine is available, the stories also run in containers.
  const docker = spawnSync('docker', ['info'], { stdio: 'ignore' }).status === 0;
  if (!docker) console.log('No Docker engine answers: the stories do not run in containers.');
  return [
    await vitest('specs, conformance, stories and faults', [], { env: docker ? { ...env, CONTAINERS: '1' } : env }),
    await playwright('browser stories', [], { env }),
  ];
}

async function runSelection() {
  const { specs, browser, title, needsLong } = selection;
  if (needsLong) env.FAULTS = 'short';
  const only = (option) => (title === undefined ? [] : [option, escaped(title)]);
  const runs = [];
  // The projects `stories …` run stories on several instances or in containers. These projects run with all tests, or
  // if a file of `tests/stories/scaled` is selected.
  const isScaled = specs.some((file) => file.startsWith('tests/stories/scaled/'));
  const projects = isScaled ? [] : ['--project', '!stories *'];
  if (specs.length > 0) runs.push(await vitest('specs and stories', [...projects, ...only('-t'), ...specs], { env }));
  const traced = browser.length <= TRACED_MAX ? TRACED : [];
  if (browser.length > 0)
    runs.push(await playwright('browser stories', [...traced, ...only('-g'), ...browser.map(escaped)], { env }));
  return runs;
}

/** Runs a failed file again; returns its result, which has no tests if the runner failed. */
async function runAgain(file, as) {
  const { files, errors } =
    file.runner === 'vitest'
      ? await vitest(`again: ${file.file}`, ['--project', file.project, file.file], { env, as })
      : await playwright(`again: ${file.file}`, [...TRACED, escaped(file.file)], { env, as });
  addErrors(errors);
  return files.find((each) => each.file === file.file) ?? { ...file, tests: [] };
}

/**
 * Counts the tests of a failed file, and keeps the output of failed and unstable tests. `second` is `first` if the file
 * ran only once.
 */
function add(first, second) {
  const compared = compareRuns(first.tests, second.tests);
  passed += compared.passed;
  for (const [titles, lines] of [
    [compared.failed, failed],
    [compared.unstable, unstable],
  ])
    for (const title of titles) {
      const name = nameOf(first, title);
      const folder = keepTest(name, first === second ? [first] : [first, second], title, workspace.logs);
      lines.push(`${name}\n    ${folder}`);
    }
}

function addErrors(errors) {
  for (const error of errors) failed.push(`${error.split('\n')[0]}\n    ${keepErrors(error)}`);
}

function report() {
  const list = (heading, lines) => {
    if (lines.length > 0) console.log([`\n${heading}`, ...lines.map((line) => `  ${line}`)].join('\n'));
  };
  list('Unstable: these tests failed once and passed once. Fix them first:', unstable);
  list('Failed:', failed);
  console.log(`\n${passed} passed, ${failed.length} failed`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}
