/** The Node.js programs of the product, and the files with which they run. */
import { statSync } from 'node:fs';

/** The root of the repository. The path is right for this module in `src` and in `dist`. */
export const ROOT = new URL('../../../', import.meta.url);

/** The folder of the bundles. A bundle contains one program with all modules and packages that the program imports. */
export const BUNDLES = new URL('embedded/dist/programs/', ROOT);

export const PROGRAMS = [
  'command-api/dist/file-process.main.js',
  'command-api/dist/main.js',
  'embedded/dist/backup.main.js',
  'embedded/dist/event-store.main.js',
  'embedded/dist/front-door.main.js',
  'embedded/dist/launcher.main.js',
  'embedded/dist/maintenance.main.js',
  'embedded/dist/restore.main.js',
  'embedded/dist/sample-data/sample-data.js',
  'embedded/dist/scavenge.main.js',
  'embedded/dist/verify-backup.main.js',
  'embedded/dist/verify-log.main.js',
  'projector/dist/main.js',
  'query-api/dist/http/workbook.main.js',
  'query-api/dist/main.js',
  'query-api/dist/matching/matching.main.js',
  'query-api/dist/start.js',
] as const;
export type Program = (typeof PROGRAMS)[number];

/** The name of a program's bundle, without its ending. */
export const bundleName = (program: Program): string => program.replaceAll('/', '.').replace(/\.js$/, '');

/** The file that the compiler writes last in each workspace. */
const COMPILED = ['contracts', 'platform', 'command-api', 'projector', 'query-api', 'embedded'].map(
  (workspace) => new URL(`${workspace}/dist/.tsbuildinfo`, ROOT),
);

/**
 * Returns the bundle of a program, or the compiled module if the bundle is missing or older than the build output.
 */
export function programUrl(program: Program): URL {
  const bundle = new URL(`${bundleName(program)}.js`, BUNDLES);
  const bundledAt = modifiedAt(bundle);
  const isCurrent = bundledAt !== undefined && COMPILED.every((file) => (modifiedAt(file) ?? Infinity) <= bundledAt);
  return isCurrent ? bundle : new URL(program, ROOT);
}

const modifiedAt = (file: URL): number | undefined => statSync(file, { throwIfNoEntry: false })?.mtimeMs;
