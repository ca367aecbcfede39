/** Decides from two runs of a test file which tests passed, failed, or are unstable because only one run failed. */

/** The title under which a file reports an error outside of its tests: while loading or in a hook of the file. */
export const OUTSIDE = '(outside of its tests)';

/**
 * Compares the tests of one file in two runs. `passed` is the number of passed and unstable tests; `failed` and
 * `unstable` are titles. A test that only one run contains has the result of this run.
 */
export function compareRuns(first, second) {
  const [before, after] = [first, second].map(resultsByTitle);
  const isLoaded = second.some(({ title }) => title !== OUTSIDE);
  const titles = [...new Set([...before.keys(), ...after.keys()])];
  const failed = [];
  const unstable = [];
  for (const title of titles) {
    const [was, is] = [before.get(title), after.get(title)];
    // A file reports results under OUTSIDE only for errors, so a loaded file without this title passed.
    const isPassed = title === OUTSIDE ? is === undefined && isLoaded : (is ?? false);
    if (was === false && !isPassed) failed.push(title);
    else if (was === false || is === false) (was === undefined && title !== OUTSIDE ? failed : unstable).push(title);
  }
  const isPassedTest = (title) => title !== OUTSIDE && !failed.includes(title);
  const count = (title) =>
    Math.max(...[first, second].map((tests) => tests.filter((test) => test.title === title).length));
  return { passed: titles.filter(isPassedTest).reduce((sum, title) => sum + count(title), 0), failed, unstable };
}

/** Tests of one file can share a title. The title passes when all of these tests pass. */
function resultsByTitle(tests) {
  const results = new Map();
  for (const { title, passed } of tests) results.set(title, (results.get(title) ?? true) && passed);
  return results;
}
