/** Finds the titles of the tests in a test file, and the tests that a document names. */

/**
 * The title is the first argument of `it` or `test`, or of the function that `it.each(…)` and similar functions return.
 */
const TITLE = /(?:(?<![\w.])(?:it|test)|\))\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1\s*,/g;

/**
 * The placeholders that a runner replaces in a title: `${…}` of a template, `%s` and similar codes, and `$name` of a
 * table.
 */
const PLACEHOLDER = /\$\{[^}]*\}|%[sdifjo#]|\$\w+/g;

export const titlesIn = (source) =>
  [...source.matchAll(TITLE)].map(([, , title]) => title.replaceAll(/\\(['"`\\])/g, '$1'));

/**
 * Whether the file has a test with this title, as written or with values in place of its placeholders. Each value must
 * be a text of the file, or in `knownValues`.
 */
export function hasTitle(source, title, knownValues = []) {
  return titlesIn(source).some((written) => {
    if (written === title) return true;
    const parts = written.split(PLACEHOLDER);
    // A title that consists only of placeholders would match every title.
    if (parts.join('').trim() === '') return false;
    const values = new RegExp(`^${parts.map(escaped).join('(.+)')}$`, 's').exec(title)?.slice(1);
    return values?.every((value) => source.includes(value) || knownValues.includes(value)) ?? false;
  });
}

const escaped = (text) => text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&');

/**
 * Reads the items of all tables with the columns item, test and note. A row without an item names a further test of the
 * item above; an item whose test is “open” has none.
 */
export function itemsIn(document) {
  const items = [];
  for (const line of document.split('\n')) {
    if (!line.startsWith('| ')) continue;
    const [item, test, note] = line
      .slice(1, -1)
      .split(/ \|/)
      .map((cell) => cell.trim());
    if (item === 'item' || /^-+$/.test(item)) continue;
    if (item !== '') items.push({ item, note, tests: [] });
    if (test !== 'open') items.at(-1).tests.push(readTest(test));
  }
  return items;
}

function readTest(cell) {
  const [, file, title] = /^`([^`]+)` › (.+)$/.exec(cell) ?? [];
  if (file === undefined) throw new Error(`Not a test: ${cell}`);
  return { file, title };
}
