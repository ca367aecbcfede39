/** Finds the titles of the tests in the text of a test file, and compares them with a title that a document names. */

/** The title is the first argument of `it` or `test`, or of what `it.each(…)` and its relatives return. */
const TITLE = /(?:(?<![\w.])(?:it|test)|\))\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1\s*,/g;

/** What a runner replaces in a title: `${…}` of a template, `%s` and its relatives, and `$name` of a table. */
const PLACEHOLDER = /\$\{[^}]*\}|%[sdifjo#]|\$\w+/g;

export const titlesIn = (source) =>
  [...source.matchAll(TITLE)].map(([, , title]) => title.replaceAll(/\\(['"`\\])/g, '$1'));

/**
 * Whether a test has this title: as written, or with values in place of its placeholders. The values are in the file too, or
 * among the known ones.
 */
export function hasTitle(source, title, known = []) {
  return titlesIn(source).some((written) => {
    if (written === title) return true;
    const parts = written.split(PLACEHOLDER);
    // A placeholder alone would match every title.
    if (parts.join('').trim() === '') return false;
    const values = new RegExp(`^${parts.map(escaped).join('(.+)')}$`, 's').exec(title)?.slice(1);
    return values?.every((value) => source.includes(value) || known.includes(value)) ?? false;
  });
}

const escaped = (text) => text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&');

/** Reads the rows of all tables with the columns item, test and note; a row without tests is open. */
export function rowsIn(document) {
  return document
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (?:item|---) \|/.test(line))
    .map((line) => {
      const [item = '', tests = '', note = ''] = line.slice(2, -2).split(/ \| /);
      return { item, note, tests: tests === 'open' ? [] : tests.split('<br>').map(readTest) };
    });
}

function readTest(cell) {
  const [, file, title] = /^`([^`]+)` › (.+)$/.exec(cell) ?? [];
  if (file === undefined) throw new Error(`Not a test: ${cell}`);
  return { file, title };
}
