/** `npm run backup` and `npm run verify-backup`: exit codes, interruptions and kills, on the data of a stopped product. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startStack } from '@rdm/embedded/stack';
import { generateSigningKey, loadSigningKey, signingKeyPath } from '@rdm/platform';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';

const PASSWORD = 'Correct-Horse-7';
const script = (name: string) => fileURLToPath(new URL(`../../embedded/bin/${name}.mjs`, import.meta.url));

let root: string;
let dataDir: string;
let folder: string;
let publicKeyFile: string;
let passphraseFile: string;
let whileRunning: Ended;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'rdm-backup-scripts-'));
  dataDir = join(root, 'data');
  folder = join(root, 'backups');
  publicKeyFile = join(root, 'public.pem');
  passphraseFile = join(root, 'passphrase');
  const key = signingKeyPath(dataDir);
  mkdirSync(dirname(key), { recursive: true });
  writeFileSync(key, generateSigningKey());
  writeFileSync(publicKeyFile, loadSigningKey(key).publicKey);
  writeFileSync(passphraseFile, 'correct horse battery staple\n');
  const stack = await startStack({ dataDir, adminPassword: PASSWORD });
  whileRunning = await backUp();
  await stack.stop();
});
afterAll(() => rmSync(root, { recursive: true, force: true }));
beforeEach(() => rmSync(folder, { recursive: true, force: true }));

interface Ended {
  code: number | null;
  output: string;
}

function start(name: string, words: string[], dir = dataDir): { child: ChildProcess; ended: Promise<Ended> } {
  const child = spawn(process.execPath, [script(name), ...words], { env: { ...process.env, DATA_DIR: dir } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (text) => {
      output += text;
    });
  }
  return { child, ended: once(child, 'close').then(([code]) => ({ code, output })) };
}
const run = (name: string, words: string[], dir?: string) => start(name, words, dir).ended;
const backUp = (...words: string[]) => run('backup', ['--to', folder, ...words]);
const onlyFile = () => join(folder, readdirSync(folder)[0] as string);

it('is made by the product while it runs', () => {
  expect(whileRunning.code, whileRunning.output).toBe(0);
  expect(whileRunning.output).toMatch(/The running product makes backup \d+\n.*rdm-\S+\.tar\.gz: .* events/);
});

it('runs on the stopped product', async () => {
  const { code, output } = await backUp();
  expect(code, output).toBe(0);
  expect(output).toMatch(/rdm-\S+\.tar\.gz: .* events/);
  expect(await run('verify-backup', [onlyFile()])).toMatchObject({
    code: 0,
    output: expect.stringMatching(/Intact: \d+ events/),
  });
});

it('encrypts with the passphrase of a file, and verifies with it alone', async () => {
  expect((await backUp('--passphrase-file', passphraseFile)).code).toBe(0);
  const file = onlyFile();
  expect(file).toMatch(/\.age$/);
  expect((await run('verify-backup', [file, '--passphrase-file', passphraseFile])).code).toBe(0);
  expect(await run('verify-backup', [file])).toMatchObject({ code: 3, output: expect.stringContaining('passphrase') });
});

it('trusts the key of the installation, or the named one, or on request the one in the file', async () => {
  expect((await backUp()).code).toBe(0);
  const elsewhere = join(root, 'elsewhere');
  const unknown = await run('verify-backup', [onlyFile()], elsewhere);
  expect(unknown).toMatchObject({
    code: 3,
    output: expect.stringContaining('signed by a key that only this file names'),
  });
  expect((await run('verify-backup', [onlyFile(), '--key', publicKeyFile], elsewhere)).code).toBe(0);
  expect((await run('verify-backup', [onlyFile(), '--trust-file-key'], elsewhere)).code).toBe(0);
});

it('refuses a damaged file with the entry named', async () => {
  expect((await backUp()).code).toBe(0);
  const bytes = readFileSync(onlyFile());
  writeFileSync(onlyFile(), bytes.subarray(0, bytes.length - 500));
  expect(await run('verify-backup', [onlyFile()])).toMatchObject({
    code: 3,
    output: expect.stringMatching(/damaged at trailer\.json:/),
  });
});

it.each([
  ['backup without a folder', 'backup', []],
  ['backup with an unknown option', 'backup', ['--too', 'x']],
  ['backup with a passphrase file that is missing', 'backup', ['--to', '/tmp', '--passphrase-file', '/no/such/file']],
  ['verify-backup without a file', 'verify-backup', []],
  ['verify-backup of a file that is missing', 'verify-backup', ['/no/such/file']],
])('explains its use for %s', async (_, name, words) => {
  expect(await run(name, words)).toMatchObject({ code: 2, output: expect.stringContaining('Usage: npm run') });
});

it('explains that a folder holds no data', async () => {
  const { code, output } = await run('backup', ['--to', folder], join(root, 'empty'));
  expect({ code, output }).toMatchObject({ code: 2, output: expect.stringContaining('set DATA_DIR') });
});

it('ends with 5 when it is interrupted, without a file, and its servers end with it', async () => {
  const { child, ended } = start('backup', ['--to', folder, '--passphrase-file', passphraseFile]);
  child.stdout?.once('data', () => child.kill('SIGINT'));
  expect((await ended).code).toBe(5);
  expect(readdirSync(folder)).toEqual([]);
  expect((await backUp()).code).toBe(0);
});

it('leaves an unfinished file under another name when it is killed, and the next one runs', async () => {
  const { child, ended } = start('backup', ['--to', folder, '--passphrase-file', passphraseFile]);
  child.stdout?.once('data', () => child.kill('SIGKILL'));
  await ended;
  expect(readdirSync(folder)).toEqual([expect.stringMatching(/\.part$/)]);
  const { code, output } = await backUp();
  expect(code, output).toBe(0);
  expect(readdirSync(folder).filter((name) => name.endsWith('.gz'))).toHaveLength(1);
});
