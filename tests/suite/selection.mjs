/** Finds the test files that `npm test -- <path or title>` selects. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { root } from './runners.mjs';

const WORKSPACES = ['contracts', 'platform', 'command-api', 'projector', 'query-api', 'embedded', 'web', 'tests'];
const TEST_FILE = /\.(spec\.(tsx?|mjs)|browser\.ts)$/;

/** `npm run faults` runs the files of these folders. `npm test` runs such a file only if it is selected. */
const LONG = 'long/';

/** Returns the paths of all test files, relative to the repository. */
const testFiles = () =>
  WORKSPACES.flatMap((workspace) =>
    readdirSync(join(root, workspace), { recursive: true })
      .map((path) => `${workspace}/${path.replaceAll('\\', '/')}`)
      .filter((path) => TEST_FILE.test(path) && !/(^|\/)(node_modules|dist)\//.test(path)),
  );

const isLong = (path) => path.includes(`/${LONG}`);

const textOf = (file) => readFileSync(join(root, file), 'utf8');

/** Returns the paths of a test file and of the test modules that the file imports. */
const withModules = (file) => [
  file,
  ...[...textOf(file).matchAll(/^import '(\.\/.+\.ts)';$/gm)].map(([, path]) => posix.join(posix.dirname(file), path)),
];

/**
 * Returns the test files whose path contains one of the words. Without such a file, returns the test files whose text
 * contains the words as one phrase, and the phrase as the `title` of the tests to run. The paths and texts of imported
 * test modules count as well. Throws if no file matches. Selects files in folders `long` only if a word names such a
 * folder or no other file matches.
 */
export function select(words) {
  const all = testFiles();
  const isLongNamed = words.some((word) => word.includes(LONG));
  const title = words.join(' ');
  for (const files of isLongNamed ? [all] : [all.filter((file) => !isLong(file)), all]) {
    const byPath = files.filter((file) => words.some((word) => withModules(file).some((path) => path.includes(word))));
    if (byPath.length > 0) return split(byPath);
    const byTitle = files.filter((file) => withModules(file).some((path) => textOf(path).includes(title)));
    if (byTitle.length > 0) return { ...split(byTitle), title };
  }
  throw new Error(`No test file contains "${title}" in its path or its text. Give a part of a path or of a title.`);
}

function split(files) {
  const [browser, specs] = [true, false].map((isBrowser) =>
    files.filter((file) => file.endsWith('.browser.ts') === isBrowser),
  );
  // The specs beside the code start no server that serves pages.
  const needsPages = files.some((file) => file.startsWith('tests/'));
  return { specs, browser, needsPages, needsLong: files.some(isLong) };
}

/** Returns a regular expression that matches only this text. */
export const escaped = (text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
