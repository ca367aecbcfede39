/**
 * Saves the output of a failed test: its error, the output of its file, the server logs of its time, screenshots and
 * traces.
 */
import { createHash } from 'node:crypto';
import { appendFileSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { results, root } from './runners.mjs';

/** Server logs start this long before a test, to show the effects of its hooks. */
const BEFORE_MS = 5_000;
const AFTER_MS = 1_000;

const failures = join(results, 'failures');

export const nameOf = ({ project, file }, title) => `[${project}] ${file} › ${title}`;

/** Writes a folder for each run of the file; returns their parent folder, relative to the repository. */
export function keepTest(name, runs, title, logs) {
  const folder = join(failures, slugOf(name));
  for (const [index, file] of runs.entries())
    for (const test of file.tests.filter((each) => each.title === title))
      keepRun(join(folder, `run-${index + 1}`), name, file, test, logs);
  return relative(root, folder);
}

/** Saves an error outside of all tests in `errors.txt`; returns the path of the file, relative to the repository. */
export function keepErrors(error) {
  mkdirSync(failures, { recursive: true });
  const file = join(failures, 'errors.txt');
  appendFileSync(file, `${error}\n\n`);
  return relative(root, file);
}

function keepRun(folder, name, file, test, logs) {
  mkdirSync(folder, { recursive: true });
  const result = test.passed ? 'Passed.' : test.errors.join('\n\n');
  writeFileSync(join(folder, 'result.txt'), `${name}\n\n${result}\n`);
  const lines = serverLogs(file, test, logs);
  if (lines !== '') writeFileSync(join(folder, 'servers.log'), lines);
  if (file.output !== '') writeFileSync(join(folder, 'output.txt'), file.output);
  for (const path of test.attachments.filter(existsSync)) copyFileSync(path, join(folder, basename(path)));
}

/** The name of a folder: readable, and short enough for every file system. A digest keeps it unique. */
function slugOf(name) {
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${name.replaceAll(/\W+/g, '-').replace(/^-/, '').slice(0, 80)}-${digest}`;
}

/** The names of stacks by which the logs are found: the project and the file. Stacks with other names are omitted. */
const stackNames = ({ project, file }) => [project, basename(file).replace(/\.\w+\.ts$/, '')];

/** The lines that the servers of the test's stack logged during the test and shortly before and after, by log file. */
function serverLogs(file, { startedAt, ms }, logs) {
  return stackNames(file)
    .map((name) => join(logs, name))
    .filter(existsSync)
    .flatMap((folder) => readdirSync(folder, { recursive: true }).map((path) => join(folder, path)))
    .filter((path) => /\.log(\.\d)?$/.test(path))
    .map((path) => [path, linesBetween(readFileSync(path, 'utf8'), startedAt - BEFORE_MS, startedAt + ms + AFTER_MS)])
    .filter(([, lines]) => lines.length > 0)
    .map(([path, lines]) => `── ${relative(logs, path)}\n${lines.join('\n')}\n`)
    .join('');
}

/** A line without a time, as in a stack trace, belongs to the line before it. Returns all lines if `from` is NaN. */
function linesBetween(text, from, to) {
  const lines = text.split('\n').filter((line) => line !== '');
  if (Number.isNaN(from)) return lines;
  let isInside = false;
  return lines.filter((line) => {
    const time = timeOf(line);
    if (time !== undefined) isInside = time >= from && time <= to;
    return isInside;
  });
}

/** Structured logs and the launcher write ISO dates, PostgreSQL writes `2026-11-23 18:17:35.222 UTC`. */
function timeOf(line) {
  const [, day, clock] = /(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:\.\d+)?)/.exec(line) ?? [];
  return day === undefined ? undefined : Date.parse(`${day}T${clock}Z`);
}
