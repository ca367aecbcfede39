/** `npm start`: checks what the machine has, builds what changed, and runs the product. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const FLOORS = ['contracts', 'platform', 'command-api', 'projector', 'query-api', 'embedded'];

/** What a build is made of; it is built again when any of it changed. */
const BUILDS = [
  {
    name: 'the services',
    made: 'embedded/dist/launcher.main.js',
    sources: ['package-lock.json', 'tsconfig.base.json', ...FLOORS.map((floor) => `${floor}/src`)],
    program: 'typescript/bin/tsc',
    words: ['-b', ...FLOORS],
    folder: '.',
  },
  {
    name: 'the web app',
    made: 'web/dist/index.html',
    sources: ['package-lock.json', 'contracts/src', 'web'],
    program: 'vite/bin/vite.js',
    words: ['build', '--logLevel', 'warn'],
    folder: 'web',
  },
];

checkNode();
for (const build of BUILDS) await bring(build);
await import(pathToFileURL(join(root, 'embedded/dist/launcher.main.js')).href);

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  leave(`Node.js ${process.versions.node} is too old: 20.19 or newer is needed. See https://nodejs.org`);
}

async function bring(build) {
  const stampFile = join(root, 'node_modules/.cache/rdm', `${build.folder === '.' ? 'services' : build.folder}.stamp`);
  const stamp = build.sources.flatMap((path) => marks(join(root, path))).join('\n');
  const built = existsSync(join(root, build.made)) && existsSync(stampFile);
  if (built && readFileSync(stampFile, 'utf8') === stamp) return;

  const startedAt = Date.now();
  console.log(`Building ${build.name} …`);
  await run(locate(build.program), build.words, join(root, build.folder));
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, stamp);
  console.log(`Built ${build.name} in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
}

/** A line per file, which changes when the file does; nothing of what is installed or built. */
function marks(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return [];
  if (!stat.isDirectory()) return [`${path} ${stat.size} ${stat.mtimeMs}`];
  return readdirSync(path)
    .filter((name) => name !== 'node_modules' && name !== 'dist' && !name.startsWith('.'))
    .sort()
    .flatMap((name) => marks(join(path, name)));
}

/** A development tool's program inside its package. */
function locate(program) {
  const [packageName, ...rest] = program.split('/');
  try {
    const manifest = createRequire(join(root, 'web/package.json')).resolve(`${packageName}/package.json`);
    return join(dirname(manifest), ...rest);
  } catch {
    return leave(`${packageName} is not installed. Run "npm install" first (with its development dependencies).`);
  }
}

function run(program, words, folder) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [program, ...words], { cwd: folder, stdio: 'inherit' });
    child.once('error', (error) => leave(`${program} could not be run: ${error.message}`));
    child.once('exit', (code) => (code === 0 ? resolve() : leave('The build failed; its messages are above.')));
  });
}

function leave(message) {
  console.error(message);
  process.exit(1);
}
