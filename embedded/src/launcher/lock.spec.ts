/** Tests that only one launcher can lock a data directory, and that a killed launcher does not keep the lock. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DirectoryInUse, lockDirectory } from './lock.ts';

let directory: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rdm-lock-'));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
});

const holdingScript = `
  const { lockDirectory } = await import(${JSON.stringify(fileURLToPath(new URL('../../dist/launcher/lock.js', import.meta.url)))});
  try { lockDirectory(process.argv[1]); console.log('held'); setInterval(() => {}, 1000); }
  catch (error) { console.log(error.name); }`;

/** Starts a process that tries to lock the directory, and that runs on if it succeeds. */
async function lockInAnotherProcess(): Promise<{ child: ChildProcess; outcome: string }> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', holdingScript, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const [line] = (await once(child.stdout ?? child, 'data')) as [Buffer];
  return { child, outcome: line.toString().trim() };
}

describe('the lock of a data directory', () => {
  it('refuses a second holder and names the first', () => {
    lockDirectory(directory);
    expect(() => lockDirectory(directory)).toThrow(DirectoryInUse);
    expect(() => lockDirectory(directory)).toThrow(new RegExp(`process ${process.pid}.*DATA_DIR`, 's'));
  });

  it('is free again after its release', () => {
    lockDirectory(directory)();
    lockDirectory(directory)();
    expect(readdirSync(directory)).toEqual([]);
  });

  it('is refused while another process holds it, and free once that process is killed', async () => {
    const { child, outcome } = await lockInAnotherProcess();
    expect(outcome).toBe('held');
    expect(() => lockDirectory(directory)).toThrow(`process ${child.pid}`);
    child.kill('SIGKILL');
    await once(child, 'exit');
    lockDirectory(directory)();
  });

  it('is free if its holder has ended and another program has the same pid', () => {
    lockDirectory(directory);
    const path = join(directory, 'launcher.lock');
    const holder = JSON.parse(readFileSync(path, 'utf8')) as { started: string };
    writeFileSync(path, JSON.stringify({ ...holder, started: 'long ago' }));
    lockDirectory(directory)();
  });

  it('is taken by only one of several processes after its holder has ended', async () => {
    writeFileSync(join(directory, 'launcher.lock'), JSON.stringify({ pid: 1, started: 'long ago', token: 'dead' }));
    const outcomes = (
      await Promise.all([
        lockInAnotherProcess(),
        lockInAnotherProcess(),
        lockInAnotherProcess(),
        lockInAnotherProcess(),
      ])
    ).map(({ outcome }) => outcome);
    expect(outcomes.sort()).toEqual(['DirectoryInUse', 'DirectoryInUse', 'DirectoryInUse', 'held']);
  });
});
