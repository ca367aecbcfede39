/** A Vite plugin that builds the module `virtual:help`, which contains the help pages and their search index. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, parse } from 'node:path';
import type { Plugin } from 'vite';
import { buildIndex } from './src/features/help/search/index.ts';
import { GROUPS, type HelpPage, parsePage } from './src/features/help/search/pages.ts';

const CONTENT = join(import.meta.dirname, 'src/features/help/content');
const MODULE = 'virtual:help';
const RESOLVED = `\0${MODULE}`;

function readPages(): HelpPage[] {
  const positionOf = ({ group, order }: HelpPage) => GROUPS.indexOf(group) * 1000 + order;
  return readdirSync(CONTENT)
    .map((name) => parsePage(parse(name).name, readFileSync(join(CONTENT, name), 'utf8')))
    .sort((left, right) => positionOf(left) - positionOf(right));
}

export const helpPages = (): Plugin => ({
  name: 'help-pages',
  resolveId: (id) => (id === MODULE ? RESOLVED : undefined),
  load(id) {
    if (id !== RESOLVED) return undefined;
    const pages = readPages();
    for (const { id: page } of pages) this.addWatchFile(join(CONTENT, `${page}.md`));
    return `export const pages = ${JSON.stringify(pages)};\nexport const index = ${JSON.stringify(buildIndex(pages))};\n`;
  },
});
