/**
 * Computes the sizes of the web build: the scripts that a browser loads before it shows anything, all styles and fonts,
 * and the scripts of each route.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

interface RouteWeight {
  name: string;
  /** The size of the route's own chunk. */
  own: number;
  /** The size of the chunks that the browser loads to open the route, without the scripts of `firstJs`. */
  whole: number;
}

/** Compressed sizes in kilobytes; `css` and `fonts` are the sums of all such files of the build. */
export interface Weight {
  firstJs: number;
  css: number;
  fonts: number;
  routes: RouteWeight[];
}

/** Returns the sizes of the build in `web/dist`. */
export function measureWeight(): Weight {
  const dist = fileURLToPath(new URL('../../../web/dist/', import.meta.url));
  const assets = join(dist, 'assets');
  const sizes = new Map<string, number>();
  const sizeOf = (file: string): number => {
    const cached = sizes.get(file);
    if (cached !== undefined) return cached;
    const bytes = readFileSync(join(assets, file));
    // Fonts are compressed already.
    const size = (file.endsWith('.woff2') ? bytes.length : gzipSync(bytes).length) / 1_000;
    sizes.set(file, size);
    return size;
  };
  const sum = (files: Iterable<string>) => [...files].reduce((all, file) => all + sizeOf(file), 0);
  const imports = (file: string): string[] =>
    [...readFileSync(join(assets, file), 'utf8').matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)].map(
      (match) => match[1] as string,
    );
  const closure = (files: readonly string[], all = new Set<string>()): Set<string> => {
    for (const file of files) {
      if (all.has(file)) continue;
      all.add(file);
      closure(imports(file), all);
    }
    return all;
  };
  const html = readFileSync(join(dist, 'index.html'), 'utf8');
  const first = closure([...html.matchAll(/assets\/([^"]+\.js)"/g)].map((match) => match[1] as string));
  const files = readdirSync(assets);
  const pages = [...first]
    .flatMap((file) => [...readFileSync(join(assets, file), 'utf8').matchAll(/import\(`?["']?\.\/([^"'`]+\.js)/g)])
    .map((match) => match[1] as string)
    .filter((file) => /^[A-Z]/.test(file));
  return {
    firstJs: sum(first),
    css: sum(files.filter((file) => file.endsWith('.css'))),
    fonts: sum(files.filter((file) => file.endsWith('.woff2'))),
    routes: [...new Set(pages)]
      .map((file) => ({
        // Without the hash of the file, which has eight characters.
        name: file.slice(0, -'-12345678.js'.length),
        own: sizeOf(file),
        whole: sum([...closure([file])].filter((part) => !first.has(part))),
      }))
      .sort((a, b) => b.own - a.own),
  };
}
