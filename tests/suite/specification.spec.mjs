/** Checks docs/specification.md: every named test and page exists, and every item has a test. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SITE_PATHS } from '@rdm/contracts/access/site-paths';
import { describe, expect, it } from 'vitest';
import { hasTitle, itemsIn } from './test-titles.mjs';

const root = join(import.meta.dirname, '../..');
const items = itemsIn(readFileSync(join(root, 'docs/specification.md'), 'utf8'));

/** The path that an item begins with, as the site declares it. */
const pathOf = ({ item }) => /^`(\/[^`]*)`/.exec(item)?.[1].replaceAll(/\{(\w+)\}/g, ':$1');

describe('docs/specification.md', () => {
  it('names tests that exist', () => {
    const sources = new Map();
    const sourceOf = (file) => {
      const path = join(root, file);
      if (!sources.has(file)) sources.set(file, existsSync(path) ? readFileSync(path, 'utf8') : undefined);
      return sources.get(file);
    };
    const absent = items.flatMap(({ item, tests }) =>
      tests
        .filter(({ file, title }) => sourceOf(file) === undefined || !hasTitle(sourceOf(file), title, SITE_PATHS))
        .map(({ file, title }) => `${item}: ${file} › ${title}`),
    );
    expect(absent).toEqual([]);
    expect(items.length).toBeGreaterThan(150);
  });

  it('names pages that exist', () => {
    const paths = items.map(pathOf).filter((path) => path !== undefined);
    expect(paths.filter((path) => !SITE_PATHS.includes(path))).toEqual([]);
    expect(paths.length).toBeGreaterThan(40);
  });

  it('has a test for every item', () => {
    expect(items.filter(({ tests }) => tests.length === 0).map(({ item }) => item)).toEqual([]);
  });
});

describe('the title of a test', () => {
  const source = [
    `it('has a page', () => {});`,
    `test(\`opens \${path}\`, async () => {});`,
    `it.each([['a', 'b c']])('refuses %s', () => {});`,
    `it.each([[1]])('%s', () => {});`,
    `it.skip('is skipped', () => {});`,
    `describe('a group', () => {});`,
    `it('doesn\\'t end', () => {});`,
  ].join('\n');
  it.each(['has a page', 'opens /help', 'refuses a', 'refuses b c', 'refuses %s', '%s', "doesn't end"])(
    'is found: %s',
    (title) => expect(hasTitle(source, title, ['/help'])).toBe(true),
  );
  it.each(['has a', 'has a page, too', 'refuses a b', 'opens /roles', 'is skipped', 'a group', 'anything'])(
    'is not found: %s',
    (title) => expect(hasTitle(source, title, ['/help'])).toBe(false),
  );
});

describe('an item of the table', () => {
  it('has tests and a note, or is open', () => {
    const table = [
      '| item | test            | note |',
      '| ---- | --------------- | ---- |',
      '| A    | `a.ts` › one    | why  |',
      '|      | `b.ts` › two    |      |',
      '| B    | open            |      |',
    ].join('\n');
    expect(itemsIn(table)).toEqual([
      {
        item: 'A',
        note: 'why',
        tests: [
          { file: 'a.ts', title: 'one' },
          { file: 'b.ts', title: 'two' },
        ],
      },
      { item: 'B', note: '', tests: [] },
    ]);
  });
  it('is refused without the name of a file', () => {
    expect(() => itemsIn('| A | one | why |')).toThrow('Not a test: one');
  });
});
