/** `npm start`: checks the Node.js version, builds what changed, and runs the product. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const WORKSPACES = ['contracts', 'platform', 'command-api', 'projector', 'query-api', 'embedded'];

/** A build runs again when one of its source files has changed or its output is missing. */
const BUILDS = [
  {
    name: 'the services',
    output: 'embedded/dist/launcher.main.js',
    sources: [
      'package-lock.json',
      'tsconfig.base.json',
      'embedded/bin',
      ...WORKSPACES.map((workspace) => `${workspace}/src`),
    ],
    steps: () => [
      [locate('typescript/bin/tsc'), '-b', ...WORKSPACES],
      [join(root, 'embedded/bin/bundle-programs.mjs')],
    ],
    folder: '.',
  },
  {
    name: 'the web app',
    output: 'web/dist/index.html',
    sources: ['package-lock.json', 'contracts/src', 'web'],
    steps: () => [[locate('vite/bin/vite.js'), 'build', '--logLevel', 'warn']],
    folder: 'web',
  },
];

checkNode();
for (const build of BUILDS) await ensureBuilt(build);
const { programUrl } = await import('../../platform/dist/service/programs.js');
await import(programUrl('embedded/dist/launcher.main.js').href);

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  fail(`Node.js ${process.versions.node} is too old: 20.19 or newer is needed. See https://nodejs.org`);
}

async function ensureBuilt(build) {
  const stampFile = join(root, 'node_modules/.cache/rdm', `${build.folder === '.' ? 'services' : build.folder}.stamp`);
  const stamp = build.sources.flatMap((path) => fingerprints(join(root, path))).join('\n');
  const built = existsSync(join(root, build.output)) && existsSync(stampFile);
  if (built && readFileSync(stampFile, 'utf8') === stamp) return;

  const startedAt = Date.now();
  console.log(`Building ${build.name} …`);
  for (const [program, ...args] of build.steps()) await run(program, args, join(root, build.folder));
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, stamp);
  console.log(`Built ${build.name} in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
}

/** Returns one line per file below a path, with size and time of change. Skips installed, built and hidden files. */
function fingerprints(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return [];
  if (!stat.isDirectory()) return [`${path} ${stat.size} ${stat.mtimeMs}`];
  return readdirSync(path)
    .filter((name) => name !== 'node_modules' && name !== 'dist' && !name.startsWith('.'))
    .sort()
    .flatMap((name) => fingerprints(join(path, name)));
}

/** Returns the path of a development tool's program in the tool's package. */
function locate(program) {
  const [packageName, ...rest] = program.split('/');
  try {
    const manifest = createRequire(join(root, 'web/package.json')).resolve(`${packageName}/package.json`);
    return join(dirname(manifest), ...rest);
  } catch {
    return fail(`${packageName} is not installed. Run "npm install" first (with its development dependencies).`);
  }
}

function run(program, args, folder) {
  return new Promise((resolve) => {
    // Builds need NODE_ENV=production: with the NODE_ENV of a test, the web app would be built for development.
    const env = { ...process.env, NODE_ENV: 'production' };
    const child = spawn(process.execPath, [program, ...args], { cwd: folder, stdio: 'inherit', env });
    child.once('error', (error) => fail(`${program} could not be run: ${error.message}`));
    child.once('exit', (code) => (code === 0 ? resolve() : fail('The build failed; its messages are above.')));
  });
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
