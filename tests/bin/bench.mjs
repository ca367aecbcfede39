/** Runs the benchmarks. Most also measure a reference for comparison. `npm run bench -- append` runs one benchmark. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const compiled = join(root, 'tests', 'dist', 'bench');
const built = spawnSync('npx', ['tsc', '-b'], { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' });
if (built.status !== 0) process.exit(1);

const HELPERS = new Set([
  'backup-process.js',
  ...['data-sets.js', 'hostile-attack.js', 'large-data-set.js', 'live-fan-out.js', 'measure.js', 'read-reference.js'],
  ...['raw-http.js', 'translate-reference.js', 'translate-store.js', 'web-responsiveness.js', 'web-weight.js'],
]);
const benches = readdirSync(compiled)
  .filter((file) => file.endsWith('.js') && !HELPERS.has(file))
  .map((file) => file.slice(0, -3))
  .sort();
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const unknown = wanted.filter((name) => !benches.includes(name));
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(', ')}. There are: ${benches.join(', ')}.`);
  process.exit(1);
}

const options = process.argv.slice(2).filter((argument) => argument.startsWith('-'));
const results = join(root, 'test-results', 'bench');
mkdirSync(results, { recursive: true });
let failed = 0;
for (const name of wanted.length > 0 ? wanted : benches) {
  const run = spawnSync(process.execPath, [join(compiled, `${name}.js`), ...options], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 64 * 1024 * 1024,
  });
  // Each benchmark prints a table and, on its last line, the raw figures as JSON.
  const lines = run.stdout.trimEnd().split('\n');
  const raw = lines.at(-1)?.startsWith('{') ? lines.pop() : undefined;
  console.log(`${lines.join('\n')}\n`);
  if (raw !== undefined) writeFileSync(join(results, `${name}.json`), `${raw}\n`);
  if (run.status !== 0) failed += 1;
}
console.log(`Raw figures: ${results}`);
process.exit(failed === 0 ? 0 : 1);
