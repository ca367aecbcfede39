/** Tests the search for the PostgreSQL binaries, and the creation of symlinks if npm runs no install scripts. */
import { mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findBinaries, recreateLinks } from './binaries.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'rdm-binaries-'));
  mkdirSync(join(root, 'native/lib'), { recursive: true });
  writeFileSync(join(root, 'native/lib/libpq.so.5.17'), 'library');
  const links = ['native/lib/libpq.so', 'native/lib/libpq.so.5'];
  const list = links.map((target) => ({ source: 'native/lib/libpq.so.5.17', target }));
  writeFileSync(join(root, 'native/pg-symlinks.json'), JSON.stringify(list));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

it('recreateLinks creates relative links from the list in the package', async () => {
  await recreateLinks(root);
  expect(readlinkSync(join(root, 'native/lib/libpq.so.5'))).toBe('libpq.so.5.17');
  expect(readFileSync(join(root, 'native/lib/libpq.so'), 'utf8')).toBe('library');
});

it('recreateLinks accepts concurrent calls and existing links', async () => {
  await Promise.all([recreateLinks(root), recreateLinks(root)]);
  await recreateLinks(root);
  expect(readFileSync(join(root, 'native/lib/libpq.so'), 'utf8')).toBe('library');
});

it('findBinaries finds the binaries of this platform', async () => {
  const { postgres } = await findBinaries();
  expect(postgres).toMatch(/bin.postgres(\.exe)?$/);
});
