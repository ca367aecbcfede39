/** Checks the imports of source files: layers, modules, web features and cycles (docs/architecture.md). */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'vite';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** The workspaces that each workspace may import. */
const LAYERS = {
  contracts: [],
  platform: ['contracts'],
  'command-api': ['contracts', 'platform'],
  projector: ['contracts', 'platform'],
  'query-api': ['contracts', 'platform'],
  embedded: ['contracts', 'platform'],
  web: ['contracts'],
};
/** Workspaces in which every folder is either a module or shared code. */
const WITH_MODULES = ['contracts', 'command-api', 'query-api'];
const MODULES = [
  ...['reference-types', 'data-sets', 'relationships', 'crosswalks', 'approvals', 'collections', 'imports', 'identity'],
  ...['audit', 'filters', 'home', 'notifications', 'search', 'admin'],
];
/** Specs and files that only specs use. They may import all modules and web features. */
const TEST_FILES = /\.(spec|fixture)\.tsx?$|\/(fixtures|testing)\//;

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', ...Object.keys(LAYERS)], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  // Git also lists deleted files until their deletion is staged.
  .filter((file) => /^[^/]+\/src\/.*\.tsx?$/.test(file) && !file.endsWith('.d.ts') && existsSync(join(root, file)));

/** Returns the source files that a file imports or re-exports, including imports of types. */
function importsOf(file) {
  const text = readFileSync(join(root, file), 'utf8');
  const { module, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  const dynamic = module.dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start, end));
  const requests = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) => entries.map(({ moduleRequest }) => moduleRequest?.value)),
    ...dynamic.map((request) => /^'([^'$]*)'$/.exec(request)?.[1]),
  ];
  return [...new Set(requests.flatMap((request) => request ?? []))].flatMap((request) => resolve(file, request) ?? []);
}

/** Returns the imported source file; undefined for styles and libraries. Workspaces export `src/<path>.ts`. */
function resolve(file, request) {
  if (request.endsWith('.css')) return undefined;
  if (request.startsWith('.')) return posix.join(posix.dirname(file), request);
  const [, workspace, path = 'index'] = /^@rdm\/([^/]+)(?:\/(.+))?$/.exec(request) ?? [];
  return workspace && `${workspace}/src/${path}.ts`;
}

/** `folder` is undefined for files directly in `src`; `feature` is undefined outside of web features. */
function placeOf(file) {
  const [workspace, , folder, ...rest] = file.split('/');
  return {
    workspace,
    folder: rest.length > 0 ? folder : undefined,
    feature: /^web\/src\/features\/([^/]+)\//.exec(file)?.[1],
  };
}

/** Returns the rule that an import breaks; undefined for none. */
function brokenRule(file, imported) {
  const from = placeOf(file);
  const to = placeOf(imported);
  if (from.workspace !== to.workspace) {
    return LAYERS[from.workspace].includes(to.workspace)
      ? undefined
      : `${from.workspace} may not import ${to.workspace}`;
  }
  if (TEST_FILES.test(file)) return undefined;
  if (from.feature && to.feature && from.feature !== to.feature) return 'web features may not import each other';
  if (!WITH_MODULES.includes(from.workspace) || !from.folder || !MODULES.includes(to.folder)) return undefined;
  if (!MODULES.includes(from.folder)) return 'shared code may not import a module';
  return from.folder === to.folder ? undefined : 'modules may not import each other';
}

/** Returns the groups of files that import each other (Tarjan's strongly connected components). */
function cyclesOf(graph) {
  const index = new Map();
  const low = new Map();
  const stack = [];
  const cycles = [];
  const visit = (file) => {
    index.set(file, index.size);
    low.set(file, index.get(file));
    stack.push(file);
    for (const imported of graph.get(file) ?? []) {
      if (!index.has(imported)) visit(imported);
      if (stack.includes(imported)) low.set(file, Math.min(low.get(file), low.get(imported)));
    }
    if (low.get(file) !== index.get(file)) return;
    const group = stack.splice(stack.indexOf(file));
    if (group.length > 1 || graph.get(file)?.includes(file)) cycles.push(group);
  };
  for (const file of graph.keys()) if (!index.has(file)) visit(file);
  return cycles;
}

const graph = new Map(files.map((file) => [file, importsOf(file)]));
const violations = files.flatMap((file) =>
  graph.get(file).flatMap((imported) => {
    const rule = graph.has(imported) ? brokenRule(file, imported) : 'there is no such source file';
    return rule ? [`${file} imports ${imported}: ${rule}`] : [];
  }),
);
for (const group of cyclesOf(graph)) violations.push(`${group.join(', ')}: these files import each other`);
for (const violation of violations) console.error(violation);
console.log(`Imports of ${files.length} files checked: ${violations.length} violations.`);
process.exit(violations.length === 0 ? 0 : 1);
