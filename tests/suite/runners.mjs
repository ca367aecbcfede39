/**
 * Runs Vitest and Playwright, and reads their results in one form:
 * `{ files: [{ runner, project, file, ms, output, tests }], errors }`, where a test is
 * `{ title, passed, startedAt, ms, errors, attachments }`. Times are in milliseconds; `errors` are texts.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { OUTSIDE } from './rerun.mjs';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
export const results = join(root, 'test-results');

/** Runs a command until it ends and prints its output. Resolves with its exit code and its output. */
export function run(name, command, args, env = {}) {
  return new Promise((resolve) => {
    console.log(`\n── ${name}`);
    const started = Date.now();
    const child = spawn(command, args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
      shell: process.platform === 'win32',
    });
    const output = [];
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        output.push(chunk);
        process.stdout.write(chunk);
      });
    child.on('close', (code) => {
      console.log(`── ${name}: ${code === 0 ? 'done' : 'FAILED'} in ${Math.round((Date.now() - started) / 1000)} s`);
      resolve({ code: code ?? 1, output: Buffer.concat(output).toString() });
    });
  });
}

/** Runs Vitest with these arguments; `as` names the results file. */
export async function vitest(name, args, { env, as = 'vitest' }) {
  const file = join(results, `${as}.json`);
  rmSync(file, { force: true });
  const reporters = ['--reporter=default', `--reporter=${join(root, 'tests/suite/vitest-reporter.mjs')}`];
  const ended = await run(name, 'npx', ['vitest', 'run', ...reporters, ...args], { ...env, RESULTS_FILE: file });
  return withExitCode(name, ended, existsSync(file) ? fromVitest(JSON.parse(readFileSync(file, 'utf8'))) : undefined);
}

/** Runs Playwright with these arguments; `as` names the results file and the folder of screenshots and traces. */
export async function playwright(name, args, { env, as = 'browser' }) {
  const file = join(results, `${as}.json`);
  rmSync(file, { force: true });
  const fixed = ['playwright', 'test', '--config', 'tests/playwright.config.ts', '--output', join(results, as)];
  const ended = await run(name, 'npx', [...fixed, ...args], { ...env, RESULTS_FILE: file });
  return withExitCode(
    name,
    ended,
    existsSync(file) ? fromPlaywright(JSON.parse(readFileSync(file, 'utf8'))) : undefined,
  );
}

/** Adds an error if the runner failed or ran no test, and its results do not explain why. */
function withExitCode(name, { code, output }, parsed) {
  if (parsed === undefined)
    return { files: [], errors: [`${name}: exit code ${code}, no results\n${output.slice(-20_000)}`] };
  const tests = parsed.files.flatMap((file) => file.tests);
  const isExplained = parsed.errors.length > 0 || tests.some(({ passed }) => !passed);
  if (!isExplained && (code !== 0 || tests.length === 0))
    parsed.errors.push(`${name}: exit code ${code}, ${tests.length} tests\n${output.slice(-20_000)}`);
  return parsed;
}

function fromVitest({ files, errors }) {
  return {
    errors,
    files: files.map(({ project, file, ms, output, errors: outside, tests }) => ({
      runner: 'vitest',
      ...{ project, file, ms, output },
      tests: [
        ...tests.map(({ title, state, startedAt, ms: took, errors: own }) => ({
          title,
          passed: state === 'passed',
          ...{ startedAt, ms: took },
          errors: state === 'passed' || own.length > 0 ? own : [`The test is ${state}: nothing was checked.`],
          attachments: [],
        })),
        ...(outside.length > 0 ? [{ title: OUTSIDE, passed: false, ms, errors: outside, attachments: [] }] : []),
      ],
    })),
  };
}

function fromPlaywright({ suites, errors }) {
  return {
    errors: errors.map(({ stack, message }) => stripVTControlCharacters(stack ?? message)),
    files: suites.map((suite) => {
      const specs = specsOf(suite, []);
      return {
        runner: 'playwright',
        project: 'browser',
        file: `tests/browser/${suite.file}`,
        ms: specs.reduce((sum, { ms }) => sum + ms, 0),
        output: specs.map(({ output }) => output).join(''),
        tests: specs,
      };
    }),
  };
}

function specsOf(suite, path) {
  const inner = (suite.suites ?? []).flatMap((each) => specsOf(each, [...path, each.title]));
  const own = (suite.specs ?? []).flatMap(({ title, tests }) =>
    tests.map(({ status, results: runs }) => {
      const last = runs.at(-1);
      return {
        title: [...path, title].join(' > '),
        passed: status === 'expected',
        startedAt: last === undefined ? undefined : Date.parse(last.startTime),
        ms: last?.duration ?? 0,
        errors: (last?.errors ?? []).map(({ stack, message }) => stripVTControlCharacters(stack ?? message ?? '')),
        attachments: (last?.attachments ?? []).flatMap(({ path: file }) => file ?? []),
        output: [...(last?.stdout ?? []), ...(last?.stderr ?? [])].map(({ text }) => text ?? '').join(''),
      };
    }),
  );
  return [...own, ...inner];
}
